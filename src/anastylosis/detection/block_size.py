"""Sizes of blocks that the detector can look for."""

from anastylosis.arrays import Vector
from anastylosis.errors import InvalidInput
from anastylosis.structure import check_block_size

# Length and width in heights that the nets were trained with.
LENGTHS, WIDTHS = (4.2, 5.5), (1.4, 1.8)
SPARE = 0.03  # share by which a block may be beyond these: 77.3 x 24.9 x 14.8 mm is 5.2 : 1.68 : 1, measured to 0.2 mm


def check_proportions(block: Vector) -> Vector:
    """Return the size [m]; raise for blocks of proportions that the nets have never seen."""
    length, width, height = check_block_size(block)
    for name, side, (low, high) in (("long", length, LENGTHS), ("wide", width, WIDTHS)):
        if not low * (1 - SPARE) <= side / height <= high * (1 + SPARE):
            raise InvalidInput(
                f"blocks {side / height:.2f} times as {name} as high are not known to the detector: {low:g} to {high:g} times; "
                "measure a block, the longest side first, or survey the heap by hand",
                kind="block_unknown",
            )
    return length, width, height
