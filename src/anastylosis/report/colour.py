"""Colour: of 0..1 or of bytes; and what is certain has its full colour, the less certain, the paler."""

from collections.abc import Sequence

Colour = tuple[float, float, float]  # sRGB, 0..1
ByteColour = tuple[int, int, int]  # the same, 0..255

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
