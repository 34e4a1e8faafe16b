"""Colour: of 0..1 or of bytes; and what is certain has its full colour, the less certain, the paler."""

from collections.abc import Sequence
from typing import NamedTuple

from anastylosis.arrays import ByteColour, Colour

HIGHLIGHT = (0.84, 0.16, 0.13)  # a red that no wood has
PALEST = 0.2  # of a colour, in white: what is left of it where something is as probably there as not


def to_bytes(colour: Sequence[float]) -> ByteColour:
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue


def from_bytes(colour: ByteColour) -> Colour:
    red, green, blue = (part / 255 for part in colour)
    return red, green, blue


def fade(colour: Colour, certainty: float) -> Colour:
    """Fade a colour by certainty: unchanged at 1, to the last bit; palest at a half and below."""
    share = min(max(2 * certainty - 1, 0.0), 1.0)
    pale = (1 - PALEST * (1 - part) for part in colour)
    red, green, blue = (share * full + (1 - share) * faint for full, faint in zip(colour, pale, strict=True))
    return red, green, blue


class Palette(NamedTuple):
    """Colours that mean the same in all pictures and films, and on the page."""

    evidence: Colour  # a block that still stands there: seen
    not_found: Colour  # a slot that was filled by a block that nobody has found
    left_out: Colour
    taken: Colour  # taken out before the fall, or being pulled
    # Outlines of blocks over a photograph: brighter, for these are lines.
    outline_stands: Colour
    outline_fell: Colour
    outline_doubtful: Colour
    dark_share: float  # of a scale that grows darker: letters on what is beyond it are white

    def fade_evidence(self, certainty: float) -> Colour:
        """Return the colour of a block that still stands, paler if that is less certain."""
        return fade(self.evidence, certainty)


PALETTE = Palette(
    evidence=(0.20, 0.52, 0.80),
    not_found=(0.40, 0.70, 0.45),
    left_out=(0.55, 0.55, 0.57),
    taken=HIGHLIGHT,
    outline_stands=from_bytes((40, 110, 255)),
    outline_fell=from_bytes((130, 40, 190)),
    outline_doubtful=from_bytes((255, 225, 60)),
    dark_share=0.55,
)
