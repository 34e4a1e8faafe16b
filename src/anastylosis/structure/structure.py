"""Structure: blocks, the slots they stand in, and the floor under them."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import freeze
from anastylosis.errors import InvalidStructure
from anastylosis.geometry import find_corners, make_matrices, unit_quaternions
from anastylosis.structure.blocks import Blocks, Floor


@dataclass(frozen=True, kw_only=True, eq=False)
class Structure:
    """Standing structure: one block a slot, course by course. World axes: z up, floor at z = 0."""

    blocks: Blocks
    ids: tuple[str, ...]  # one name a slot, bottom course first
    course: NDArray[np.int64]  # (B,) the course (layer) each slot belongs to, 0 at the bottom
    position: NDArray[np.float64]  # (B, 3) centre of mass [m]
    orientation: NDArray[np.float64]  # (B, 4) unit quaternion wxyz, body to world
    floor: Floor = field(default_factory=Floor)
    place: NDArray[np.int64] = field(default=None)  # type: ignore[arg-type]  # (B,) which place of its course, 0 first

    def __post_init__(self) -> None:
        count = len(self.blocks)
        if len(self.ids) != count or len(set(self.ids)) != count:
            raise InvalidStructure(f"{count} blocks need {count} different ids, got {len(set(self.ids))}")
        course = freeze_numbers(self.course, "course", count)
        place = count_places(course) if self.place is None else self.place
        object.__setattr__(self, "course", course)
        object.__setattr__(self, "place", freeze_numbers(place, "place", count))
        object.__setattr__(self, "position", freeze(self.position, "position", (count, 3)))
        object.__setattr__(self, "orientation", unit_quaternions(freeze(self.orientation, "orientation", (count, 4))))

    def __len__(self) -> int:
        return len(self.blocks)

    def index(self, block_id: str) -> int:
        """Return the row of the block named `block_id`."""
        try:
            return self.ids.index(block_id)
        except ValueError:
            raise InvalidStructure(
                f"no block is named {block_id!r}; names run from {self.ids[0]!r} to {self.ids[-1]!r}"
            ) from None

    def corners(self) -> NDArray[np.float64]:
        """Return the corners (B, 8, 3) [m] of every block in the world."""
        return find_corners(self.position, self.blocks.size, make_matrices(self.orientation))

    def select(self, keep: ArrayLike) -> "Structure":
        """Return the structure with only the blocks in `keep` (a mask or row numbers)."""
        rows = np.arange(len(self))[np.asarray(keep)]
        blocks = Blocks(
            size=self.blocks.size[rows], mass=self.blocks.mass[rows], friction=self.blocks.friction[rows],
            restitution=self.blocks.restitution[rows], fixed=self.blocks.fixed[rows],
        )  # fmt: skip
        return Structure(
            blocks=blocks, ids=tuple(self.ids[i] for i in rows), course=self.course[rows], place=self.place[rows],
            position=self.position[rows], orientation=self.orientation[rows], floor=self.floor,
        )  # fmt: skip

    def without(self, *block_ids: str) -> "Structure":
        """Return the structure without the named blocks."""
        keep = np.ones(len(self), bool)
        keep[[self.index(name) for name in block_ids]] = False
        return self.select(keep)

    def at(self, position: ArrayLike, orientation: ArrayLike) -> "Structure":
        """Return the structure with its blocks at other poses: (B, 3) [m] and (B, 4) wxyz."""
        return replace(self, position=np.asarray(position, float), orientation=np.asarray(orientation, float))


def freeze_numbers(values: ArrayLike, name: str, count: int) -> NDArray[np.int64]:
    """Return a read-only copy of whole numbers, one a block."""
    numbers = np.array(values, np.int64)
    if numbers.shape != (count,):
        raise InvalidStructure(f"{name} has shape {numbers.shape}, expected ({count},)")
    numbers.flags.writeable = False
    return numbers


def count_places(course: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count 0, 1, 2, ... within each course, (B,), in the order of the blocks."""
    same = course[:, None] == course
    return np.tril(same, -1).sum(axis=1)
