"""Models that tests read: small, real `.onnx` files whose answers are known, with a card like those that training writes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS, head_shapes
from anastylosis.models.card import CARD_KEY, HISTORY_KEY
from anastylosis.models.picture_model import PictureCalibration, PictureCard, PictureModel, PictureView, write_picture_card
from anastylosis.models.unlikeness import OUTPUT, Unlikeness
from anastylosis.structure.tower import BLOCKS_PER_COURSE

FRICTIONS = {"low": 0.25, "nominal": 0.4, "high": 0.6}
HALF_WIDTH = {"num_removed": 2.5, "imbalance": 0.004, "torque_risk": 1.5}
SQUARES = (0.04, 1.0)  # of the unlikeness: distances of 0.2 and 1, so scores of 0.4 and 0.5
DIMENSIONS = {"embedding": 8}


def make_card(layers: int = 6, size: int = 32, heads: Sequence[str] = HEADS[:6], **changes: Any) -> PictureCard:
    """A card of a model that was never trained; `changes` are other fields of it."""
    frictions = changes.get("frictions", FRICTIONS)
    prior = {
        "removed_locs": np.linspace(0.1, 0.3, BLOCKS_PER_COURSE * layers).tolist(),
        "num_removed": {"mean": 5.0, "low": 1.0, "high": 12.0},
        "imbalance": {"mean": -0.008, "low": -0.02, "high": 0.001},
        "torque_risk": {"mean": 2.0, "low": 0.0, "high": 6.0},
        "failure_layer": [1 / layers] * layers,
        "friction_level": [1 / len(frictions)] * len(frictions),
    }
    fields: dict[str, Any] = {
        "kind": "picture_net",
        "preset": "of-tests",
        "size": size,
        "layers": layers,
        "frictions": dict(frictions),
        "heads": tuple(heads),
        "view": PictureView(elevation=0.384, azimuth=0.611, field_of_view=0.559, reach=0.6, layers=18),
        "config": {},
        "dataset": {"episodes": {"train": 100, "val": 10}},
        "prior": prior,
        "calibration": PictureCalibration(slope=1.0, offset=0.0, half_width=dict(HALF_WIDTH), examples=100),
        "metrics": {},
        "unlikeness": Unlikeness(parts=("maps", "layout"), limits=(0.5, 2.0), share=0.99, examples=100),
        "version": "0.1.0",
    }
    return PictureCard(**(fields | changes))


def known_answers(card: PictureCard) -> dict[str, np.ndarray]:
    """What such a model says about every picture, head by head, without the axis of pictures."""
    slots, levels = BLOCKS_PER_COURSE * card.layers, len(card.frictions)
    shares, chances = np.arange(1, card.layers + 1), np.arange(1, levels + 1)
    answers = {
        "num_removed": np.float32(4.0),
        "removed_locs": np.linspace(0.05, 0.95, slots),
        "imbalance": np.float32(-0.006),
        "torque_risk": np.float32(1.0),
        "failure_layer": shares / shares.sum(),
        "friction_level": chances / chances.sum(),
        "block_set": np.full((slots, 6), 0.5),
        "displacement": np.full((slots, 2), 0.1),
        "embedding": np.arange(DIMENSIONS["embedding"]),
    }
    shapes = head_shapes(card.layers, levels)
    return {head: np.asarray(answers[head] if head in answers else np.zeros(shapes[head]), np.float32) for head in card.heads}


def build_model(
    card: PictureCard,
    answers: Mapping[str, Any] | None = None,
    *,
    brightness: float = 0.0,
    pull: Sequence[float] | None = None,
    lift: float | None = None,
    text: str | None = None,
    kernels: Any = None,
    history: str | None = None,
) -> onnx.ModelProto:
    """The graph of a model that gives `answers` (`known_answers` where it is silent) about every picture.

    To `num_removed` it adds `brightness` times the mean of the picture, 0..1, and `pull` (F,) times the friction. With `lift` it
    has a third input, the height of the tower, and adds `lift` times that. `text` is written in place of the card; "" for no
    card at all. With `kernels` (8, 1, h, w) the embedding is what they see in the picture, on average, and `history` is what the
    file says of a training.
    """
    levels = len(card.frictions)
    given = known_answers(card) | ({} if card.unlikeness is None else {OUTPUT: np.float32(SQUARES)})
    given |= {head: np.asarray(value, np.float32) for head, value in (answers or {}).items()}
    weights = {
        "brightness": np.float32(brightness),
        "pull": np.asarray(pull or [0.0] * levels, np.float32),
        "nothing": np.float32(0.0),
        "axis": np.array([1], np.int64),
    }
    nodes = [
        helper.make_node("ReduceMean", ["picture"], ["mean"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Mul", ["mean", "brightness"], ["light"]),
        helper.make_node("MatMul", ["friction", "pull"], ["drag"]),
        helper.make_node("Add", ["light", "drag"], ["seen"]),
        helper.make_node("Mul", ["mean", "nothing"], ["zero"]),
    ]
    inputs = [
        helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["N", 1, card.size, card.size]),
        helper.make_tensor_value_info("friction", TensorProto.FLOAT, ["N", levels]),
    ]
    if lift is not None:
        weights["lift"] = np.float32(lift)
        nodes[3].output[0] = "seen_level"
        nodes += [
            helper.make_node("Mul", ["layers", "lift"], ["rise"]),
            helper.make_node("Add", ["seen_level", "rise"], ["seen"]),
        ]
        inputs.append(helper.make_tensor_value_info("layers", TensorProto.FLOAT, ["N"]))
    outputs = []
    for head, value in given.items():
        weights[f"{head}_known"] = value[None]
        base = "seen" if head == "num_removed" else "zero"
        if value.ndim:
            weights[f"{head}_axes"] = np.arange(1, value.ndim + 1, dtype=np.int64)
            nodes.append(helper.make_node("Unsqueeze", ["zero", f"{head}_axes"], [f"{head}_zero"]))
            base = f"{head}_zero"
        nodes.append(helper.make_node("Add", [f"{head}_known", base], [head]))
        outputs.append(helper.make_tensor_value_info(head, TensorProto.FLOAT, ["N", *value.shape]))
    if kernels is not None:
        weights["kernels"] = np.asarray(kernels, np.float32)
        nodes = [node for node in nodes if node.output != ["embedding"]]
        nodes += [
            helper.make_node("Conv", ["picture", "kernels"], ["maps"]),
            helper.make_node("Relu", ["maps"], ["lit"]),
            helper.make_node("ReduceMean", ["lit"], ["embedding"], axes=[2, 3], keepdims=0),
        ]
    initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "known answers", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    notes = {} if text == "" else {CARD_KEY: text or write_picture_card(card)}
    helper.set_model_props(model, notes | ({} if history is None else {HISTORY_KEY: history}))
    return model


def write_model(
    path: Path,
    layers: int = 6,
    size: int = 32,
    heads: Sequence[str] = HEADS[:6],
    answers: Mapping[str, Any] | None = None,
    *,
    card: PictureCard | None = None,
    **options: Any,
) -> PictureCard:
    """Write a model file; its card, which is made from the first arguments if it is not given. Options: `build_model`."""
    card = card or make_card(layers, size, heads)
    path.write_bytes(build_model(card, answers, **options).SerializeToString())
    return card


def refuse(path: Path, message: str) -> None:
    """See that a model file is refused with these words, and named."""
    with pytest.raises(InvalidInput, match=message) as refused:
        PictureModel.from_file(path)
    assert str(path) in str(refused.value)
