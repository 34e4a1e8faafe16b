"""Labels: what an episode has to teach, read off its rounds and its debris."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anastylosis.episode.collapse import Criterion
from anastylosis.episode.game import Game
from anastylosis.episode.record import Labels, Round
from anastylosis.episode.recorder import Fall
from anastylosis.mechanics import measure_balance
from anastylosis.mechanics.polygon import polygon_centre
from anastylosis.structure import Structure

__all__ = ["collapse_direction", "count_on_floor", "failure_course", "label_episode"]

TOUCHING = 1e-3  # [m] a corner this near to the floor lies on it
GAVE_WAY = 0.5  # share of the thresholds of displacement or angle beyond which a block had left its place


def label_episode(game: Game, rounds: Sequence[Round]) -> Labels:
    """Read the labels off a game that is over."""
    fall, tower, now = game.recorder.fall, game.tower, game.look()
    stood = game.stood if fall else now
    present, lies = stood.poses.present, now.poses
    balance = measure_balance(tower.at(stood.poses.position, stood.poses.orientation).select(present))
    filled = set(zip(stood.course[present].tolist(), stood.place[present].tolist(), strict=True))
    removed = np.array([slot not in filled for slot in zip(tower.course.tolist(), tower.place.tolist(), strict=True)])
    displacement = np.where(lies.present[:, None], lies.position - stood.poses.position, np.nan)
    left = lies.present
    return Labels(
        friction=game.config.friction,
        removed_count=int(removed.sum()),
        removed=removed,
        imbalance=-balance.margin,
        interface_imbalance=-balance.weakest_margin,
        offset=float(np.linalg.norm(balance.centre_of_mass[:2] - polygon_centre(balance.support))),
        torque_moves=sum(played.move.torque and played.outcome != "stuck" for played in rounds),
        standing=present,
        fatal_block=rounds[-1].pull.block if fall and rounds else None,
        failure_course=failure_course(fall, stood.course, game.config.collapse, game.recorder.length) if fall else -1,
        direction=collapse_direction(displacement) if fall else float("nan"),
        blocks_on_floor=count_on_floor(
            tower.at(stood.poses.position, stood.poses.orientation).select(left),
            tower.at(lies.position, lies.orientation).select(left),
        ),
        stood=stood.poses,
        lies=lies,
        course=stood.course,
        place=stood.place,
    )


def failure_course(fall: Fall, course: NDArray[np.int64], criterion: Criterion, length: float) -> int:
    """The lowest course with a block that had left its place at the instant of collapse: what falls turns as a column."""
    moved = fall.displacement > GAVE_WAY * criterion.displacement * length
    turned = fall.angle > GAVE_WAY * criterion.angle
    return int(course[moved | turned].min())


def collapse_direction(displacement: NDArray[np.float64]) -> float:
    """Heading of the mean horizontal displacement of all blocks, from world x [rad]; blocks that are gone are NaN."""
    way = np.nanmean(displacement[:, :2], axis=0)
    return float(np.arctan2(way[1], way[0]))


def lowest_points(structure: Structure) -> NDArray[np.float64]:
    """(B,) height of the lowest corner of each block [m], whatever side it lies on."""
    w, x, y, z = structure.orientation.T
    up = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1)  # last row of R(q)
    reach = (np.abs(up) * structure.blocks.size / 2).sum(axis=1)
    return structure.position[:, 2] - reach


def count_on_floor(stood: Structure, lies: Structure) -> int:
    """Blocks that lie on the floor and did not before; both structures hold the same blocks."""
    return int(((lowest_points(lies) < TOUCHING) & (lowest_points(stood) >= TOUCHING)).sum())
