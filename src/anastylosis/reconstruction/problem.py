"""Problem: one survey to be reconstructed, with the answer of the assignment net and all that is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Flags, Floats, Vector
from anastylosis.assignment import UNASSIGNED, Assignment, find_standing
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.models import find_coefficient
from anastylosis.reconstruction.draws import EVEN_ODDS, LogProbabilities, make_log_probabilities
from anastylosis.reconstruction.moves import WeighedPull, weigh_pulls
from anastylosis.reconstruction.weighing import Calibration

# Beyond this blocks do not slide at all, and no tower falls as those do that were learned from.
KNOWN_FRICTION_MAX = 2.0
FRICTION_LEAST = 0.05  # that is drawn, or built with, where it is not known
NINE_IN_TEN = 1.645  # standard deviations within which nine in ten normal numbers are
RNG_STREAMS = {"draws": 0, "moves": 1, "trials": 2}  # of random numbers


class Friction(NamedTuple):
    """A known range of the coefficient of friction, of no width if it is known exactly."""

    low: float
    high: float

    @property
    def exact(self) -> float | None:
        return self.low if self.low == self.high else None

    @property
    def words(self) -> str:
        return f"{self.low:.2f}" if self.low == self.high else f"{self.low:.2f} to {self.high:.2f}"


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """Facts about the structure that the user knows before anything is looked at."""

    layers: int | None = None  # of the tower; None: inferred
    friction: str | float | Friction | None = None  # a level of the model's card, a coefficient, a range such as 0.3..0.5
    complete: bool = False  # every block was found: slots without one were empty before the fall
    block: Vector | None = None  # length, width, height of the blocks [m]; None: the usual size of the surveyed ones
    fit_frame: bool | None = None  # where blocks contradict origin or heading, they are right (True), or not; None: raise

    def parse_friction(self, levels: Mapping[str, float]) -> Friction | None:
        """Return the known range of friction; None: nothing is known. `levels`: the coefficients that have names."""
        if self.friction is None or isinstance(self.friction, Friction):
            return self.friction
        words = str(self.friction)
        wrong = InvalidInput(
            f"friction is {words!r}; give low, nominal, high, unknown, a coefficient above 0 and {KNOWN_FRICTION_MAX:g} at most, "
            "or two with .. between, the smaller first"
        )
        try:
            ends = [find_coefficient(word.strip(), dict(levels)) for word in words.split("..")]
        except InvalidInput as problem:
            raise wrong from problem
        if ends == [None]:
            return None
        known = [end for end in ends if end is not None]
        if len(known) < len(ends) or len(known) > 2 or not 0 < known[0] <= known[-1] <= KNOWN_FRICTION_MAX:
            raise wrong
        return Friction(known[0], known[-1])


@dataclass(frozen=True, kw_only=True)
class ReconstructionConfig:
    """Settings of a reconstruction: proposals, pulls, seed and optional stages."""

    hypotheses: int = 32  # that are re-simulated; 0: the most probable state alone, without physics
    moves: int = 12  # pulls that are tried on the most probable state
    seed: int = 0
    lookup: bool = True  # look the episode of the input's name up in the library
    assembly: bool = True  # work out the order of building
    picture_net: bool = True  # ask the paper's net about a drawing of the heap

    def __post_init__(self) -> None:
        for name, most in (("hypotheses", 10_000), ("moves", 1_000), ("seed", 2**63)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
                raise InvalidConfig(f"{name} is {value!r}; it is a whole number, 0 to {most:,}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """Inputs of the proposals: A sound blocks, S slots, the answer of the net, and what the user knows."""

    assignment: Assignment
    calibration: Calibration
    friction: Friction | None  # that the user knows
    config: ReconstructionConfig
    complete: bool  # every block that lies there was found
    pinned: NDArray[np.int64]  # (A,) slots of blocks that still stand; UNASSIGNED: it fell
    placed: Floats  # (A, S) of the net; of what still stands, how certain that is
    removed: Floats  # (S,) the same of slots that were empty

    @property
    def logp(self) -> LogProbabilities:
        """Return the numbers from which states are drawn."""
        return make_log_probabilities(
            self.placed, self.assignment.unplaced, self.removed, self.pinned, self.assignment.survey.certainty
        )

    @property
    def coefficient(self) -> float:
        """Return the most probable friction, or the one that the user knows."""
        return self.assignment.friction.value if self.friction is None else sum(self.friction) / 2

    @property
    def cautious(self) -> float:
        """Return the friction that building is checked with: the lower end of the known range, or of the net's."""
        return max(self.assignment.friction.low, FRICTION_LEAST) if self.friction is None else self.friction.low

    @property
    def centres(self) -> Floats:
        """Return the centres (M, 3) of the blocks that are compared with simulated ones: those of the right size [m]."""
        return self.assignment.survey.position[self.assignment.placed.sum(axis=1) > 0]

    def make_rng(self, stream: str) -> np.random.Generator:
        return np.random.default_rng((self.config.seed, RNG_STREAMS[stream]))

    def weigh_moves(self, filled: Flags) -> list[WeighedPull]:
        """Weigh every pull of a tower with these slots filled, the probably fatal first; none of a block that stands."""
        net = self.assignment
        way = net.direction_certainty * np.array([np.cos(net.direction), np.sin(net.direction)])
        still = {net.structure.ids[slot] for slot in self.pinned[self.pinned != UNASSIGNED]}
        return weigh_pulls(net.structure.select(filled), net.failure, way, self.calibration.moves, still)

    def draw_friction(self, rng: np.random.Generator) -> float:
        """Draw a coefficient from the known range, or from the net's."""
        if self.friction is not None:
            return float(rng.uniform(*self.friction))
        range_of_net = self.assignment.friction
        drawn = rng.normal(range_of_net.value, (range_of_net.high - range_of_net.low) / 2 / NINE_IN_TEN)
        return float(np.clip(drawn, FRICTION_LEAST, KNOWN_FRICTION_MAX))


def pose_problem(
    assignment: Assignment, calibration: Calibration, friction: Friction | None, config: ReconstructionConfig, *, complete: bool
) -> Problem:
    """Join the answer of the net with blocks that are seen to stand: these are as certain as the survey is.

    What is more probably not there than there is no evidence, and left to the net like a block that fell.
    """
    if friction is not None and not 0 < friction.low <= friction.high <= KNOWN_FRICTION_MAX:
        raise InvalidInput(
            f"friction is {friction.low:g}..{friction.high:g}; both are above 0 and {KNOWN_FRICTION_MAX:g} at most, "
            "the smaller first"
        )
    sure = assignment.survey.certainty
    pinned = np.where(sure >= EVEN_ODDS, find_standing(assignment.survey, assignment.structure), UNASSIGNED)
    placed, removed = assignment.placed.copy(), assignment.removed.copy()
    for block in np.flatnonzero(pinned != UNASSIGNED):
        own = pinned[block]
        placed[:, own], placed[block] = 0.0, 0.0
        placed[block, own], removed[own] = sure[block], 1 - sure[block]
    return Problem(
        assignment=assignment, calibration=calibration, friction=friction, config=config, complete=complete, pinned=pinned,
        placed=placed, removed=removed,
    )  # fmt: skip
