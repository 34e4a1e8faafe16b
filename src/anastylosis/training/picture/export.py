"""Export of a trained picture net as one .onnx file that answers in SI units, calibrated."""

import warnings
from collections.abc import Sequence
from io import BytesIO

import onnx
import torch
from torch import Tensor, nn

from anastylosis.training.model_file import INPUTS, OPSET
from anastylosis.training.picture.heads import PICTURE_HEADS, Head
from anastylosis.training.picture.net import Outputs, PictureNet
from anastylosis.training.picture.scale import Scale

CALIBRATED = "removed_locs"  # the head whose logits are calibrated


class CalibratedPictureNet(nn.Module):
    """A net with its scale and calibration: pictures in, the fields of `Answers` out."""

    def __init__(self, net: PictureNet, scale: Scale, heads: Sequence[str], slope: float = 1.0, offset: float = 0.0) -> None:
        super().__init__()
        self.net, self.scale, self.heads, self.slope, self.offset = net, scale, tuple(heads), slope, offset

    def forward(self, picture: Tensor, friction: Tensor, layers: Tensor) -> tuple[Tensor, ...]:
        answers = self.answer(self.net(picture, friction, layers))
        return tuple(answers[name] for name in self.heads)

    def answer(self, raw: Outputs) -> dict[str, Tensor]:
        """Return outputs in SI units and as probabilities."""
        answers = {head.name: self.answer_head(head, raw[head.name]) for head in PICTURE_HEADS}
        return answers | {"embedding": raw["embedding"]}

    def answer_head(self, head: Head, raw: Tensor) -> Tensor:
        """Return the answer of one head, by its kind."""
        match head.kind:
            case "number":
                number = self.scale.restore(head.name, raw)
                return number if head.least is None else number.clamp(min=head.least)
            case "slots":
                return (self.slope * raw + self.offset).sigmoid() if head.name == CALIBRATED else raw.sigmoid()
            case "layer" | "choice":
                return raw.softmax(1)
            case "boxes":
                return torch.cat([raw[:, :, :1].sigmoid(), self.scale.restore("boxes", raw[:, :, 1:5]), raw[:, :, 5:]], 2)
            case "shifts":
                return self.scale.restore("ways", raw)


def export_net(answering: CalibratedPictureNet, size: int, levels: int) -> onnx.ModelProto:
    """Export the net as a graph; the number of pictures is free."""
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
