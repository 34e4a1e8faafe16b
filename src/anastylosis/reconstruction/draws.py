"""Draws: complete standing states from what the assignment net says of blocks and slots one by one; and which can have stood.

The net gives probabilities of pairs. A state needs a joint draw: every block in one slot or in none, no slot with two. Gumbel
noise is added to the logarithms of the pairs, and the best complete assignment of the disturbed numbers is taken (perturb and
match; Papandreou and Yuille 2011). The scale of the noise is chosen on the validation split. Blocks that still stand are not
drawn; one of which that is not certain is missing from as many draws as it is not, and its slot with it.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import logit

from anastylosis.arrays import Flags, Floats, Integers, Vector
from anastylosis.assignment import UNASSIGNED
from anastylosis.mechanics import CENTRE, Interface, find_interfaces, solve_equilibrium
from anastylosis.structure import BLOCK_SIZE, BLOCKS_PER_COURSE, Structure, jenga_tower

EVEN_ODDS = 0.5  # more probable than not
PROBABILITY_MIN = 1e-4  # a probability that is taken for none: below this the net was never checked
NEVER_LOG = -1e6  # logarithm of what must not happen; finite, for the sake of the solver
AMISS_LOG = -1e3  # of what happens only where nothing else can: that a block which seemed to stand is not there


class TowerState(NamedTuple):
    """A complete proposal of how it stood."""

    slot: Integers  # (B,) of each surveyed block; UNASSIGNED: none
    filled: Flags  # (S,) slots that were filled, those of blocks that were not found too

    @property
    def outline(self) -> bytes:
        """Return a key that states with the same slots filled share: blocks are alike, so they are one tower."""
        return self.filled.tobytes()


class LogProbabilities(NamedTuple):
    """Logarithms of probabilities from which states are drawn, squared up so that blocks may stay alone and slots empty."""

    pairs: Floats  # (B + S, S + B) as in `match_blocks`
    blocks: int
    slots: int
    unseen: Floats  # (S,) that an empty-looking slot held a block that was not found
    pinned: Integers  # (B,) slots of blocks that still stand; UNASSIGNED: it fell
    certainty: Floats  # (B,) that it does; 1 where it fell


def make_log_probabilities(
    placed: Floats, unplaced: Floats, removed: Floats, pinned: Integers, certainty: Floats | None = None
) -> LogProbabilities:
    """Build the log probabilities of pairs from the net's probabilities: `placed` (B, S), `unplaced` (B,), `removed` (S,).

    `pinned` (B,): slots of blocks that still stand, or UNASSIGNED; `certainty` (B,): that they do (default: certain).
    """
    blocks, slots = placed.shape
    empty = np.clip(1 - placed.sum(axis=0), 0, 1)
    # what is more probably of the tower than not is, in every draw
    unplaced = np.where(unplaced < EVEN_ODDS, PROBABILITY_MIN, unplaced)
    pairs = np.full((blocks + slots, slots + blocks), NEVER_LOG)
    pairs[:blocks, :slots] = np.log(np.maximum(placed, PROBABILITY_MIN))
    pairs[:blocks, slots:][np.diag_indices(blocks)] = np.log(np.maximum(unplaced, PROBABILITY_MIN))
    pairs[blocks:, :slots][np.diag_indices(slots)] = np.log(np.maximum(empty, PROBABILITY_MIN))
    pairs[blocks:, slots:] = 0.0
    unfit = (placed.sum(axis=1) <= 0) & (pinned == UNASSIGNED)  # of another size: not even if a slot asks for it
    pairs[:blocks, :slots][unfit] = NEVER_LOG
    for block in np.flatnonzero(pinned != UNASSIGNED):
        own = pinned[block]
        pairs[block], pairs[:blocks, own], pairs[blocks + own, own] = NEVER_LOG, NEVER_LOG, NEVER_LOG
        pairs[block, own] = 0.0
    sure = np.where(pinned == UNASSIGNED, 1.0, 1.0 if certainty is None else certainty)
    for block in np.flatnonzero(sure < 1):
        pairs[block, slots + block] = pairs[blocks + pinned[block], pinned[block]] = AMISS_LOG
    unseen = np.clip(1 - removed / np.maximum(empty, PROBABILITY_MIN), 0, 1)
    return LogProbabilities(pairs, blocks, slots, unseen, pinned, sure)


def find_best(logp: LogProbabilities, *, unseen: bool = True) -> TowerState:
    """Return the most probable state that the rule of support allows.

    Without `unseen` every block was found; with it as many slots are empty as are to be expected, the most probable ones that
    support allows.
    """
    threshold = expect_empty(logp) if unseen else np.ones(logp.slots)
    return draw(logp, np.zeros_like(logp.pairs), threshold)


def expect_empty(logp: LogProbabilities) -> Floats:
    """Return thresholds (S,) by which, of the slots that no block goes to, as many are empty as their probabilities sum to.

    Those are the most probable ones, but for those without which a course could not bear what is above it.

    Slot by slot none may be more probably empty than not, and yet some were.
    """
    taken, _ = match(logp, logp.pairs, np.ones(logp.slots))
    left = np.setdiff1d(np.arange(logp.slots), taken)
    empty = 1 - logp.unseen
    expected, filled = float(empty[left].sum()), np.ones(logp.slots, bool)
    for slot in left[np.argsort(-empty[left], kind="stable")]:
        if (~filled).sum() >= round(expected):
            break
        filled[slot] = False
        if find_weak_course(filled) is not None:
            filled[slot] = True
            expected -= empty[slot]
    return np.where(filled, -1.0, 1.0)


def draw_states(logp: LogProbabilities, scale: float, rng: np.random.Generator, *, unseen: bool = True) -> Iterator[TowerState]:
    """Yield states without end; each by fresh noise of this scale. Without `unseen` every block was found."""
    doubts = rng.spawn(1)[0]
    while True:
        noise = scale * rng.gumbel(size=logp.pairs.shape)
        noise[logp.blocks :, logp.slots :] = 0.0  # what is left over pairs up at no price
        threshold = rng.random(logp.slots)
        amiss = np.flatnonzero(doubts.random(logp.blocks) >= logp.certainty)
        yield draw(logp, noise, threshold if unseen else np.ones(logp.slots), amiss)


def draw(logp: LogProbabilities, noise: Floats, threshold: Floats, amiss: Sequence[int] | Integers = ()) -> TowerState:
    """Return the best state under this noise in which every course bears what is above it, if there is one.

    Slots that stay empty held a block that was not found where that is more probable than the threshold (S,). `amiss`: blocks
    that seemed to stand and are not there.
    """
    disturbed = take_away(logp, logp.pairs + noise, amiss)
    slot, filled = match(logp, disturbed, threshold)
    for _ in range(logp.slots // BLOCKS_PER_COURSE):
        course = find_weak_course(filled)
        if course is None:
            break
        value, remedies = value_of(disturbed), list_remedies(course, filled)
        found = [force(logp, disturbed, slots) for slots in remedies]
        tries = [(value_of(forced), forced, threshold) for forced in found]
        tries += [(value + value_unseen(logp, threshold, slots), disturbed, lower(threshold, slots)) for slots in remedies]
        _, disturbed, threshold = max(tries, key=lambda each: each[0])
        slot, filled = match(logp, disturbed, threshold)
    return TowerState(slot, filled)


def take_away(logp: LogProbabilities, disturbed: Floats, amiss: Sequence[int] | Integers) -> Floats:
    """Remove these blocks, which seemed to stand, from the log probabilities, in place."""
    for block in amiss:
        own = logp.pinned[block]
        disturbed[block, own] = NEVER_LOG
        disturbed[block, logp.slots + block] = disturbed[logp.blocks + own, own] = 0.0
    return disturbed


def list_remedies(course: int, filled: Flags) -> list[Integers]:
    """List the slots of a weak course that would have to be filled: the middle one, or those at both sides."""
    first = BLOCKS_PER_COURSE * course
    sides = np.array([first + place for place in range(BLOCKS_PER_COURSE) if place != CENTRE])
    return [np.array([first + CENTRE]), sides[~filled[sides]]]


def force(logp: LogProbabilities, disturbed: Floats, slots: Integers) -> Floats:
    """Return the log probabilities with which found blocks must go to these slots."""
    forced = disturbed.copy()
    forced[logp.blocks + slots, slots] = NEVER_LOG
    return forced


def value_unseen(logp: LogProbabilities, threshold: Floats, slots: Integers) -> float:
    """Value a state by blocks that were not found and stood in these slots; below 0 where they were drawn as empty.

    A slot is filled where log-logp beat those of its threshold: the difference is on the scale of the disturbed numbers.
    """
    return float((logit(np.minimum(logp.unseen[slots], 1 - PROBABILITY_MIN)) - logit(threshold[slots])).sum())


def lower(threshold: Floats, slots: Integers) -> Floats:
    """Lower the thresholds of slots in which blocks stood that were not found."""
    lowered = threshold.copy()
    lowered[slots] = -1.0
    return lowered


def value_of(disturbed: Floats) -> float:
    """Sum the log probabilities of the best complete assignment."""
    return float(disturbed[linear_sum_assignment(-disturbed)].sum())


def match(logp: LogProbabilities, disturbed: Floats, threshold: Floats) -> tuple[Integers, Flags]:
    """Return the slots of blocks, (B,), and the filled slots, (S,), of the best complete assignment."""
    columns = linear_sum_assignment(-disturbed)[1][: logp.blocks]
    slot = np.where(columns < logp.slots, columns, UNASSIGNED).astype(np.int64)
    filled = logp.unseen > threshold
    filled[slot[slot != UNASSIGNED]] = True
    return slot, filled


def label_blocks(logp: LogProbabilities, filled: Flags) -> Integers:
    """Return the slots (B,) of blocks in the most probable state that fills no other slots than these, (S,)."""
    allowed = logp.pairs.copy()
    allowed[: logp.blocks, : logp.slots][:, ~filled] = NEVER_LOG
    columns = linear_sum_assignment(-allowed)[1][: logp.blocks]
    return np.where(columns < logp.slots, columns, UNASSIGNED).astype(np.int64)


def score_blocks(logp: LogProbabilities, slot: Integers) -> float:
    """Return the logarithm of the product of the probabilities of pairs, of blocks that stay alone and of slots that no block
    has."""
    rows = np.arange(logp.blocks)
    columns = np.where(slot == UNASSIGNED, logp.slots + rows, slot)
    empty = np.setdiff1d(np.arange(logp.slots), slot)
    return float(logp.pairs[rows, columns].sum() + logp.pairs[logp.blocks + empty, empty].sum())


def find_weak_course(filled: Flags) -> int | None:
    """Return the lowest course of a tower, (S,), that cannot bear what is above it; None: there is none.

    What is above a course has its centre of mass near the axis of the tower. Two blocks bear it, and so does the one in the
    middle; a single one at the side is 14.5 mm away from the axis at its nearest, and an empty course bears nothing.
    """
    courses = filled.reshape(-1, BLOCKS_PER_COURSE)
    loaded = np.flip(np.logical_or.accumulate(np.flip(courses.any(axis=1))))
    loaded = np.append(loaded[1:], False)  # something is above
    weak = loaded & (courses.sum(axis=1) < 2) & ~courses[:, CENTRE]
    return int(weak.argmax()) if weak.any() else None


def can_stand(filled: Flags, friction: float, block: Vector = BLOCK_SIZE) -> bool:
    """Decide whether forces exist that hold every block, of this size, of a tower whose blocks are where their slots are."""
    if not filled.any():
        return True
    if find_weak_course(filled) is not None:
        return False
    tower, faces = build_whole(len(filled) // BLOCKS_PER_COURSE, friction, block)
    return solve_equilibrium(tower.select(filled), Interface.keep_blocks(faces, filled)).stands


@lru_cache(maxsize=4)  # many towers of one height are asked about
def build_whole(layers: int, friction: float, block: Vector) -> tuple[Structure, tuple[Interface, ...]]:
    """Build a tower with every slot filled; return it, and where its blocks touch."""
    tower = jenga_tower(layers, size=block, friction=friction)
    return tower, find_interfaces(tower)
