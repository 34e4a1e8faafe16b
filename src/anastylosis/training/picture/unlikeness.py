"""Fit of the score of unlikeness: what is a known picture, and how far from all known ones is too far. Runs without PyTorch.

A Gaussian of each part's features is fitted on pictures of the training split. Its whitening goes into the model file, so that
the file measures the distance itself. Lee et al. (2018), with one class, since there are no classes here.

- maps: mean of each channel of the feature maps of all stages. They tell textures and shades that the net has never seen.
- layout: the picture at 16 x 16 pixels. It tells where light and dark can be; a turned or cropped picture has them elsewhere.

The validation split, in all looks of the training, tells the limits: 99 in 100 of its pictures have a score below 1.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from anastylosis.arrays import Floats, Reals, Singles
from anastylosis.models.onnx_model import open_session, run_session
from anastylosis.models.picture import cover_pixels
from anastylosis.models.unlikeness import OUTPUT, Unlikeness

SHARE = 0.99  # of the known pictures that have a score below 1
# Share of the known pictures that each part alone accepts, before the limits of all are moved together. The layout accepts more:
# a few known pictures lie far out in it, and the maps notice more kinds of strange ones.
PART_SHARES: Mapping[str, float] = {"maps": 0.99, "layout": 0.995}
RIDGES: Mapping[str, float] = {"maps": 0.3, "layout": 1e-4}  # added to the variances of standardised features
SIDE = 16  # pixels of the layout
SPREAD_MIN = 1e-3  # least deviation of a feature: a quarter of a grey level, for pixels that never change in training
PICTURES_MAX = 6000  # that a Gaussian is fitted on
STAGES = ("Relu", *(f"layer{stage}/layer{stage}.1/Relu_1" for stage in range(1, 5)))
MAPS = tuple(f"/net/trunk/{stage}_output_0" for stage in STAGES)  # tensors of an exported net: what each stage of the trunk gives
BATCH = 64  # pictures at once
OWN = "unlikeness/"  # begins the names of the tensors that are added


class Gaussian(NamedTuple):
    """Features of known pictures: their mean (D,), and what turns deviations from it into (D,) of variance 1."""

    mean: Floats
    whitening: Floats  # (D, D)


def add_unlikeness(
    model: onnx.ModelProto, known: Sequence[NDArray[np.uint8]], judged: Sequence[NDArray[np.uint8]]
) -> tuple[onnx.ModelProto, Unlikeness]:
    """Return the model with one more output, the unlikeness, and the part of the card that tells its limits.

    `known`: pictures (N, S, S) of the training split, an array a view. `judged`: those of the validation split, likewise.
    """
    parts = list_parts(model)
    features = add_features(model, parts)
    seen = run_outputs(features, [OWN + name for name in parts], thin(known))
    measured = add_distances(features, {name: fit_gaussian(seen[OWN + name], RIDGES[name]) for name in parts})
    squares = run_outputs(measured, [OUTPUT], np.concatenate(judged))[OUTPUT]
    limits = find_limits(np.sqrt(squares), [PART_SHARES[name] for name in parts])
    return measured, Unlikeness(parts=tuple(parts), limits=tuple(limits), share=SHARE, examples=len(squares))


def thin(views: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return at most `PICTURES_MAX` pictures, as many of each view, from all over it."""
    each = max(1, PICTURES_MAX // len(views))
    return np.concatenate([view[:: -(-len(view) // each)] for view in views])


def fit_gaussian(features: Singles, ridge: float) -> Gaussian:
    """Fit a Gaussian to features (N, D); directions of little variance count no more than if it were `ridge`."""
    mean, spread = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64).clip(SPREAD_MIN)
    standard = (features - mean) / spread
    variance, axes = np.linalg.eigh(standard.T @ standard / len(standard))
    return Gaussian(mean, axes / np.sqrt(variance.clip(0) + ridge) / spread[:, None])


def find_limits(distances: Reals, shares: Sequence[float]) -> list[float]:
    """Return the limit of each part's distances (N, parts), so that the share `SHARE` of all scores is below 1."""
    alone = np.array([find_quantile(part, share) for part, share in zip(distances.T, shares, strict=True)])
    together = find_quantile((distances / alone).max(axis=1), SHARE)
    return [float(limit) for limit in alone * together]


def find_quantile(values: Reals, share: float) -> float:
    """Return the ceil((n + 1) share)-th smallest of n values, as a split conformal test does; the largest if n is too small."""
    rank = int(np.ceil((len(values) + 1) * share))
    return float(max(np.sort(values)[min(rank, len(values)) - 1], np.finfo(np.float32).tiny))


def list_parts(model: onnx.ModelProto) -> list[str]:
    """List the parts that a model has the tensors for; without feature maps the layout alone."""
    made = {name for node in model.graph.node for name in node.output}
    return [name for name in RIDGES if name != "maps" or set(MAPS) <= made]


def add_features(model: onnx.ModelProto, parts: Sequence[str]) -> onnx.ModelProto:
    """Return the model with the features of each part, (N, D), as further outputs."""
    changed = copy_model(model)
    graph = changed.graph
    size = graph.input[0].type.tensor_type.shape.dim[-1].dim_value
    cover = cover_pixels(size, SIDE)
    add_constants(graph, across=cover, down=cover.T.copy(), row=np.array([-1, SIDE * SIDE]))
    add_node(graph, "MatMul", [OWN + "across", "picture"], "strips")
    add_node(graph, "MatMul", [OWN + "strips", OWN + "down"], "small")
    add_node(graph, "Reshape", [OWN + "small", OWN + "row"], "layout")
    if "maps" in parts:
        add_constants(graph, places=np.array([2, 3]))
        for number, maps in enumerate(MAPS):
            add_node(graph, "ReduceMean", [maps, OWN + "places"], f"mean{number}", keepdims=0)
        add_node(graph, "Concat", [f"{OWN}mean{number}" for number in range(len(MAPS))], "maps", axis=1)
    graph.output.extend(helper.make_tensor_value_info(OWN + name, TensorProto.FLOAT, ["n", None]) for name in parts)
    return changed


def add_distances(model: onnx.ModelProto, gaussians: Mapping[str, Gaussian]) -> onnx.ModelProto:
    """Return the model with the unlikeness, (N, parts) mean squares of the whitened features, in place of the features."""
    changed = copy_model(model)
    graph = changed.graph
    add_constants(graph, features=np.array([1]))
    for name, each in gaussians.items():
        centre, whitening = (-each.mean).astype(np.float32), each.whitening.astype(np.float32)
        add_constants(graph, **{f"{name}_centre": centre, f"{name}_whitening": whitening})
        add_node(graph, "Add", [OWN + name, f"{OWN}{name}_centre"], f"{name}_centred")
        add_node(graph, "MatMul", [f"{OWN}{name}_centred", f"{OWN}{name}_whitening"], f"{name}_white")
        add_node(graph, "Mul", [f"{OWN}{name}_white"] * 2, f"{name}_squares")
        add_node(graph, "ReduceMean", [f"{OWN}{name}_squares", OWN + "features"], f"{name}_square", keepdims=1)
    graph.node.append(helper.make_node("Concat", [f"{OWN}{name}_square" for name in gaussians], [OUTPUT], axis=1))
    kept = [value for value in graph.output if not value.name.startswith(OWN)]
    del graph.output[:]
    graph.output.extend([*kept, helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", len(gaussians)])])
    onnx.checker.check_model(changed)
    return changed


def copy_model(model: onnx.ModelProto) -> onnx.ModelProto:
    copied = onnx.ModelProto()
    copied.CopyFrom(model)
    return copied


def add_constants(graph: onnx.GraphProto, **values: NDArray) -> None:
    graph.initializer.extend(numpy_helper.from_array(value, OWN + name) for name, value in values.items())


def add_node(graph: onnx.GraphProto, kind: str, given: Sequence[str], made: str, **settings: int) -> None:
    graph.node.append(helper.make_node(kind, given, [OWN + made], **settings))


def run_outputs(model: onnx.ModelProto, outputs: Sequence[str], pictures: NDArray[np.uint8]) -> dict[str, Singles]:
    """Return the named outputs for pictures (N, S, S); friction and height are not told."""
    session = open_session(model.SerializeToString(), threads=1)
    sides = {each.name: each.shape[1:] for each in session.get_inputs()}
    parts: dict[str, list[Singles]] = {name: [] for name in outputs}
    for begin in range(0, len(pictures), BATCH):
        grey = pictures[begin : begin + BATCH, None].astype(np.float32) / 255
        given = {name: np.zeros((len(grey), *shape), np.float32) for name, shape in sides.items()} | {"picture": grey}
        for name, found in run_session(session, outputs, given).items():
            parts[name].append(found)
    return {name: np.concatenate(found) for name, found in parts.items()}
