"""Sizes of blocks in words: by name, or as three sides and a unit."""

import re

from anastylosis.arrays import Vector
from anastylosis.errors import InvalidInput
from anastylosis.structure.tower import BLOCK_SIZE, SHOP_BLOCK_SIZE, check_block_size

BLOCK_NAMES: dict[str, Vector] = {"paper": BLOCK_SIZE, "jenga": SHOP_BLOCK_SIZE}
METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
SIDE = r"\s*(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*"
SIDES = re.compile(rf"{SIDE}[x×,]{SIDE}[x×,]{SIDE}(mm|cm|m)?\s*", re.IGNORECASE | re.ASCII)


def read_block_size(words: str) -> Vector:
    """Read length, width and height [m] of a block: `jenga`, `paper`, `75x25x15mm`, `7.5 x 2.5 x 1.5 cm` or `75,25,15`.

    Without a unit sides are millimetres. They may be in any order.
    """
    named = BLOCK_NAMES.get(words.strip().lower())
    if named is not None:
        return named
    found = SIDES.fullmatch(words)
    if found is None:
        names = ", ".join(BLOCK_NAMES)
        raise InvalidInput(f"the block is {words!r:.60}; give three sides, such as 75x25x15mm, or a name: {names}")
    *sides, unit = found.groups()
    height, width, length = sorted(float(side) * METRES[(unit or "mm").lower()] for side in sides)
    return check_block_size((length, width, height))
