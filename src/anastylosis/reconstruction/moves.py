"""Moves: which pull may have brought a tower down. Every pull that a player of `episode` may make, weighed by what is known.

The weights are those of a logit model over the pulls of one tower, fitted on the fatal pulls of the training split
(tools/fit_moves.py): where the block is beside the layer that gave way, what stays in its layer, and how the pull lies to
the direction of the fall.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.episode import EpisodeConfig, Pull, list_pulls
from anastylosis.mechanics import CENTRE
from anastylosis.structure import Structure

PROTECTED = EpisodeConfig.protected_layers  # top layers that players leave alone
LAYER_PROBABILITY_MIN = 0.02  # layers that gave way with a smaller probability are not asked
FEATURES = (
    "far_below", "below", "same", "above", "even_above", "odd_above", "centre", "across", "two_stay", "centre_stays",
    "none_holds", "below_none_holds", "below_two_stay", "towards_far_below", "towards_below", "towards_same", "towards_above",
    "tips_below",
)  # fmt: skip


class WeighedPull(NamedTuple):
    """A pull and how probable it is that it was the fatal one."""

    pull: Pull
    probability: float


class PullProperties(NamedTuple):
    """Properties of P pulls of one tower, the same whichever layer gave way."""

    course: NDArray[np.int64]  # (P,) that the block is taken from
    centre: Floats  # (P,) 1: it is the one in the middle
    across: Floats  # (P,) 1: it is pulled across its length
    two_stay: Floats  # (P,) 1: both others of its course are there,
    centre_stays: Floats  # (P,) 1: the one in the middle alone,
    none_holds: Floats  # (P,) 1: one at the side, or none: what is above cannot stay
    towards: Floats  # (P,) cosine between the pull and the fall
    tips: Floats  # (P,) cosine between the fall and the way in which what stands on one side block tips


def list_allowed(tower: Structure) -> tuple[Pull, ...]:
    """Return the pulls that a player may make."""
    return list_pulls(tower, min(PROTECTED, int(tower.course.max())))


def weigh_pulls(
    tower: Structure, failure: Floats, direction: Floats, weights: Mapping[str, float], still: Collection[str] = ()
) -> list[WeighedPull]:
    """Weigh every pull of a tower, the most probable first.

    `failure` (courses,): how probably each was the lowest course to give way; `direction` (2,): of the fall, as long as it is
    sure. `still`: slots whose blocks still stand there, so nobody has pulled them.
    """
    pulls = [pull for pull in list_allowed(tower) if pull.block not in still]
    if not pulls:
        return []
    known, vector = describe_pulls(tower, pulls, direction), np.array([weights[name] for name in FEATURES])
    asked = np.flatnonzero(failure >= min(LAYER_PROBABILITY_MIN, failure.max()))
    chance = np.zeros(len(pulls))
    for course in asked:
        score = list_features(known, int(course)) @ vector
        weight = np.exp(score - score.max())
        chance += failure[course] / failure[asked].sum() * weight / weight.sum()
    order = np.argsort(-chance, kind="stable")
    return [WeighedPull(pulls[row], float(chance[row])) for row in order]


def describe_pulls(tower: Structure, pulls: Sequence[Pull], direction: Floats) -> PullProperties:
    """List what is known of each pull; `direction` (2,) of the fall."""
    row = {name: number for number, name in enumerate(tower.ids)}
    rows = np.array([row[pull.block] for pull in pulls])
    course, place = tower.course[rows], tower.place[rows]
    there = {(int(c), int(p)) for c, p in zip(tower.course, tower.place, strict=True)}
    staying = [{p for c, p in there if c == own} - {int(mine)} for own, mine in zip(course, place, strict=True)]
    none_holds = np.array([len(mates) == 0 or (len(mates) == 1 and CENTRE not in mates) for mates in staying])
    ways = {pull: pull.direction(tower)[:2] for pull in pulls}
    tips = [tip_direction(int(own), mates) for own, mates in zip(course, staying, strict=True)]
    return PullProperties(
        course=course,
        centre=(place == CENTRE).astype(float),
        across=np.array([float(pull.axis == "x") for pull in pulls]),
        two_stay=np.array([float(len(mates) == 2) for mates in staying]),
        centre_stays=np.array([float(mates == {CENTRE}) for mates in staying]),
        none_holds=none_holds.astype(float),
        towards=np.array([ways[pull] @ direction for pull in pulls]),
        tips=np.array(tips) @ direction * none_holds,
    )


def list_features(known: PullProperties, failure: int) -> Floats:
    """Return features (P, features) of pulls, if `failure` was the lowest course that gave way."""
    above = known.course - failure
    far_below, below, same, higher = above <= -2, above == -1, above == 0, above >= 1
    even, odd = (above >= 2) & (above % 2 == 0), (above >= 3) & (above % 2 == 1)
    columns = [
        far_below, below, same, above == 1, even, odd, known.centre, known.across, known.two_stay, known.centre_stays,
        known.none_holds, below * known.none_holds, below * known.two_stay, known.towards * far_below, known.towards * below,
        known.towards * same, known.towards * higher, known.tips * below,
    ]  # fmt: skip
    return np.stack(columns, axis=1).astype(float)


def tip_direction(course: int, staying: set[int]) -> Floats:
    """Return the direction (2,) from the one block that stays to the middle of its course; places run along y in even courses,
    x in odd ones."""
    if len(staying) != 1:
        return np.zeros(2)
    (place,) = staying
    return (CENTRE - place) * np.array([course % 2, 1 - course % 2], float)
