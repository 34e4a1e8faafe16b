"""Labels of an episode, read off its rounds and its debris."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anastylosis.episode.collapse import Criterion
from anastylosis.episode.game import Game
from anastylosis.episode.record import Labels, Round
from anastylosis.episode.recorder import Collapse
from anastylosis.mechanics import measure_balance
from anastylosis.structure import Structure

TOUCHING = 1e-3  # [m] a corner this near to the floor lies on it
GAVE_WAY = 0.5  # share of the thresholds of displacement or angle beyond which a block had left its place


def label_episode(game: Game, rounds: Sequence[Round]) -> Labels:
    """Read the labels off a game that is over."""
    collapse, tower, now = game.recorder.collapse, game.tower, game.look()
    stood = game.stood if collapse else now
    present, lies = stood.poses.present, now.poses
    tower_stood, tower_lies = stood.arrange(tower), now.arrange(tower)
    balance = measure_balance(tower_stood.select(present))
    filled = set(zip(stood.course[present].tolist(), stood.place[present].tolist(), strict=True))
    removed = np.array([slot not in filled for slot in zip(tower.course.tolist(), tower.place.tolist(), strict=True)])
    return Labels(
        friction=game.config.friction,
        removed_count=int(removed.sum()),
        removed=removed,
        imbalance=balance.imbalance,
        interface_imbalance=-balance.weakest_margin,
        offset=balance.offset,
        torque_moves=sum(played.move.torque and played.outcome != "stuck" for played in rounds),
        standing=present,
        fatal_block=rounds[-1].pull.block if collapse and rounds else None,
        # The slots of now, not of before the pull: a block that was put on top and came down again fell from there.
        failure_course=failure_course(collapse, now.course, game.config.collapse, game.recorder.length) if collapse else -1,
        direction=collapse_direction(lies.displacement_from(stood.poses)) if collapse else np.nan,
        blocks_on_floor=count_on_floor(tower_stood.select(lies.present), tower_lies.select(lies.present)),
        stood=stood.poses,
        lies=lies,
        course=stood.course,
        place=stood.place,
    )


def failure_course(collapse: Collapse, course: NDArray[np.int64], criterion: Criterion, length: float) -> int:
    """Return the lowest course with a block off its place at the instant of collapse: what falls turns as a column."""
    moved = collapse.displacement > GAVE_WAY * criterion.displacement * length
    turned = collapse.angle > GAVE_WAY * criterion.angle
    return int(course[moved | turned].min())


def collapse_direction(displacement: NDArray[np.float64]) -> float:
    """Return the heading of the mean horizontal displacement of all blocks, from world x [rad]; blocks that are gone are NaN."""
    way = np.nanmean(displacement[:, :2], axis=0)
    return float(np.arctan2(way[1], way[0]))


def lowest_points(structure: Structure) -> NDArray[np.float64]:
    """Return the height (B,) of the lowest corner of each block [m], whatever side it lies on."""
    return structure.corners()[:, :, 2].min(axis=1)


def count_on_floor(stood: Structure, lies: Structure) -> int:
    """Count blocks that lie on the floor and did not before; both structures hold the same blocks."""
    return int(((lowest_points(lies) < TOUCHING) & (lowest_points(stood) >= TOUCHING)).sum())
