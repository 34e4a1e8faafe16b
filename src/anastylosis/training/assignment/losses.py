"""Losses of the assignment net: one term for each answer."""

import torch
from torch import Tensor
from torch.nn import functional

from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.assignment.batches import FOREIGN, UNTELLABLE, SurveyBatch
from anastylosis.training.assignment.net import FRICTION_MIDDLE, FRICTION_UNIT, Logits

CERTAIN = 1 - 1e-6  # a probability that is taken for 1


def measure_losses(logits: Logits, batch: SurveyBatch) -> dict[str, Tensor]:
    """Return the mean loss of each answer; names are those of `AssignmentLossWeights`."""
    answer, slots = batch.answer, batch.sheet.slot_there > 0
    removed = removed_chance(logits).clamp(1 - CERTAIN, CERTAIN)[slots]
    return {
        "blocks": block_loss(logits, answer.slot),
        "slots": -(logits.empty * (slots & ~answer.found)).sum() / slots.sum(),
        "removed": functional.binary_cross_entropy(removed, answer.removed[slots].to(removed.dtype)),
        "failure": functional.cross_entropy(gather_courses(logits.failure), answer.failure),
        "courses": functional.cross_entropy(logits.courses, answer.courses, ignore_index=UNTELLABLE, reduction="sum")
        / (answer.courses != UNTELLABLE).sum().clamp(min=1),
        "friction": functional.mse_loss(logits.friction, (answer.friction - FRICTION_MIDDLE) / FRICTION_UNIT),
        "direction": functional.mse_loss(logits.direction, answer.direction),
    }


def block_loss(logits: Logits, slot: Tensor) -> Tensor:
    """Return minus the mean log probability of each block's true slot, or of none."""
    placed = logits.pairs.gather(2, slot.clamp(min=0)[..., None])[..., 0]
    there = slot >= FOREIGN
    logit = torch.where(slot >= 0, placed, logits.unplaced)
    return -torch.where(there, logit, 0.0).sum() / there.sum()


def removed_chance(logits: Logits) -> Tensor:
    """Return (N, S) the probability that a slot was empty before the fall: no block stood there, of the survey or any other."""
    return logits.empty.exp() * logits.removed.sigmoid()


def gather_courses(failure: Tensor) -> Tensor:
    """Return (N, courses) logits of courses from those of their slots."""
    return failure.unflatten(1, (-1, BLOCKS_PER_COURSE)).logsumexp(2)
