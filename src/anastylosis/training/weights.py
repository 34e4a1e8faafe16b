"""Weights of a model file, restored into the net that it was written from, to train it on.

A file has less than the net had. Its exporter joins every convolution with the norm behind it, turns some matrices, and leaves
out what only training uses. Layers are found again by the order in which they run. Norms get the mean and spread that some
batches have there, and weights that undo both: the net then answers as the file does, and can be trained.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import onnx
import torch
from google.protobuf.message import DecodeError
from onnx.numpy_helper import to_array
from torch import Tensor, nn

from anastylosis.errors import InvalidInput
from anastylosis.models.onnx_model import check_bytes, explain_file

Weighing = type[nn.Conv2d] | type[nn.Linear]
LAYERS: dict[str, Weighing] = {"Conv": nn.Conv2d, "Gemm": nn.Linear, "MatMul": nn.Linear}  # what operations with weights were
WITHIN = "net."  # what names in a file may begin with: of a net within another
Example = tuple[Any, ...]  # inputs of a net


class KeptTensor(NamedTuple):
    """One layer as a file has kept it."""

    kind: Weighing
    weight: Tensor
    bias: Tensor | None  # None: it has none, or it goes by its own name


def restore_weights(net: nn.Module, path: Path, examples: Sequence[Example]) -> list[nn.Parameter]:
    """Give a net the weights of a model file. `examples`: a few batches like those of the training.

    Return the weights of the layers that the file does not have; they stay as they are.
    """
    graph = read_graph(path)
    tensors = list_tensors(graph)
    named = {name.removeprefix(WITHIN): value for name, value in tensors.items()}
    own = net.state_dict()
    with explain(path), torch.no_grad():
        found = {name: value for name, value in named.items() if name in own}
        net.load_state_dict(found, strict=False)
        layers = list_layers(net, examples[0])
        norms = [restore_layer(*pair, layers) for pair in zip(list_kept(graph, tensors), pick_layers(layers), strict=True)]
        settle_norms(net, [norm for norm in norms if norm is not None], examples)
    known = {parameter for layer in layers for parameter in layer.parameters()}
    return [each for name, each in net.named_parameters() if name not in found and each not in known]


@contextmanager
def explain(path: Path) -> Iterator[None]:
    """Turn any mismatch within into an error that names the file."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError, KeyError) as error:
        raise InvalidInput(f"{path} is of another net than this one, and cannot be trained on: {error!s:.200}") from error


def read_graph(path: Path) -> onnx.GraphProto:
    with explain_file(path) as data:
        check_bytes(data)
        try:
            return onnx.load_from_string(data).graph
        except DecodeError as error:
            raise InvalidInput("it is not an ONNX file, or only a part of one") from error


def list_tensors(graph: onnx.GraphProto) -> dict[str, Tensor]:
    return {each.name: torch.from_numpy(to_array(each).copy()) for each in graph.initializer}


def list_kept(graph: onnx.GraphProto, tensors: Mapping[str, Tensor]) -> Iterator[KeptTensor]:
    """List the layers that a file has kept, in the order in which they run."""
    for node in graph.node:
        if node.op_type not in LAYERS or node.input[1] not in tensors:
            continue
        weight = tensors[node.input[1]]
        turned = {each.name: each.i for each in node.attribute}.get("transB", 0)
        if LAYERS[node.op_type] is nn.Linear and not turned:
            weight = weight.T
        bias = tensors[node.input[2]] if len(node.input) > 2 else None
        yield KeptTensor(LAYERS[node.op_type], weight, bias)


def list_layers(net: nn.Module, example: Example) -> list[nn.Module]:
    """List convolutions, matrices and norms, in the order in which they run."""
    layers: list[nn.Module] = []
    for_weights = (nn.Conv2d, nn.Linear, nn.BatchNorm2d)
    hooks = [
        layer.register_forward_pre_hook(lambda layer, _: layers.append(layer))
        for layer in net.modules()
        if isinstance(layer, for_weights)
    ]
    net.eval()(*example)
    for hook in hooks:
        hook.remove()
    return layers


def pick_layers(layers: Sequence[nn.Module]) -> Iterator[int]:
    """Return the positions of layers with weights among those that run."""
    return (place for place, layer in enumerate(layers) if not isinstance(layer, nn.BatchNorm2d))


def restore_layer(kept: KeptTensor, place: int, layers: Sequence[nn.Module]) -> nn.BatchNorm2d | None:
    """Restore one layer. If a norm was joined with it, that norm adds only the rest."""
    layer: Any = layers[place]
    if not isinstance(layer, kept.kind) or layer.weight.shape != kept.weight.shape:
        raise ValueError(f"a layer has weights {tuple(kept.weight.shape)} there, and {tuple(layer.weight.shape)} here")
    layer.weight.copy_(kept.weight)
    if kept.bias is None:
        return None
    if layer.bias is not None:
        layer.bias.copy_(kept.bias)
        return None
    norm = layers[place + 1]
    if not isinstance(norm, nn.BatchNorm2d):
        raise ValueError("no norm is behind a layer that was joined with one")
    norm.running_mean, norm.running_var = torch.zeros_like(kept.bias), torch.full_like(kept.bias, 1 - norm.eps)
    norm.weight.fill_(1.0)
    norm.bias.copy_(kept.bias)
    return norm


def settle_norms(net: nn.Module, norms: Sequence[nn.BatchNorm2d], examples: Sequence[Example]) -> None:
    """Give norms the mean and spread of their inputs, and weights that undo both."""
    seen: dict[nn.Module, list[Tensor]] = {norm: [] for norm in norms}
    hooks = [norm.register_forward_pre_hook(lambda norm, given: seen[norm].append(moments(given[0]))) for norm in norms]
    for example in examples:
        net.eval()(*example)
    for hook in hooks:
        hook.remove()
    for norm in norms:
        mean, square = torch.stack(seen[norm]).mean(0)
        norm.running_mean, norm.running_var = mean, (square - mean**2).clamp(min=norm.eps)
        norm.weight.copy_(torch.sqrt(norm.running_var + norm.eps))
        norm.bias.add_(mean)


def moments(x: Tensor) -> Tensor:
    """Return (2, C) means of a batch (N, C, H, W) and of its squares."""
    return torch.stack([x.mean((0, 2, 3)), (x * x).mean((0, 2, 3))])
