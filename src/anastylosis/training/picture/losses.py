"""Losses of the picture net: one term for each head, over what is known. Paper, Eq. (20), and the terms it does not have."""

import torch
from torch import Tensor
from torch.nn import functional

from anastylosis.training.picture.batches import PictureBatch
from anastylosis.training.picture.heads import PICTURE_HEADS, Head
from anastylosis.training.picture.net import Outputs
from anastylosis.training.picture.scale import Scale


def measure_losses(outputs: Outputs, batch: PictureBatch, scale: Scale) -> dict[str, Tensor]:
    """Return the mean loss of each head by name."""
    return {
        head.name: measure_loss(head, outputs[head.name], batch.truth[head.name], batch.slots, scale) for head in PICTURE_HEADS
    }


def measure_loss(head: Head, output: Tensor, wanted: Tensor, slots: Tensor, scale: Scale) -> Tensor:
    """Return the mean loss of one head, by its kind."""
    match head.kind:
        case "number":
            return functional.mse_loss(output, scale.reduce(head.name, wanted))
        case "slots":
            return slot_entropy(output, wanted, slots)
        case "layer":
            return layer_entropy(output, wanted)
        case "choice":
            return functional.cross_entropy(output, wanted)
        case "boxes":
            return box_loss(output, wanted, slots, scale)
        case "shifts":
            return mean_huber(output - scale.reduce("ways", wanted))


def slot_entropy(logits: Tensor, wanted: Tensor, slots: Tensor) -> Tensor:
    """Return the binary cross-entropy over the slots that towers had."""
    return functional.binary_cross_entropy_with_logits(logits[slots], wanted[slots].to(logits.dtype))


def layer_entropy(logits: Tensor, layer: Tensor) -> Tensor:
    """Return the cross-entropy over the layers that the model has; towers that gave way above are left out."""
    known = layer < logits.shape[1]
    total = functional.cross_entropy(logits[known], layer[known], reduction="sum")
    return total / known.sum().clamp(min=1)


def box_loss(boxes: Tensor, wanted: Tensor, slots: Tensor, scale: Scale) -> Tensor:
    """Return the loss of presence, place and size in the picture, and angle.

    The angle is compared as it is: a difference modulo the half turn would pull some angles towards the end of the tanh, which
    they can never cross.
    """
    presence = slot_entropy(boxes[:, :, 0], wanted[:, :, 0], slots)
    place = mean_huber(boxes[:, :, 1:5] - scale.reduce("boxes", wanted[:, :, 1:5]))
    return presence + place + mean_huber(boxes[:, :, 5] - wanted[:, :, 5])


def mean_huber(error: Tensor) -> Tensor:
    """Return the mean of squares where the error is known, not NaN; beyond 1 of distances, so one stray block counts little."""
    known = torch.isfinite(error)
    there = torch.where(known, error, 0.0)
    return 2 * functional.huber_loss(there, torch.zeros_like(there), reduction="sum") / known.sum().clamp(min=1)
