"""Noise: errors of surveys. Poses are inexact, stones are hidden, and foreign stones lie among them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.geometry import Boxes, measure_gaps, multiply_quaternions, turn_about
from anastylosis.survey.survey import Survey

FOREIGN_MAX = 1_000
TRIES = 50  # places at which a foreign stone is tried before it may lie within another
OTHER = (0.6, 1.5)  # sides of a foreign stone that is not like the others, as shares of theirs


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Errors of a survey; none by default."""

    position: float = 0.0  # [m] standard deviation along each axis
    angle: float = 0.0  # [rad] standard deviation of a turn about a random axis
    hidden: float = 0.0  # share of the stones that nobody sees, 0 <= hidden < 1
    foreign: int = 0  # stones that never belonged to the structure

    def __post_init__(self) -> None:
        if not 0 <= self.position <= 1:
            raise InvalidConfig(f"noise of positions is {self.position}; it is a standard deviation in 0..1 m")
        if not 0 <= self.angle <= math.pi:
            raise InvalidConfig(f"noise of angles is {self.angle}; it is a standard deviation in 0..pi radians")
        if not 0 <= self.hidden < 1:
            raise InvalidConfig(f"hidden is {self.hidden}; it is a share of the stones, 0 or above and below 1")
        if not isinstance(self.foreign, int | np.integer) or not 0 <= self.foreign <= FOREIGN_MAX:
            raise InvalidConfig(f"foreign is {self.foreign}; it is a number of stones, 0..{FOREIGN_MAX}")


def disturb_poses(
    position: ArrayLike, orientation: ArrayLike, position_sd: ArrayLike, angle_sd: ArrayLike, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return poses (..., 3) [m] and (..., 4) with errors of measurement; deviations (...) [m] and [rad] may broadcast.

    A normal shift along each axis, and a turn about an axis in any direction by a normal angle. Poses that are NaN stay so.
    """
    exact, quaternion = np.asarray(position, np.float64), np.asarray(orientation, np.float64)
    shape = exact.shape[:-1]
    shift = rng.standard_normal(exact.shape) * np.asarray(position_sd, np.float64)[..., None]
    axis = rng.standard_normal(exact.shape)
    half = rng.standard_normal(shape) * np.asarray(angle_sd, np.float64) / 2
    axis *= (np.sin(half) / np.sqrt(np.einsum("...k,...k->...", axis, axis)))[..., None]
    turn = np.concatenate([np.cos(half)[..., None], axis], axis=-1)
    return exact + shift, multiply_quaternions(turn, quaternion)


def survey_debris(
    ids: Sequence[str],
    size: ArrayLike,
    position: ArrayLike,
    orientation: ArrayLike,
    noise: Noise,
    rng: np.random.Generator,
    *,
    source: str = "",
) -> tuple[Survey, NDArray[np.int64]]:
    """Survey debris, (B, 3), (B, 3) and (B, 4), with errors; also return the row of the block that each stone is; -1: foreign.

    Blocks whose pose is NaN are gone and not surveyed. Stones are shuffled and renamed, the foreign ones like the others, so
    that only size and pose depend on where a stone stood.
    """
    sizes, centres, turns = (np.asarray(values, np.float64) for values in (size, position, orientation))
    check_debris(ids, sizes, centres, turns)
    rows = np.flatnonzero(np.isfinite(centres).all(axis=1))
    if not len(rows):
        raise InvalidInput("no block lies there; a survey needs one at least")
    debris = Boxes(sizes[rows], centres[rows], turns[rows])
    seen = rng.permutation(len(rows))[: max(1, len(rows) - round(noise.hidden * len(rows)))]
    stones = add_foreign(debris, noise.foreign, rng)
    chosen = rng.permutation(np.concatenate([seen, np.arange(len(rows), len(stones.size))]))
    origin = np.concatenate([rows, np.full(noise.foreign, -1)])[chosen]
    exact = Boxes(*(part[chosen] for part in stones))
    measured = disturb_poses(exact.position, exact.orientation, noise.position, noise.angle, rng)
    count = len(chosen)
    survey = Survey(
        ids=tuple(f"stone-{number:03d}" for number in range(1, count + 1)),
        size=exact.size,
        position=measured[0],
        orientation=measured[1],
        position_sd=np.full(count, noise.position),
        orientation_sd=np.full(count, noise.angle),
        source=source,
    )
    return survey, origin


def check_debris(ids: Sequence[str], size: Floats, position: Floats, orientation: Floats) -> None:
    """Raise unless all parts have one length, and each block has a whole pose or none."""
    count = len(ids)
    if (size.shape, position.shape, orientation.shape) != ((count, 3), (count, 3), (count, 4)):
        raise InvalidInput(
            f"{count} blocks have sizes {size.shape}, positions {position.shape} and orientations {orientation.shape}; "
            f"they need ({count}, 3), ({count}, 3) and ({count}, 4)"
        )
    known = np.isfinite(np.concatenate([position, orientation], axis=1))
    torn = known.any(axis=1) & ~(known.all(axis=1) & np.isfinite(size).all(axis=1))
    if torn.any():
        raise InvalidInput(f"block {ids[int(torn.argmax())]!r} lies there without a place, a direction or a size")


def add_foreign(debris: Boxes, count: int, rng: np.random.Generator) -> Boxes:
    """Add boxes that lie flat on the ground within the reach of the debris, half of them in sizes of the debris.

    Each is tried at some places until it lies clear of all that is there.
    """
    middle = debris.position[:, :2].mean(axis=0)
    reach = np.linalg.norm(debris.position[:, :2] - middle, axis=1).max() + debris.size.max()
    there = debris
    for _ in range(count):
        size = debris.size[rng.integers(len(debris.size))]
        if rng.random() < 0.5:
            size = np.sort(size * rng.uniform(*OTHER, 3))[::-1]
        for _ in range(TRIES):
            distance, direction = reach * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
            place = (*(middle + distance * np.array([math.cos(direction), math.sin(direction)])), size[2] / 2)
            stone = Boxes(*(np.asarray(part)[None] for part in (size, place, turn_about(2, rng.uniform(0, 2 * math.pi)))))
            if measure_gaps(stone, there).min() > 0:
                break
        there = Boxes(*(np.concatenate(parts) for parts in zip(there, stone, strict=True)))
    return there
