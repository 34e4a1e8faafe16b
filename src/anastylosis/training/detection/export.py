"""Export of the detector's nets as .onnx files."""

import warnings
from io import BytesIO

import onnx
import torch
from torch import nn

from anastylosis.detection.nets import REFINER, RESCORER, SLOT_CLASSIFIER, VOTE_NET
from anastylosis.detection.refiner import CROP, EVIDENCE, IMAGE_CHANNELS, VOTE_CHANNELS, VOTE_CROP
from anastylosis.detection.rescorer import NEIGHBOUR_FEATURES, NEIGHBOURS_MAX, OWN_FEATURES
from anastylosis.detection.slot_classifier import SLOT_CHANNELS, SLOT_CROP, SLOT_FEATURES
from anastylosis.detection.votes import RAY_CHANNELS
from anastylosis.training.model_file import OPSET

EXAMPLE = 64  # [pixels] sides of the picture that the exporter follows through the net; any other works
SIDES = {0: "n", 2: "rows", 3: "columns"}
Axes = dict[int, str]
# Of each kind: shapes of what goes in, what goes in, and what comes out, each with the axes that may have any length.
FORMS: dict[str, tuple[list[tuple[int, ...]], dict[str, Axes], dict[str, Axes]]] = {
    VOTE_NET: ([(1, 3 + RAY_CHANNELS, EXAMPLE, EXAMPLE)], {"picture": SIDES}, {"votes": SIDES}),
    SLOT_CLASSIFIER: (
        [(1, SLOT_CHANNELS, *SLOT_CROP), (1, SLOT_FEATURES)],
        {"windows": {0: "n"}, "about": {0: "n"}},
        {"odds": {0: "n"}},
    ),
    REFINER: (
        [(1, IMAGE_CHANNELS, *CROP), (1, VOTE_CHANNELS, *VOTE_CROP), (1, len(EVIDENCE))],
        {"picture": {0: "n"}, "votes": {0: "n"}, "traits": {0: "n"}},
        {"judged": {0: "n"}},
    ),
    RESCORER: (
        [(1, OWN_FEATURES), (1, NEIGHBOURS_MAX, NEIGHBOUR_FEATURES)],
        {"own": {0: "n"}, "others": {0: "n"}},
        {"said": {0: "n"}},
    ),
}


def export_detector_net(net: nn.Module, kind: str) -> onnx.ModelProto:
    """Export a net of this kind as a graph."""
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
