"""Scores of assignments: answers beside the truth, episode by episode, each number with its interval.

Blocks that still stand are easy, so slots are scored over blocks that fell. Empty slots are scored as for pictures: over all
slots, over standing and collapsed layers apart, and inside each episode.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Flags, Floats, Integers
from anastylosis.assignment.assignment import RANKED, REMOVED, match_blocks
from anastylosis.assignment.model import AssignmentOutput
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.assignment.batches import FILL, UNTELLABLE, SurveyBatch
from anastylosis.validation import Measure, Score


class SurveyTruth(NamedTuple):
    """The truth of N surveys; B blocks, S slots."""

    slots: Flags  # (N, S) the tower had this slot
    removed_locs: Flags  # (N, S)
    num_removed: Floats  # (N,)
    failure_layer: Integers  # (N,)
    friction: Floats  # (N,)
    courses: Integers  # (N,) more than the blocks would just fill; UNTELLABLE where they fill more
    direction: Floats  # (N, 2) of the fall
    slot: Integers  # (N, B) in which each block stood; FOREIGN or FILL
    fell: Flags  # (N, B)

    @property
    def collapsed(self) -> Flags:
        """Return (N, S) slots at or above the lowest layer that gave way."""
        layer = np.arange(self.slots.shape[1]) // BLOCKS_PER_COURSE
        return self.slots & (layer >= self.failure_layer[:, None])


class SurveyAnswers(NamedTuple):
    """Answers to N surveys, with the truth."""

    truth: SurveyTruth
    ranked: Integers  # (N, B, RANKED) slots of each block, the most probable first; -1 where there are not as many
    sure: Floats  # (N, B) probability of the first
    unplaced: Floats  # (N, B) probability that it stood in none
    matched: Integers  # (N, B) slot of the best complete assignment
    matched_probability: Floats  # (N, B) probability of that
    removed: Floats  # (N, S) probability
    num_removed: Floats  # (N,)
    failure: Floats  # (N, S / 3) probability
    friction: Floats  # (N,)
    courses: Integers  # (N,) more than the blocks would just fill
    direction: Floats  # (N, 2)

    @property
    def missing(self) -> Integers:
        """Return (N,) how many slots have no block of the survey."""
        return self.truth.slots.sum(axis=1) - (self.truth.slot != FILL).sum(axis=1)

    @classmethod
    def of(cls, batch: SurveyBatch, found: AssignmentOutput) -> "SurveyAnswers":
        """Build the answers to one batch from the outputs of a net."""
        sheet, answer = batch.sheet, batch.answer
        slots = sheet.slot_there.numpy() > 0
        removed = answer.removed.numpy()
        truth = SurveyTruth(
            slots=slots, removed_locs=removed, num_removed=removed.sum(axis=1).astype(float),
            failure_layer=answer.failure.numpy(), friction=answer.friction.numpy().astype(float),
            courses=answer.courses.numpy(), direction=answer.direction.numpy().astype(float), slot=answer.slot.numpy(),
            fell=answer.fell.numpy(),
        )  # fmt: skip
        ranked = rank(found.placed)
        blocks, columns = (sheet.block_there.numpy() > 0).sum(axis=1), slots.sum(axis=1)
        matched = np.full(truth.slot.shape, FILL)
        for row, (block, slot) in enumerate(zip(blocks, columns, strict=True)):
            parts = found.placed[row, :block, :slot], found.unplaced[row, :block], found.empty[row, :slot]
            matched[row, :block] = match_blocks(*parts)
        return cls(
            truth=truth,
            ranked=ranked,
            sure=np.take_along_axis(found.placed, ranked[..., :1], axis=2)[..., 0].astype(float),
            unplaced=found.unplaced.astype(float),
            matched=matched,
            matched_probability=np.take_along_axis(found.placed, np.maximum(matched, 0)[..., None], axis=2)[..., 0].astype(float),
            removed=found.removed.astype(float),
            num_removed=found.removed.sum(axis=1).astype(float),
            failure=found.failure.reshape(len(slots), -1, BLOCKS_PER_COURSE).sum(axis=2).astype(float),
            friction=found.friction.astype(float),
            courses=found.courses.argmax(axis=1),
            direction=found.direction.astype(float),
        )


def rank(placed: NDArray[np.floating]) -> Integers:
    """Return (N, B, RANKED) the best slots of each block."""
    best = np.argsort(-placed, axis=2, kind="stable")[..., :RANKED]
    return np.pad(best, ((0, 0), (0, 0), (0, RANKED - best.shape[2])), constant_values=-1)


def join_answers(several: Sequence[SurveyAnswers]) -> SurveyAnswers:
    """Join answers; towers of all heights share the slots from the floor up."""
    truths = [answers.truth for answers in several]
    blocks, slots = max(truth.slot.shape[1] for truth in truths), max(truth.slots.shape[1] for truth in truths)
    widths = dict.fromkeys(("slots", "removed_locs", "removed"), slots) | {"failure": slots // BLOCKS_PER_COURSE}
    widths |= dict.fromkeys(("slot", "fell", "ranked", "sure", "unplaced", "matched", "matched_probability"), blocks)
    truth = SurveyTruth(**{name: stack([getattr(one, name) for one in truths], widths.get(name)) for name in SurveyTruth._fields})
    names = [name for name in SurveyAnswers._fields if name != "truth"]
    return SurveyAnswers(truth, **{name: stack([getattr(one, name) for one in several], widths.get(name)) for name in names})


def stack(parts: Sequence[NDArray[Any]], width: int | None) -> NDArray[Any]:
    """Stack the rows of all parts; shorter ones are padded."""
    if width is None:
        return np.concatenate(parts)
    filling = {"i": FILL, "b": False, "f": 0.0}
    padded = []
    for part in parts:
        behind = [(0, 0), (0, width - part.shape[1]), *[(0, 0)] * (part.ndim - 2)]
        padded.append(np.pad(part, behind, constant_values=filling[part.dtype.kind]))
    return np.concatenate(padded)


def measure_answers(answers: SurveyAnswers) -> dict[str, dict[str, Measure]]:
    """Return every metric by head."""
    truth = answers.truth
    own, fell = truth.slot >= 0, (truth.slot >= 0) & truth.fell
    hit = answers.ranked[..., 0] == truth.slot
    layers_off = np.abs(answers.ranked[..., 0] // BLOCKS_PER_COURSE - truth.slot // BLOCKS_PER_COURSE)
    foreign = truth.slot == -1
    predicted_removed = answers.removed >= REMOVED
    right = ((predicted_removed == truth.removed_locs) | ~truth.slots).all(axis=1)
    placed = {
        "top1": Measure.mean(hit, fell),
        "top5": Measure.mean((answers.ranked == truth.slot[..., None]).any(axis=2), fell),
        "layer_error": Measure.mean(layers_off, fell),
        "said": Measure.mean(answers.sure, fell),
        "standing": Measure.mean(hit, own & ~truth.fell),
        "top1_all": Measure.mean(hit, own),
        "complete": Measure.mean(answers.matched == truth.slot, fell),
        "ece": Measure.calibration(hit, answers.sure, own),
        "ece_given": Measure.calibration(answers.matched == truth.slot, answers.matched_probability, answers.matched >= 0),
        "ece_fell": Measure.calibration(hit, answers.sure, fell),
        "own_left_out": Measure.mean(answers.matched < 0, own),
        "whole": Measure.mean((~own | (answers.matched == truth.slot)).all(axis=1)),
    }
    if foreign.any():
        placed["foreign_found"] = Measure.mean(answers.matched < 0, foreign)
    return {
        "placed": placed,
        "removed_locs": Measure.removed_locs(truth, answers.removed) | {"whole_set": Measure.mean(right)},
        "num_removed": Measure.num_removed(truth, answers.num_removed),
        "failure_layer": Measure.failure_layer(truth, answers.failure),
        "friction": {"mae": Measure.mean(np.abs(answers.friction - truth.friction))},
        "courses": {"top1": Measure.mean(answers.courses == truth.courses), "mae": measure_courses(answers)},
        "direction": {"mae_degrees": Measure.mean(turn_between(answers.direction, truth.direction))},
    }


def measure_courses(answers: SurveyAnswers) -> Measure:
    """Measure by how many courses the height is off, from the blocks alone; cases with more blocks than the tower had are left
    out.
    """
    counted = answers.truth.courses != UNTELLABLE
    return Measure.mean(np.abs(answers.courses - answers.truth.courses), counted)


def turn_between(one: Floats, other: Floats) -> Floats:
    """Return (N,) angles between two directions [degrees]."""
    angle = np.arctan2(one[:, 1], one[:, 0]) - np.arctan2(other[:, 1], other[:, 0])
    return np.degrees(np.abs((angle + np.pi) % (2 * np.pi) - np.pi))


def score_answers(answers: SurveyAnswers, *, resamples: int = 1000, seed: int = 0) -> list[Score]:
    """Score every metric of every head, with 95 % intervals over episodes."""
    draws = Measure.draw_episodes(len(answers.truth.slots), resamples, seed)
    return [
        measure.score(head, metric, draws)
        for head, metrics in measure_answers(answers).items()
        for metric, measure in metrics.items()
    ]
