"""Check of a model's graph, before any library opens it: nothing but what files of `anastylosis train` have.

It looks at the bytes alone. The table has no way from a message back to itself, so no depth has to be bounded: graphs within
graphs (control flow, local functions, training graphs) and types within types are refused where they begin.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from anastylosis.errors import InvalidInput
from anastylosis.models.wire import read_fields

NUMBER, DATA = "number", "data"  # kinds of fields, besides messages

# Message -> number of a field -> its kind, or the message in it (onnx.proto). Fields that are not here are refused.
FIELDS: dict[str, dict[int, str]] = {
    "ModelProto": {1: NUMBER, 2: DATA, 3: DATA, 4: DATA, 5: NUMBER, 6: DATA, 7: "GraphProto", 8: "OperatorSetIdProto", 14: DATA},
    "OperatorSetIdProto": {1: DATA, 2: NUMBER},
    "GraphProto": {1: "NodeProto", 2: DATA, 5: "TensorProto", 10: DATA, 11: "ValueInfoProto", 12: "ValueInfoProto",
                   13: "ValueInfoProto"},
    "NodeProto": {1: DATA, 2: DATA, 3: DATA, 4: DATA, 5: "AttributeProto", 6: DATA, 7: DATA},
    "AttributeProto": {1: DATA, 2: DATA, 3: NUMBER, 4: DATA, 5: "TensorProto", 7: DATA, 8: NUMBER, 13: DATA, 20: NUMBER},
    "TensorProto": {1: NUMBER, 2: NUMBER, 4: DATA, 7: DATA, 8: DATA, 9: DATA, 12: DATA, 14: NUMBER},
    "ValueInfoProto": {1: DATA, 2: "TypeProto", 3: DATA},
    "TypeProto": {1: "TypeProto.Tensor", 6: DATA},
    "TypeProto.Tensor": {1: NUMBER, 2: "TensorShapeProto"},
    "TensorShapeProto": {1: "Dimension"},
    "Dimension": {1: NUMBER, 2: DATA, 3: DATA},
}  # fmt: skip
PACKED = {("TensorProto", 1), ("AttributeProto", 8)}  # whole numbers that may be one by one or in one piece
ONCE = {("ModelProto", 7), ("AttributeProto", 5), ("ValueInfoProto", 2), ("TypeProto", 1), ("TypeProto.Tensor", 2)}
EXTERNAL = "it keeps its weights in another file, and none but the model itself is read; save it as one file"
REFUSED: dict[tuple[str, int], str] = {  # fields with words of their own
    ("ModelProto", 20): "a graph for training",
    ("ModelProto", 25): "local functions",
    ("GraphProto", 15): "sparse weights",
    ("AttributeProto", 6): "a graph within its graph",
    ("AttributeProto", 11): "graphs within its graph",
    ("AttributeProto", 21): "local functions",
    ("AttributeProto", 22): "sparse weights",
    ("AttributeProto", 23): "sparse weights",
    ("TensorProto", 6): "texts for weights",
    ("TypeProto", 4): "a sequence for an input or output",
    ("TypeProto", 5): "a map for an input or output",
    ("TypeProto", 8): "a sparse tensor for an input or output",
    ("TypeProto", 9): "an optional input or output",
}
EXTERNAL_DATA, DATA_LOCATION = ("TensorProto", 13), ("TensorProto", 14)  # where in which file; 0 is "here"
DOMAIN, KIND = ("NodeProto", 7), ("NodeProto", 4)
OPERATOR_SET = ("OperatorSetIdProto", 1)

FIELDS_MAX = 100_000  # in all messages; the largest model that ships has 14,371
NODES_MAX = 10_000  # the largest model that ships has 1,821
SIDES_MAX = 8  # of a tensor; models that ship have 4
DOMAINS = ("", "ai.onnx")
SIZES = {1: 4, 7: 8}  # bytes of a number, by the type of a tensor: float and int64

# Those of the models that ship. `Identity` is what the exporter writes where two tensors are the same.
OPERATORS = frozenset([
    "Abs", "Add", "AveragePool", "BatchNormalization", "Cast", "Clip", "Concat", "Constant", "ConstantOfShape",
    "Conv", "Cos", "Div", "Equal", "Erf", "Exp", "Expand", "Flatten", "Gather", "Gemm", "Greater", "Identity",
    "LayerNormalization", "Log", "MatMul", "MaxPool", "Mod", "Mul", "Neg", "Pad", "Reciprocal", "ReduceMax",
    "ReduceMean", "ReduceSum", "Relu", "Reshape", "Resize", "Shape", "Sigmoid", "Sign", "Sin", "Slice", "Softmax",
    "Split", "Sqrt", "Squeeze", "Sub", "Tanh", "Transpose", "Unsqueeze", "Where",
])  # fmt: skip


@dataclass
class TensorFields:
    """Fields of one tensor that say how large it is."""

    sides: list[int] = field(default_factory=list)
    kind: int = 0
    bytes: int = 0
    numbers: int = 0  # in a list of whole numbers, each of any length

    def describe_problem(self) -> str:
        """Describe why this is no tensor of ours; "" for one with as many numbers as its sides say."""
        if self.kind not in SIZES:
            return f"it has a tensor of type {self.kind}; weights are float or int64"
        if len(self.sides) > SIDES_MAX:
            return f"it has a tensor of {len(self.sides):,} sides; {SIDES_MAX} are the most"
        if self.bytes + SIZES[self.kind] * self.numbers != SIZES[self.kind] * math.prod(self.sides):
            return f"it has a tensor whose shape {tuple(self.sides)} is not that of its numbers"
        return ""


def check_graph(data: bytes) -> None:
    """Raise unless these are the bytes of one whole model that has nothing but what models of ours have.

    The bytes have to be a whole message (`ValueError`), with weights inside, and operators, fields and sizes within the bounds
    (`InvalidInput`).
    """
    waiting = [("ModelProto", memoryview(data))]
    fields = nodes = graphs = 0
    problem = ""
    while waiting:
        message, part = waiting.pop()
        nodes += message == "NodeProto"
        graphs += message == "GraphProto"
        tensor, once = TensorFields(), set()
        for number, value in read_fields(part):
            fields += 1
            if fields > FIELDS_MAX or nodes > NODES_MAX:
                raise InvalidInput(
                    f"it has more than {NODES_MAX:,} steps, or {FIELDS_MAX:,} fields; no model of ours is so large"
                )
            place = (message, number)
            if place == EXTERNAL_DATA or (place == DATA_LOCATION and value != 0):
                raise InvalidInput(EXTERNAL)
            kind = FIELDS[message].get(number)
            if kind is None:
                problem = problem or describe_field(message, number)
                continue
            if place in ONCE and number in once:
                raise ValueError(f"field {number} of a {message} is given twice")
            once.add(number)
            check_kind(place, kind, value)
            if isinstance(value, memoryview) and kind in FIELDS:
                waiting.append((kind, value))
            elif message == "TensorProto":
                read_size(tensor, number, value)
            elif isinstance(value, memoryview):
                problem = problem or describe_text(place, value)
        if message == "TensorProto":
            problem = problem or tensor.describe_problem()
    if not graphs:
        raise ValueError("there is no network in it")
    if problem:  # after the whole file: it may not be one
        raise InvalidInput(problem)


def check_kind(place: tuple[str, int], kind: str, value: int | memoryview) -> None:
    """Raise for a field that another reader would take for another one, or would leave out."""
    message, number = place
    if kind == NUMBER and isinstance(value, memoryview) and place not in PACKED:
        raise ValueError(f"field {number} of a {message} is not a number")
    if kind != NUMBER and isinstance(value, int):
        raise ValueError(f"field {number} of a {message} is a number")


def describe_field(message: str, number: int) -> str:
    """Describe a field that no model of ours has."""
    what = REFUSED.get((message, number), f"field {number} of a {message}")
    return f"it has {what}, which no model of `anastylosis train` has"


def describe_text(place: tuple[str, int], value: memoryview) -> str:
    """Describe an operator, or a set of them, that no model of ours has; "" for any other text."""
    if place not in (KIND, DOMAIN, OPERATOR_SET):
        return ""
    text = bytes(value[:60]).decode(errors="replace")
    if place == KIND and text not in OPERATORS:
        return f"it has the operator {text!r}, which no model of `anastylosis train` has"
    if place != KIND and text not in DOMAINS:
        return f"it has operators of {text!r}, which no model of `anastylosis train` has"
    return ""


def read_size(tensor: TensorFields, number: int, value: int | memoryview) -> None:
    """Add one field of a tensor to what is known of its size."""
    match number:
        case 1 if isinstance(value, int):
            tensor.sides.append(value)
        case 1:
            raise ValueError("the sides of a tensor are in one piece")  # allowed by protobuf, written by nobody
        case 2 if isinstance(value, int):
            tensor.kind = value
        case 4 | 9 if isinstance(value, memoryview):
            tensor.bytes += len(value)
        case 7 if isinstance(value, memoryview):
            tensor.numbers += int(np.count_nonzero(np.frombuffer(value, np.uint8) < 0x80))
