"""Geometry of rotations and boxes: NumPy arrays in, NumPy arrays out. No kernels, no SciPy, no structure.

Two rooms have formulas of their own on purpose. Kernels of `physics` and `rendering` compute with scalars, which numba compiles;
the oracle in `validation` shares no code with what it checks.

Quaternions are (..., 4) wxyz of unit length, from body to world. Rotation matrices are (..., 3, 3); their columns are the body
axes in the world. Rotation vectors are (..., 3) [rad]. A box has its length, width and height along its body axes x, y, z.
"""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.geometry.box import Boxes, find_corners
    from anastylosis.geometry.mirror import mirror_poses
    from anastylosis.geometry.quaternion import make_matrices, multiply_quaternions, to_quaternions, turn_about, unit_quaternions
    from anastylosis.geometry.rotation_vector import make_rotations
    from anastylosis.geometry.separation import measure_gaps
    from anastylosis.geometry.symmetric import SYMMETRIC_ENTRIES
    from anastylosis.geometry.symmetry import HALF_TURNS, measure_rotations, measure_turns

__all__ = [
    "HALF_TURNS",
    "SYMMETRIC_ENTRIES",
    "Boxes",
    "find_corners",
    "make_matrices",
    "make_rotations",
    "measure_gaps",
    "measure_rotations",
    "measure_turns",
    "mirror_poses",
    "multiply_quaternions",
    "to_quaternions",
    "turn_about",
    "unit_quaternions",
]

__getattr__, __dir__ = load_on_demand(__name__)
