"""Export: the nets of the eye as .onnx files."""

import warnings
from io import BytesIO

import onnx
import torch
from torch import nn

from anastylosis.detection.card import FINDER, JUDGE, JURY, READER
from anastylosis.detection.close_up import CLOSE, COARSE, HEARD, SEEN
from anastylosis.detection.company import OTHER, OTHERS, OWN
from anastylosis.detection.evidence import TRAITS
from anastylosis.detection.votes import RAY_CHANNELS
from anastylosis.detection.window import ABOUT, CHANNELS, WINDOW
from anastylosis.training.model_file import OPSET

__all__ = ["export_eye"]

EXAMPLE = 64  # [pixels] sides of the picture that the exporter follows through the net; any other works
SIDES = {0: "n", 2: "rows", 3: "columns"}
Axes = dict[int, str]
# Of each kind: shapes of what goes in, what goes in, and what comes out, each with the axes that may have any length.
FORMS: dict[str, tuple[list[tuple[int, ...]], dict[str, Axes], dict[str, Axes]]] = {
    FINDER: ([(1, 3 + RAY_CHANNELS, EXAMPLE, EXAMPLE)], {"picture": SIDES}, {"votes": SIDES}),
    READER: ([(1, CHANNELS, *WINDOW), (1, ABOUT)], {"windows": {0: "n"}, "about": {0: "n"}}, {"odds": {0: "n"}}),
    JUDGE: (
        [(1, SEEN, *CLOSE), (1, HEARD, *COARSE), (1, len(TRAITS))],
        {"picture": {0: "n"}, "votes": {0: "n"}, "traits": {0: "n"}},
        {"judged": {0: "n"}},
    ),
    JURY: ([(1, OWN), (1, OTHERS, OTHER)], {"own": {0: "n"}, "others": {0: "n"}}, {"said": {0: "n"}}),
}


def export_eye(net: nn.Module, kind: str) -> onnx.ModelProto:
    """A net of this kind."""
    shapes, inputs, outputs = FORMS[kind]
    file = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter: about itself
        torch.onnx.export(
            net.eval(), tuple(torch.zeros(shape) for shape in shapes), file,  # type: ignore[arg-type]  # of the older one
            input_names=list(inputs), output_names=list(outputs), opset_version=OPSET, dynamic_axes=inputs | outputs,
            dynamo=False,
        )  # fmt: skip
    return onnx.load_from_string(file.getvalue())
