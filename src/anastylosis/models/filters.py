"""Filters: the kernels of a net's first convolution, read from the bytes of its file. Needs no onnx."""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.models.onnx_model import GRAPH, read_bytes
from anastylosis.models.wire import read_fields, read_varint

NODE, INITIALIZER = 1, 5  # fields of a graph (onnx.proto)
NODE_INPUT, NODE_KIND = 1, 4
DIMS, DATA_TYPE, FLOAT_DATA, NAME, RAW_DATA = 1, 2, 4, 8, 9  # fields of a tensor
FLOAT = 1
ANGLES = 24  # of the waves that are given to a kernel, over 180 degrees
WAVES = 6  # lengths of them
CHANCE_KERNELS = 2000


class Tensor(NamedTuple):
    """Name, shape and data of a tensor of floats."""

    name: str
    shape: tuple[int, ...]
    kind: int
    data: bytes


class Filters(NamedTuple):
    """Kernels of a net's first layer, and how much each prefers one direction."""

    kernels: NDArray[np.float32]  # (K, H, W)
    orientation: Floats  # (K,) 0: no direction, 1: only one
    chance: float  # what 95 in 100 kernels of random numbers stay below


def measure_filters(path: str | Path) -> Filters | None:
    """Measure the first filters of a model; None: it has none that look at the picture."""
    kernels = read_filters(path)
    if kernels is None:
        return None
    return Filters(kernels, measure_orientation(kernels), orientation_by_chance(*kernels.shape[1:]))


def read_filters(path: str | Path) -> NDArray[np.float32] | None:
    """Read the kernels (K, H, W) of the first convolution of the picture; None when the model has none."""
    try:
        fields = [value for number, value in read_fields(memoryview(read_bytes(Path(path)))) if number == GRAPH]
        tensors: dict[str, memoryview] = {}
        wanted = ""
        for graph in fields:
            if not isinstance(graph, memoryview):
                raise ValueError("its graph is no message")
            for number, value in read_fields(graph):
                if number == INITIALIZER and isinstance(value, memoryview):
                    tensors[read_text(value, NAME)] = value
                elif number == NODE and isinstance(value, memoryview) and not wanted:
                    wanted = name_weights(value)
        return build_kernels(read_tensor(tensors[wanted])) if wanted in tensors else None
    except ValueError as error:
        raise InvalidInput(f"the filters of {path} cannot be read: {error}") from error


def name_weights(node: memoryview) -> str:
    """Return the name of the weights of a convolution whose input is the picture; "" for any other node."""
    texts = [(number, bytes(value).decode()) for number, value in read_fields(node)
             if number in (NODE_INPUT, NODE_KIND) and isinstance(value, memoryview)]  # fmt: skip
    inputs = [text for number, text in texts if number == NODE_INPUT]
    first = (NODE_KIND, "Conv") in texts and inputs[:1] == ["picture"] and len(inputs) > 1
    return inputs[1] if first else ""


def read_text(message: memoryview, wanted: int) -> str:
    """Read a field as text; "" when it is not there."""
    return next((bytes(value).decode() for number, value in read_fields(message)
                 if number == wanted and isinstance(value, memoryview)), "")  # fmt: skip


def read_tensor(message: memoryview) -> Tensor:
    """Read a tensor; its sides are one by one or packed, its numbers raw or packed."""
    shape: list[int] = []
    kind, data = 0, b""
    for number, value in read_fields(message):
        if number == DIMS and isinstance(value, int):
            shape.append(value)
        elif number == DIMS and isinstance(value, memoryview):
            at = 0
            while at < len(value):
                side, at = read_varint(value, at)
                shape.append(side)
        elif number == DATA_TYPE and isinstance(value, int):
            kind = value
        elif number in (FLOAT_DATA, RAW_DATA) and isinstance(value, memoryview):
            data += bytes(value)
    return Tensor(read_text(message, NAME), tuple(shape), kind, data)


def build_kernels(tensor: Tensor) -> NDArray[np.float32] | None:
    """Build kernels (K, H, W) from a tensor, if it holds kernels for one channel."""
    if tensor.kind != FLOAT or len(tensor.shape) != 4 or tensor.shape[1] != 1 or min(tensor.shape[2:]) < 2:
        return None
    if len(tensor.data) != 4 * math.prod(tensor.shape):
        raise ValueError(f"a tensor of the shape {tensor.shape} has {len(tensor.data)} bytes")
    kernels = np.frombuffer(tensor.data, "<f4").reshape(tensor.shape)[:, 0]
    if not np.isfinite(kernels).all():
        raise ValueError("they are not finite numbers")
    return kernels


def measure_orientation(kernels: NDArray[np.floating]) -> Floats:
    """Measure how much each kernel (K,) prefers one direction: 0 not at all, 1 only that one.

    It is given waves of many directions and lengths; A is its strongest answer in a direction, a. The measure is
    |sum A^2 exp(2 i a)| / sum A^2.
    """
    count, height, width = kernels.shape
    down, across = np.mgrid[:height, :width]
    angle = np.arange(ANGLES) * math.pi / ANGLES
    turns = np.linspace(0.5, 3.0, WAVES) / max(height, width)  # waves a pixel
    phase = 2 * math.pi * turns[:, None, None, None] * (
        np.cos(angle)[:, None, None] * across + np.sin(angle)[:, None, None] * down
    )  # fmt: skip
    centred = kernels - kernels.mean(axis=(1, 2), keepdims=True)  # how bright it is all over has no direction
    answer = np.abs(np.einsum("kyx,wayx->kwa", centred, np.exp(1j * phase))).max(axis=1) ** 2
    total = answer.sum(axis=1)
    lean = np.abs((answer * np.exp(2j * angle)).sum(axis=1))
    return np.asarray(np.divide(lean, total, out=np.zeros(count), where=total > 0))


def orientation_by_chance(height: int, width: int, seed: int = 0) -> float:
    """Return the preference that 95 in 100 kernels of random numbers stay below."""
    kernels = np.random.default_rng(seed).normal(size=(CHANCE_KERNELS, height, width))
    return float(np.quantile(measure_orientation(kernels), 0.95))
