"""Pulls: the ways in which a block can leave the tower, and the view of a player."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from anastylosis.geometry import make_matrices
from anastylosis.mechanics import CENTRE, Axis
from anastylosis.structure import Structure

Item = TypeVar("Item")


class Pull(NamedTuple):
    """One way to take one block. Paper's axes: y along the block's length, x across it, out of the tower."""

    block: str
    axis: Axis
    sign: int  # +1 or -1 along the block's own length (y) or width (x)

    def direction(self, structure: Structure) -> NDArray[np.float64]:
        """Return the horizontal unit vector (3,), world frame, along which the pull goes."""
        axes = make_matrices(structure.orientation[structure.index(self.block)])
        axis = self.sign * axes[:, 0 if self.axis == "y" else 1]
        axis[2] = 0.0
        return axis / np.sqrt((axis**2).sum())  # not `norm`: BLAS gives other bits on other processors


class GameView(NamedTuple):
    """View of a player: the blocks where they are, and the pulls that are allowed (at least one)."""

    structure: Structure
    pulls: tuple[Pull, ...]

    def course_of(self, pull: Pull) -> int:
        """Return the layer that a pull takes its block from."""
        return int(self.structure.course[self.structure.index(pull.block)])


def list_pulls(structure: Structure, protected_layers: int, given_up: Collection[str] = ()) -> tuple[Pull, ...]:
    """List every allowed pull, in the order of the blocks.

    Blocks of the top `protected_layers` stay, and so do those that were `given_up` (stuck). A block leaves along its
    length, to either side; a side block also across it, away from its neighbours. The centre block stands between two.
    The last block of all stays: without it there is no tower.
    """
    top = structure.course.max() - protected_layers
    pulls: list[Pull] = []
    if len(structure) == 1:
        return ()
    for row, name in enumerate(structure.ids):
        if structure.course[row] > top or name in given_up:
            continue
        pulls += [Pull(name, "y", -1), Pull(name, "y", +1)]
        if structure.place[row] != CENTRE:
            pulls.append(Pull(name, "x", outward(structure, row)))
    return tuple(pulls)


def outward(structure: Structure, row: int) -> int:
    """Return the sign of the way out across a side block: away from its neighbours; without any, from the middle of the tower."""
    beside = (structure.course == structure.course[row]) & (np.arange(len(structure)) != row)
    middle = structure.position[beside if beside.any() else slice(None)].mean(axis=0)
    across = make_matrices(structure.orientation[row])[:, 1]
    away = (across * (structure.position[row] - middle)).sum()
    return 1 if away > 0 else -1


def draw(items: Sequence[Item], rng: np.random.Generator) -> Item:
    """Draw one of the items, each as likely."""
    return items[int(rng.integers(len(items)))]
