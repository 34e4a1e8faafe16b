"""Calibration of the assignment net on the validation split."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from scipy.optimize import minimize_scalar

from anastylosis.training.assignment.batches import SurveyBatch
from anastylosis.training.assignment.export import Sharpening
from anastylosis.training.assignment.losses import block_loss, removed_chance
from anastylosis.training.assignment.net import AssignmentNet
from anastylosis.training.calibration import fit_logits

SHARPEST = np.log(4.0)  # factors between a quarter and four are tried
TRIES = 16
TINY = 1e-7


def calibrate(net: AssignmentNet, batches: Sequence[SurveyBatch]) -> Sharpening:
    """Find the factor of the scores under which the blocks' true slots are most probable; then fit a logistic curve for empty
    slots.
    """
    net.eval()

    def loss(log_factor: float) -> float:
        with torch.no_grad():
            parts = [(block_loss(net(batch.sheet, float(np.exp(log_factor))), batch.answer.slot), batch) for batch in batches]
        counts = [float((batch.answer.slot >= -1).sum()) for _, batch in parts]
        return float(np.average([float(value) for value, _ in parts], weights=counts))

    factor = float(np.exp(find_least(loss)))
    logits, happened = [], []
    with torch.no_grad():
        for batch in batches:
            there = batch.sheet.slot_there > 0
            chance = removed_chance(net(batch.sheet, factor)).clamp(TINY, 1 - TINY)
            logits.append(torch.logit(chance)[there].numpy())
            happened.append(batch.answer.removed[there].numpy())
    slope, offset = fit_logits(np.concatenate(logits), np.concatenate(happened))
    return Sharpening(factor, slope, offset)


def find_least(loss: Callable[[float], float]) -> float:
    found = minimize_scalar(loss, bounds=(-SHARPEST, SHARPEST), method="bounded", options={"maxiter": TRIES, "xatol": 0.01})
    return float(found.x)
