"""Answers of a picture net to N pictures, head by head. The truth has the same shape, so that the two can be compared.

There are P slots, three a layer, from the floor up: slot 3 l + k is place k of layer l. Lengths in the picture are shares of its
side, x to the right and y down.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from anastylosis.arrays import Reals, Shape
from anastylosis.errors import InvalidInput
from anastylosis.structure import BLOCKS_PER_COURSE, FRICTION_MAX

SLOT_WORDS = (
    "A name such as L03_0 is a slot of the tower: layer 3, counted from 0 on the floor, and of its three places the first, 0."
)
UNKNOWN = -1  # the friction level of a picture, when it is not known
# The shape of each head, without the axis of pictures.
SHAPES: dict[str, tuple[str | int | None, ...]] = {
    "num_removed": (),
    "removed_locs": ("slots",),
    "imbalance": (),
    "torque_risk": (),
    "failure_layer": ("layers",),
    "friction_level": ("levels",),
    "block_set": ("slots", 6),
    "displacement": ("slots", 2),
    "embedding": (None,),
}
PROBABILITIES = ("removed_locs", "failure_layer", "friction_level")  # heads of nothing but numbers in 0..1
SLOT_HEADS = tuple(name for name, shape in SHAPES.items() if shape[:1] == ("slots",))


def find_coefficient(friction: str | float | None, levels: Mapping[str, float]) -> float | None:
    """Return the coefficient of a level or a number; None when friction is not known."""
    if friction is None or friction == "unknown":
        return None
    value = levels[friction] if isinstance(friction, str) and friction in levels else to_coefficient(friction)
    if value is None:
        choices = ", ".join([*levels, "unknown"])
        raise InvalidInput(f"friction is {friction!r}; choose one of {choices}, or a coefficient above 0, up to {FRICTION_MAX:g}")
    return value


def to_coefficient(friction: Any) -> float | None:
    """Return a number or its text as a coefficient of friction; None when it cannot be one."""
    if isinstance(friction, bool):
        return None
    try:
        value = float(friction)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) and 0 < value <= FRICTION_MAX else None


class Answers(NamedTuple):
    """Answers, one row a picture; a head that a model does not have is None. Paper §9.5 and §3."""

    num_removed: Reals  # (N,) slots that were empty before the fatal pull
    removed_locs: Reals  # (N, P) probability that each of them was
    imbalance: Reals  # (N,) minus the balance margin then [m]
    torque_risk: Reals  # (N,) moves of the kind side_xaxis, the fatal one included
    failure_layer: Reals | None = None  # (N, P / 3) probability that this was the lowest layer that gave way
    friction_level: Reals | None = None  # (N, F) probability of each level, from the picture alone
    block_set: Reals | None = None  # (N, P, 6) before the fall: presence, x, y, width, height, angle / 90 degrees - 1
    displacement: Reals | None = None  # (N, P, 2) in the picture, of the block of each slot
    embedding: Reals | None = None  # (N, E)

    def cut(self, slots: int) -> "Answers":
        """Return the answers for the first slots only."""
        parts = {name: getattr(self, name) for name in SLOT_HEADS}
        cut: dict[str, Any] = {name: part if part is None else part[:, :slots] for name, part in parts.items()}
        failure = self.failure_layer
        return self._replace(failure_layer=failure if failure is None else failure[:, : slots // BLOCKS_PER_COURSE], **cut)


HEADS = Answers._fields


def head_shapes(layers: int, levels: int) -> dict[str, Shape]:
    """Return the shape of each head, without the axis of pictures, for a model of so many layers and levels of friction."""
    sizes = {"slots": BLOCKS_PER_COURSE * layers, "layers": layers, "levels": levels}
    return {name: tuple(sizes[side] if isinstance(side, str) else side for side in shape) for name, shape in SHAPES.items()}


def name_slots(layers: int) -> list[str]:
    """Return the names of the slots, `L00_0`, `L00_1`, .. from the floor up; they are the ids of a tower's blocks."""
    return [f"L{layer:02d}_{place}" for layer in range(layers) for place in range(BLOCKS_PER_COURSE)]
