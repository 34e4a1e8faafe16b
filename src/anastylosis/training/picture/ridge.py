"""Ridge regression on pixels: the model of a machine without PyTorch, and a baseline. Paper §9, fallback."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from anastylosis.arrays import Singles
from anastylosis.dataset import Pictures, Truth
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.models.answers import Answers, head_shapes
from anastylosis.models.picture import cover_pixels
from anastylosis.models.picture_model import write_picture_card
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.calibration import fit_logits
from anastylosis.training.model_file import INPUTS, OPSET, store_model
from anastylosis.training.picture.baselines import shrink
from anastylosis.training.picture.config import LAYERS_UNIT, PictureConfig
from anastylosis.training.picture.job import PictureJob, write_card_of

SIDE = 32  # pixels of the picture that it sees
PENALTIES = (1.0, 10.0, 100.0, 1000.0, 10000.0)  # tried on the validation split
FACTS_STRETCH = 10.0  # of what is told: one penalty for 1,024 pixels and five numbers would silence the five
SHARPNESS = 8.0  # of the softmax over scores that are near 0 and 1
RIDGE_HEADS = (  # those that it can answer
    "num_removed", "removed_locs", "imbalance", "torque_risk", "failure_layer", "friction_level", "block_set", "displacement",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Ridge:
    """Weights (features, outputs), offsets (outputs,); outputs are numbers, slots, layers, levels, boxes and shifts, in a row."""

    weights: Singles
    offsets: Singles
    slots: int
    slope: float = 1.0
    offset: float = 0.0

    def answer(self, features: Singles) -> Answers:
        """Return the answers that the file gives."""
        count, slots = len(features), self.slots
        numbers, removed, failure, level, boxes, ways = split_outputs(features @ self.weights + self.offsets, slots)
        chance = 1 / (1 + np.exp(-(self.slope * removed + self.offset)))
        boxes = np.concatenate([1 - chance[:, :, None], boxes.reshape(count, slots, 5)], axis=2)
        return Answers(
            num_removed=np.maximum(numbers[:, 0], 0), imbalance=numbers[:, 1], torque_risk=np.maximum(numbers[:, 2], 0),
            removed_locs=chance, failure_layer=soften(failure), friction_level=soften(level), block_set=boxes,
            displacement=ways.reshape(count, slots, 2),
        )  # fmt: skip


def split_outputs(outputs: Singles, slots: int) -> list[Singles]:
    """Split a row of outputs into its parts."""
    return np.split(outputs, np.cumsum(part_sizes(slots))[:-1], axis=1)


def part_sizes(slots: int) -> tuple[int, ...]:
    return 3, slots, slots // BLOCKS_PER_COURSE, len(FRICTION_LEVELS), 5 * slots, 2 * slots


def soften(scores: Singles) -> Singles:
    raised = np.exp(SHARPNESS * (scores - scores.max(axis=1, keepdims=True)))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def train_ridge(config: PictureConfig, job: PictureJob, out: Path) -> Ridge:
    """Fit, calibrate, and write `out`."""
    ridge = fit_ridge(job.train[0], job.val)
    answers = ridge.answer(build_features(job.val, with_facts=True))
    card = write_card_of("ridge", config, job, answers, RIDGE_HEADS, (ridge.slope, ridge.offset))
    graph, card = job.add_unlikeness(build_graph(ridge, config.pictures.size), card)
    store_model(out, graph, write_picture_card(card))
    return ridge


def fit_ridge(train: Pictures, val: Pictures) -> Ridge:
    """Fit for each output the penalty that answers the validation split best; slots are calibrated there.

    Friction and height are told with half of the pictures.
    """
    from sklearn.linear_model import Ridge as Regression

    x = np.concatenate([build_features(train, with_facts=with_facts) for with_facts in (True, False)])
    stretch = np.ones(x.shape[1], np.float32)
    stretch[SIDE * SIDE :] = FACTS_STRETCH
    wanted = build_targets(train.truth, train.truth)
    judged = build_targets(val.truth, train.truth)
    seen, slots = build_features(val, with_facts=True), train.truth.slots.shape[1]
    levels = slice(*np.cumsum(part_sizes(slots))[2:4])
    tried = []
    for penalty in PENALTIES:
        fitted = Regression(alpha=penalty).fit(x * stretch, np.concatenate([wanted, wanted]))
        weights, offsets = (fitted.coef_ * stretch).T.astype(np.float32), fitted.intercept_.astype(np.float32)
        blind = Regression(alpha=penalty).fit(x[len(train) :], wanted[:, levels])  # or it would say the level that it was told
        weights[:, levels], offsets[levels] = blind.coef_.T, blind.intercept_
        tried.append((weights, offsets, ((seen @ weights + offsets - judged) ** 2).mean(axis=0)))
    best = np.argmin([error for _, _, error in tried], axis=0)  # (outputs,) which penalty
    outputs = np.arange(len(best))
    weights = np.stack([each for each, _, _ in tried])[best, :, outputs].T
    offsets = np.stack([each for _, each, _ in tried])[best, outputs]
    ridge = Ridge(np.ascontiguousarray(weights), offsets, slots)
    scores = split_outputs(seen @ ridge.weights + ridge.offsets, ridge.slots)[1]
    slope, offset = fit_logits(scores[val.truth.slots], val.truth.removed_locs[val.truth.slots])
    return replace(ridge, slope=slope, offset=offset)


def build_features(pictures: Pictures, *, with_facts: bool) -> Singles:
    """Return (N, D) small pictures, and friction and height if they are told."""
    return join_features(
        pictures.grey, pictures.truth.friction_level, pictures.truth.slots.sum(axis=1) / BLOCKS_PER_COURSE, with_facts=with_facts
    )


def join_features(grey: NDArray[np.uint8], level: NDArray[np.int64], layers: NDArray[Any], *, with_facts: bool) -> Singles:
    side = np.column_stack([np.eye(len(FRICTION_LEVELS))[level], layers / LAYERS_UNIT, np.ones(len(layers))])
    return np.concatenate([shrink(grey, SIDE), with_facts * side], axis=1).astype(np.float32)


def build_targets(truth: Truth, train: Truth) -> Singles:
    """Return (N, outputs) all targets in a row; what is not known is the mean of the training split."""
    count = len(truth.num_removed)
    numbers = np.stack([truth.num_removed, truth.imbalance, truth.torque_risk], axis=1)
    layers = np.eye(truth.slots.shape[1] // BLOCKS_PER_COURSE + 1)[
        np.minimum(truth.failure_layer, truth.slots.shape[1] // BLOCKS_PER_COURSE)
    ][:, :-1]
    levels = np.eye(len(FRICTION_LEVELS))[truth.friction_level]
    slots = fill_gaps(hide(truth.removed_locs, truth.slots), hide(train.removed_locs, train.slots))
    boxes, ways = (fill_gaps(mine, theirs) for mine, theirs in (
        (truth.block_set[:, :, 1:], train.block_set[:, :, 1:]), (truth.displacement, train.displacement)
    ))  # fmt: skip
    parts: Sequence[NDArray[np.floating]] = (numbers, slots, layers, levels, boxes.reshape(count, -1), ways.reshape(count, -1))
    return np.concatenate(parts, axis=1).astype(np.float32)


def hide(values: NDArray[np.bool_], known: NDArray[np.bool_]) -> Singles:
    return np.where(known, values, np.nan).astype(np.float32)


def fill_gaps(values: Singles, train: Singles) -> Singles:
    """Replace NaN by the mean of the training split, or by 0 where that has none."""
    there = np.isfinite(train)
    mean = np.where(there, train, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return np.where(np.isfinite(values), values, mean)


def build_graph(ridge: Ridge, size: int) -> onnx.ModelProto:
    """Return the regression as a graph, from the picture as every model takes it."""
    slots, levels, cover = ridge.slots, len(FRICTION_LEVELS), cover_pixels(size, SIDE)
    constants = {
        "cover": cover, "cover_across": cover.T.copy(),
        "weights": ridge.weights, "offsets": ridge.offsets, "unit": np.float32(LAYERS_UNIT),
        "zero": np.float32(0), "one": np.float32(1),
        "slope": np.float32(ridge.slope), "offset": np.float32(ridge.offset), "sharpness": np.float32(SHARPNESS),
        "sizes": np.array(part_sizes(slots)), "units": np.array([1, 1, 1]), "last": np.array([1]), "deep": np.array([2]),
        "boxes_shape": np.array([-1, slots, 5]), "ways_shape": np.array([-1, slots, 2]),
    }  # fmt: skip
    steps: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        ("MatMul", "cover picture", "strips", {}),
        ("MatMul", "strips cover_across", "small", {}),
        ("Flatten", "small", "pixels", {}),
        ("Unsqueeze", "layers last", "column", {}),
        ("Div", "column unit", "height", {}),
        ("Greater", "column zero", "above", {}),
        ("Cast", "above", "known", {"to": TensorProto.FLOAT}),
        ("Concat", "pixels friction height known", "features", {"axis": 1}),
        ("MatMul", "features weights", "product", {}),
        ("Add", "product offsets", "outputs", {}),
        ("Split", "outputs sizes", "numbers slots failure level boxes ways", {"axis": 1}),
        ("Split", "numbers units", "count tilt torque", {"axis": 1}),
        ("Squeeze", "count last", "count_flat", {}),
        ("Relu", "count_flat", "num_removed", {}),
        ("Squeeze", "tilt last", "imbalance", {}),
        ("Squeeze", "torque last", "torque_flat", {}),
        ("Relu", "torque_flat", "torque_risk", {}),
        ("Mul", "slots slope", "sloped", {}),
        ("Add", "sloped offset", "logits", {}),
        ("Sigmoid", "logits", "removed_locs", {}),
        ("Mul", "failure sharpness", "failure_logits", {}),
        ("Softmax", "failure_logits", "failure_layer", {"axis": 1}),
        ("Mul", "level sharpness", "level_logits", {}),
        ("Softmax", "level_logits", "friction_level", {"axis": 1}),
        ("Sub", "one removed_locs", "present", {}),
        ("Unsqueeze", "present deep", "presence", {}),
        ("Reshape", "boxes boxes_shape", "geometry", {}),
        ("Concat", "presence geometry", "block_set", {"axis": 2}),
        ("Reshape", "ways ways_shape", "displacement", {}),
    )
    shapes = head_shapes(slots // BLOCKS_PER_COURSE, levels)
    inputs = dict(zip(INPUTS, ((1, size, size), (levels,), ()), strict=True))
    graph = helper.make_graph(
        [helper.make_node(kind, given.split(), made.split(), **settings) for kind, given, made, settings in steps],
        "ridge",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shape]) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shapes[name]]) for name in RIDGE_HEADS],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    return model
