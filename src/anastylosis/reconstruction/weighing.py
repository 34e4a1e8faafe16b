"""Weighing: distances between heaps, the calibration, probabilities of hypotheses, and what these say about slots and blocks."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.draws import TowerState
from anastylosis.reconstruction.moves import FEATURES
from anastylosis.whole_file import write_whole

SHIPPED_CALIBRATION = Path(__file__).with_name("calibration.json")
BYTES_MAX = 100_000
RANGES = (
    ("scale", 0.0, 10.0), ("temperature", 1e-6, 1e3), ("farthest", 0.0, 10.0),
    ("physics", 0.0, 1.0), ("level", 0.0, 1.0), ("level_incomplete", 0.0, 1.0),
)  # fmt: skip
SHARE_MIN = 1e-12  # share of the draws
SLOT_PROBABILITY_MIN = 0.01  # probability of a slot, below which it is in no set but as the only one
MISSING_COST = 0.1  # [m] what a block without a partner costs; a pair further apart than twice this is two blocks without one


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Numbers that turn draws and distances into probabilities. `source` says what each was fitted on."""

    scale: float  # of the noise of draws
    temperature: float  # [m] of the distance between heaps: a hypothesis that is so much nearer is e times as probable
    farthest: float  # [m] distances beyond this say no more: not every tower that fell falls when it is built anew
    physics: float  # share of the hypotheses in the probabilities of slots; the rest is the net's
    # Slots are taken, the most probable first, until they sum to a level: then nine in ten sets hold the true one.
    level: float  # where every block that lies there is surveyed
    level_incomplete: float  # where some may not be; chosen on what is found in pictures
    moves: dict[str, float]  # weights of pulls
    source: dict[str, Any]

    def __post_init__(self) -> None:
        for name, low, high in RANGES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise InvalidInput(f"{name} of the calibration is {value!r}; it is a number in {low:g}..{high:g}")
        if not isinstance(self.moves, dict) or set(self.moves) != set(FEATURES):
            raise InvalidInput(f"the calibration has other weights of moves than {', '.join(FEATURES)}")
        if not all(isinstance(value, int | float) and math.isfinite(value) for value in self.moves.values()):
            raise InvalidInput("a weight of moves in the calibration is no finite number")


@cache
def read_calibration(path: Path = SHIPPED_CALIBRATION) -> Calibration:
    """Read the calibration in a file; without one, that which ships."""
    if path.stat().st_size > BYTES_MAX:
        raise InvalidInput(f"{path} has more than {BYTES_MAX:,} bytes; a calibration has less")
    try:
        return Calibration(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput(f"{path} is no calibration of ours: {error!s:.200}") from error


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write a calibration; it is there whole or not at all."""
    with write_whole(path) as part:
        part.write_text(json.dumps(asdict(calibration), indent=1) + "\n", encoding="utf-8")


def weigh_states(share: Floats, distance: Floats, calibration: Calibration) -> Floats:
    """Return probabilities (H,) of hypotheses, which sum to what their shares sum to.

    Their share of the draws, times how well their heap agrees with the surveyed one, e to minus the distance over the
    temperature, beside how well the others' do. So what was not tried keeps its share, and a probability does not depend on how
    many were tried. A distance that is not known (NaN) counts as one that says no more.
    """
    far = np.where(np.isfinite(distance), np.minimum(distance, calibration.farthest), calibration.farthest)
    agreement = np.exp((far.min() - far) / calibration.temperature)
    weight = np.maximum(share, SHARE_MIN) * agreement
    return np.asarray(weight * (share.sum() / weight.sum()))


def join_placed(placed: Floats, votes: Sequence[Floats], weights: Floats, physics: float) -> Floats:
    """Return probabilities (A, S) of pairs: `physics` of what the weighed hypotheses say, (A, S) each, the rest of what the net
    says."""
    return (1 - physics) * placed + physics * np.tensordot(weights, np.array(votes), axes=1)


def join_filled(filled: Floats, states: Sequence[TowerState], weights: Floats, physics: float) -> Floats:
    """Return probabilities (S,) that slots were filled, joined in the same way."""
    voted = weights @ np.array([state.filled for state in states], float)
    return np.asarray((1 - physics) * filled + physics * voted)


def find_set(probability: Floats, level: float) -> NDArray[np.int64]:
    """Return the slots of one block, (S,), the most probable first, until they sum to the level; at least one.

    Beyond the first, none is listed that is hardly possible: a block that probably stood nowhere has a short list.
    """
    order = np.argsort(-probability, kind="stable")
    count = int(np.searchsorted(np.cumsum(probability[order]), level, side="left")) + 1
    return order[: max(1, min(count, int((probability >= SLOT_PROBABILITY_MIN).sum())))]


def measure_information(weights: Floats, votes: Floats) -> Floats:
    """Measure (A,) how much the slot of each block would tell about which hypothesis is right, in bits.

    The mutual information of both, of hypotheses with `weights` (H,) in which blocks are in slots by `votes` (H, A, S).
    """
    return measure_entropy(np.tensordot(weights, votes, axes=1)) - np.tensordot(weights, measure_entropy(votes), axes=1)


def measure_entropy(probability: Floats) -> Floats:
    """Measure the entropy (...) of probabilities (..., S) and of what is missing to 1, in bits."""
    rest = np.clip(1 - probability.sum(axis=-1, keepdims=True), 0, 1)
    every = np.concatenate([probability, rest], axis=-1)
    return np.asarray(-(every * np.log2(np.maximum(every, SHARE_MIN))).sum(axis=-1))


def measure_distance(some: Floats, others: Floats, missing: float = MISSING_COST) -> float:
    """Measure the least mean way [m] that turns one heap, (M, 3), into the other, (N, 3).

    Every block of the smaller heap has a partner in the larger one, each pair costs its distance, at most 2 `missing`; the
    blocks that are left over cost `missing` each. The sum is shared among the blocks of the larger heap (Rubner et al. 2000:
    of equal weights the earth mover's distance is an assignment). 0 for two heaps of nothing.
    """
    larger = max(len(some), len(others))
    if not larger:
        return 0.0
    cost, rows, columns = match_centres(some, others, missing)
    return float(cost[rows, columns].sum() + missing * abs(len(some) - len(others))) / larger


def match_centres(
    some: Floats, others: Floats, missing: float = MISSING_COST
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return costs (M, N) of all pairs, and the rows and columns of the pairs that together cost least."""
    apart = np.linalg.norm(some[:, None, :] - others[None, :, :], axis=2)
    cost = np.minimum(apart, 2 * missing)
    rows, columns = linear_sum_assignment(cost)
    return cost, rows, columns
