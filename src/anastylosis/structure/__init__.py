"""Standing structures: blocks, slots, courses, and what is made of them."""

from anastylosis.structure.blocks import Blocks, Floor
from anastylosis.structure.structure import Structure
from anastylosis.structure.tower import jenga_tower, mirror_slots

__all__ = ["Blocks", "Floor", "Structure", "jenga_tower", "mirror_slots"]
