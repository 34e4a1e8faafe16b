"""Forces that slide a block: Ziglar's, the paper's, and with the load that rests on it."""

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.structure import Structure

GRAVITY = 9.81  # [m/s^2]. Paper §4.2


def friction_limit(friction: ArrayLike, normal_force: ArrayLike) -> Floats:
    """Return the largest friction force of a contact, mu N [N]; arrays broadcast. Paper §5.1, Eq. (7).

    The paper goes on with N = m g, which holds for one block with nothing on it.
    """
    return take(friction, "friction") * take(normal_force, "normal_force")


def push_force_slide(friction: ArrayLike, mass: ArrayLike, gravity: float = GRAVITY) -> Floats:
    """Return the force that slides a block out along its length, 3 mu m g [N]; arrays broadcast. Paper Eq. (8); Ziglar, Eq. (4).

    It holds for a block that carries the weight of one block, which is where n = 1 in `push_force_layers`.
    """
    return 3.0 * block_friction(friction, mass, gravity)


def push_force_torque(friction: ArrayLike, mass: ArrayLike, gravity: float = GRAVITY) -> Floats:
    """Return the force above which a pull across should turn the layer above, 4 mu m g [N]. Paper Eq. (9); Ziglar, Eq. (8)."""
    return 4.0 * block_friction(friction, mass, gravity)


def push_force_layers(friction: ArrayLike, mass: ArrayLike, layers_above: ArrayLike, gravity: float = GRAVITY) -> Floats:
    """Return the force that slides a block out from under n full layers of equal blocks, mu m g (2 n + 1) [N].

    The load n m g rubs on the upper face, the load and the block's own weight on the lower one. Departs from
    the paper, which takes Eq. (8), n = 1, for every layer.
    """
    return block_friction(friction, mass, gravity) * (2.0 * take(layers_above, "layers_above") + 1.0)


def push_force_loaded(friction: ArrayLike, mass: ArrayLike, load: ArrayLike, gravity: float = GRAVITY) -> Floats:
    """Return the force that slides a block out from under a `load` [N] resting on it, mu (2 load + m g) [N]."""
    return friction_limit(friction, 2.0 * take(load, "load") + take(mass, "mass") * take(gravity, "gravity"))


def shared_loads(structure: Structure, gravity: float = GRAVITY) -> Floats:
    """Return the load (B,) [N] on each block when the blocks of its course share all courses above evenly.

    With full courses of equal blocks it is n m g under n courses. In a real tower the sharing is statically
    indeterminate; this is the even one. Fixed blocks count as any other.
    """
    rows = structure.course - structure.course.min()
    weight = np.bincount(rows, weights=structure.blocks.mass) * take(gravity, "gravity")
    above = weight.sum() - np.cumsum(weight)
    above[-1] = 0.0  # rounding leaves a trace of the sum there
    return above[rows] / np.bincount(rows)[rows]


def block_friction(friction: ArrayLike, mass: ArrayLike, gravity: float) -> Floats:
    """Return mu m g [N], the unit of all the forces above."""
    return friction_limit(friction, take(mass, "mass") * take(gravity, "gravity"))


def take(values: ArrayLike, name: str) -> Floats:
    """Return `values` as floats; refuse them unless finite and not negative."""
    array = np.asarray(values, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        raise InvalidInput(f"{name} is {array[bad].flat[0]:g}: it must be a finite number, 0 or more, in SI units")
    return array
