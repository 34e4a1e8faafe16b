"""Export of a trained assignment net as one .onnx file that answers in probabilities and SI units, calibrated."""

import warnings
from io import BytesIO
from typing import NamedTuple

import onnx
import torch
from torch import Tensor, nn

from anastylosis.assignment.model import AssignmentInput, AssignmentOutput
from anastylosis.training.assignment.losses import removed_chance
from anastylosis.training.assignment.net import FRICTION_MIDDLE, FRICTION_UNIT, AssignmentNet, SheetTensors
from anastylosis.training.model_file import OPSET

TINY = 1e-7  # probabilities are kept this far from 0 and 1


class Sharpening(NamedTuple):
    """Numbers that calibration sets."""

    pairs: float = 1.0  # factor of the scores of pairs
    slope: float = 1.0  # of the log logit of removed slots
    offset: float = 0.0


class CalibratedAssignmentNet(nn.Module):
    """A net with its calibration: surveys in, `Findings` out."""

    def __init__(self, net: AssignmentNet, sharpening: Sharpening) -> None:
        super().__init__()
        self.net, self.sharpening = net, sharpening

    def forward(self, *sheet: Tensor) -> tuple[Tensor, ...]:
        logits = self.net(SheetTensors._make(sheet), self.sharpening.pairs)
        there = SheetTensors._make(sheet).slot_there
        logit = torch.logit(removed_chance(logits).clamp(TINY, 1 - TINY))
        return (
            logits.pairs.exp() * SheetTensors._make(sheet).block_there[:, :, None] * there[:, None],
            logits.unplaced.exp(),
            logits.empty.exp(),
            (self.sharpening.slope * logit + self.sharpening.offset).sigmoid() * there,
            logits.failure.softmax(1),
            logits.courses.softmax(1),
            FRICTION_MIDDLE + FRICTION_UNIT * logits.friction,
            logits.direction,
        )


def export_assignment_net(answering: CalibratedAssignmentNet, example: SheetTensors) -> onnx.ModelProto:
    """Export the net as a graph; numbers of surveys, blocks and slots are free."""
    answering = answering.cpu().eval()
    sides = {"block": {0: "n", 1: "blocks"}, "slot_": {0: "n", 1: "slots"}, "told_": {0: "n"}}
    axes = {name: sides[name[:5]] for name in AssignmentInput._fields}
    axes |= {name: {0: "n"} for name in ("courses", "friction", "direction")}
    axes |= {"placed": {0: "n", 1: "blocks", 2: "slots"}, "unplaced": {0: "n", 1: "blocks"}}
    axes |= {name: {0: "n", 1: "slots"} for name in ("empty", "removed", "failure")}
    file = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter: about itself
        torch.onnx.export(
            answering, tuple(example), file,  # type: ignore[arg-type]  # of the older exporter, which takes files
            input_names=list(AssignmentInput._fields), output_names=list(AssignmentOutput._fields),
            opset_version=OPSET, dynamic_axes=axes, dynamo=False,
        )  # fmt: skip
    return onnx.load_from_string(file.getvalue())
