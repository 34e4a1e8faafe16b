"""Fading: what is certain has its full colour; the less certain, the paler."""

__all__ = ["Colour", "fade"]

Colour = tuple[float, float, float]  # sRGB, 0..1

PALEST = 0.2  # of a colour, in white: what is left of it where something is as probably there as not


def fade(colour: Colour, certainty: float) -> Colour:
    """The colour of what is as certain as that: at 1 the colour itself, to the last bit; palest at a half and below."""
    share = min(max(2 * certainty - 1, 0.0), 1.0)
    pale = (1 - PALEST * (1 - part) for part in colour)
    red, green, blue = (share * full + (1 - share) * faint for full, faint in zip(colour, pale, strict=True))
    return red, green, blue
