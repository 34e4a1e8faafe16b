"""Structures that stand: blocks, slots, courses, and towers of them."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.structure.block_name import read_block_size
    from anastylosis.structure.blocks import FRICTION_MAX, Blocks, Floor
    from anastylosis.structure.structure import Structure
    from anastylosis.structure.tower import (
        BLOCK_MASS,
        BLOCK_RESTITUTION,
        BLOCK_SIZE,
        BLOCKS_MAX,
        BLOCKS_PER_COURSE,
        LAYERS_MAX,
        SHOP_BLOCK_SIZE,
        check_block_size,
        jenga_tower,
        mirror_slots,
        space_places,
    )

__all__ = [
    "BLOCKS_MAX",
    "BLOCKS_PER_COURSE",
    "BLOCK_MASS",
    "BLOCK_RESTITUTION",
    "BLOCK_SIZE",
    "FRICTION_MAX",
    "LAYERS_MAX",
    "SHOP_BLOCK_SIZE",
    "Blocks",
    "Floor",
    "Structure",
    "check_block_size",
    "jenga_tower",
    "mirror_slots",
    "read_block_size",
    "space_places",
]

__getattr__, __dir__ = load_on_demand(__name__)
