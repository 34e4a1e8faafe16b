"""Blocks: boxes of any size, mass, friction and restitution, as arrays."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import freeze, refuse
from anastylosis.errors import InvalidStructure

# A Coulomb coefficient above this is glue, not friction (rubber on rubber is about 1.2).
FRICTION_MAX = 10.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """B boxes. Body axes: x along the length, y along the width, z along the height."""

    size: NDArray[np.float64]  # (B, 3) length, width, height [m]
    mass: NDArray[np.float64]  # (B,) [kg]
    friction: NDArray[np.float64]  # (B,) Coulomb coefficient; a pair takes the geometric mean
    restitution: NDArray[np.float64]  # (B,) 0..1; a pair takes the geometric mean
    fixed: NDArray[np.bool_] = field(default=None)  # type: ignore[arg-type]  # (B,) True: cannot move

    def __post_init__(self) -> None:
        size = freeze(self.size, "size", (-1, 3))
        count = len(size)
        if count == 0:
            raise InvalidStructure("a structure needs at least one block, got none")
        fixed = np.zeros(count, bool) if self.fixed is None else np.array(self.fixed, bool)
        if fixed.shape != (count,):
            raise InvalidStructure(f"fixed has shape {fixed.shape}, expected ({count},)")
        fixed.flags.writeable = False
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "fixed", fixed)
        for name in ("mass", "friction", "restitution"):
            object.__setattr__(self, name, freeze(getattr(self, name), name, (count,)))
        refuse(size <= 0, size, "size", "must be above 0 m in each direction")
        refuse(self.mass <= 0, self.mass, "mass", "must be above 0 kg")
        refuse((self.friction < 0) | (self.friction > FRICTION_MAX), self.friction, "friction", f"must be in 0..{FRICTION_MAX:g}")
        refuse((self.restitution < 0) | (self.restitution > 1), self.restitution, "restitution", "must be in 0..1")

    def __len__(self) -> int:
        return len(self.size)

    @property
    def inertia(self) -> NDArray[np.float64]:
        """Body-frame moments of inertia, (B, 3) [kg m^2]. Paper §4.1, Eq. (3)."""
        square = self.size**2
        return self.mass[:, None] / 12.0 * (square.sum(axis=1, keepdims=True) - square)


@dataclass(frozen=True, kw_only=True)
class Floor:
    """The ground plane z = 0, with a surface of its own."""

    friction: float = 0.40
    restitution: float = 0.10

    def __post_init__(self) -> None:
        if not 0 <= self.friction <= FRICTION_MAX:
            raise InvalidStructure(f"floor friction is {self.friction}; it must be in 0..{FRICTION_MAX:g}")
        if not 0 <= self.restitution <= 1:
            raise InvalidStructure(f"floor restitution is {self.restitution}; it must be in 0..1")
