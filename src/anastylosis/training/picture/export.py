"""Export: a trained net as one .onnx file that answers in SI units, calibrated."""

import warnings
from collections.abc import Sequence
from io import BytesIO

import onnx
import torch
from torch import Tensor, nn

from anastylosis.training.model_file import INPUTS, OPSET
from anastylosis.training.picture.net import Outputs, PictureNet
from anastylosis.training.picture.scale import NUMBERS, Scale

__all__ = ["CalibratedPictureNet", "export_net"]


class CalibratedPictureNet(nn.Module):
    """A net with its scale and calibration: pictures in, the named answers of `Answers` out."""

    def __init__(self, net: PictureNet, scale: Scale, heads: Sequence[str], slope: float = 1.0, offset: float = 0.0) -> None:
        super().__init__()
        self.net, self.scale, self.heads, self.slope, self.offset = net, scale, tuple(heads), slope, offset

    def forward(self, picture: Tensor, friction: Tensor, layers: Tensor) -> tuple[Tensor, ...]:
        answers = self.answer(self.net(picture, friction, layers))
        return tuple(answers[name] for name in self.heads)

    def answer(self, raw: Outputs) -> dict[str, Tensor]:
        """Outputs in SI units and as probabilities."""
        boxes = raw.block_set
        parts = [boxes[:, :, :1].sigmoid(), self.scale.restore("boxes", boxes[:, :, 1:5]), boxes[:, :, 5:]]
        numbers = {name: self.scale.restore(name, getattr(raw, name)) for name in NUMBERS}
        return numbers | {
            "num_removed": numbers["num_removed"].clamp(min=0),
            "torque_risk": numbers["torque_risk"].clamp(min=0),
            "removed_locs": (self.slope * raw.removed_locs + self.offset).sigmoid(),
            "failure_layer": raw.failure_layer.softmax(1),
            "friction_level": raw.friction_level.softmax(1),
            "block_set": torch.cat(parts, 2),
            "displacement": self.scale.restore("ways", raw.displacement),
            "embedding": raw.embedding,
        }


def export_net(answering: CalibratedPictureNet, size: int, levels: int) -> onnx.ModelProto:
    """The net as a graph; the number of pictures is free."""
    answering = answering.cpu().eval()
    inputs = (torch.zeros(2, 1, size, size), torch.zeros(2, levels), torch.zeros(2))
    file = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter: about itself
        torch.onnx.export(
            answering, inputs, file,  # type: ignore[arg-type]  # of the older exporter, which takes files
            input_names=list(INPUTS), output_names=list(answering.heads), opset_version=OPSET,
            dynamic_axes={name: {0: "n"} for name in (*INPUTS, *answering.heads)}, dynamo=False,
        )  # fmt: skip
    return onnx.load_from_string(file.getvalue())
