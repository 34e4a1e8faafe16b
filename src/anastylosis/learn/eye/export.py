"""Export: the nets of the eye as .onnx files."""

import warnings
from io import BytesIO

import onnx
import torch
from torch import Tensor, nn

from anastylosis.learn.model_file import OPSET
from anastylosis.predict.eye.votes import RAY_CHANNELS
from anastylosis.predict.eye.window import ABOUT, CHANNELS, WINDOW

__all__ = ["export_finder", "export_fitter"]

EXAMPLE = 64  # [pixels] sides of the picture that the exporter follows through the net; any other works


def export_finder(net: nn.Module) -> onnx.ModelProto:
    """Pictures in, votes out."""
    sides = {0: "n", 2: "rows", 3: "columns"}
    return export(net, (torch.zeros(1, 3 + RAY_CHANNELS, EXAMPLE, EXAMPLE),), {"picture": sides}, {"votes": dict(sides)})


def export_fitter(net: nn.Module) -> onnx.ModelProto:
    """Windows and what is told beside in, what is said of them out."""
    example = (torch.zeros(1, CHANNELS, WINDOW, WINDOW), torch.zeros(1, ABOUT))
    return export(net, example, {"windows": {0: "n"}, "about": {0: "n"}}, {"said": {0: "n"}})


def export(
    net: nn.Module, example: tuple[Tensor, ...], inputs: dict[str, dict[int, str]], outputs: dict[str, dict[int, str]]
) -> onnx.ModelProto:
    file = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter: about itself
        torch.onnx.export(
            net.eval(), example, file,  # type: ignore[arg-type]  # of the older exporter, which takes files
            input_names=list(inputs), output_names=list(outputs), opset_version=OPSET, dynamic_axes=inputs | outputs,
            dynamo=False,
        )  # fmt: skip
    return onnx.load_from_string(file.getvalue())
