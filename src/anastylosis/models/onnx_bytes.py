"""ONNX bytes, read just far enough to find tensors that are kept in other files.

onnxruntime opens such files itself. Given bytes it looks for them in the working directory (tried with 1.31), so a model from
elsewhere could make it read what lies there. No setting forbids that; the files that we write have no need of it.
Protobuf: a message is a row of fields, each a number, a kind and a value. Only those that lead to tensors are opened.
"""

from collections.abc import Iterator

__all__ = ["PARTS", "has_external_data", "has_graph"]

VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5  # kinds of fields
VARINT_MAX = 10  # bytes

# Message -> number of a field -> the message in it; every way from a model to a tensor (onnx.proto).
PARTS: dict[str, dict[int, str]] = {
    "ModelProto": {7: "GraphProto", 20: "TrainingInfoProto", 25: "FunctionProto"},
    "TrainingInfoProto": {1: "GraphProto", 2: "GraphProto"},
    "FunctionProto": {7: "NodeProto", 11: "AttributeProto"},
    "GraphProto": {1: "NodeProto", 5: "TensorProto", 15: "SparseTensorProto"},
    "SparseTensorProto": {1: "TensorProto", 2: "TensorProto"},
    "NodeProto": {5: "AttributeProto"},
    "AttributeProto": {
        5: "TensorProto",
        6: "GraphProto",
        10: "TensorProto",
        11: "GraphProto",
        22: "SparseTensorProto",
        23: "SparseTensorProto",
    },
    "TensorProto": {},
}
EXTERNAL_DATA, DATA_LOCATION = 13, 14  # fields of a tensor: where in which file; 0 is "here"
GRAPH = 7  # field of a model


def has_external_data(data: bytes) -> bool:
    """Return whether a tensor of this model is in another file; raise ValueError when the bytes are no whole message."""
    found = False
    waiting = [("ModelProto", memoryview(data))]
    while waiting:
        message, part = waiting.pop()
        inside = PARTS[message]
        for number, value in read_fields(part):
            if message == "TensorProto":
                found |= number == EXTERNAL_DATA or (number == DATA_LOCATION and value != 0)
            elif number in inside:
                if not isinstance(value, memoryview):
                    raise ValueError(f"field {number} of a {message} is not a message")
                waiting.append((inside[number], value))
    return found


def has_graph(data: bytes) -> bool:
    """Return whether these are the bytes of a model with a net in it; no bytes are none."""
    return any(number == GRAPH for number, _ in read_fields(memoryview(data)))


def read_fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Give the fields of one message: number and value."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if tag >= 1 << 32:  # readers of protobuf drop the bits above, and would see another field
            raise ValueError("a tag is too long")
        if number == 0 or kind not in (VARINT, EIGHT, BYTES, FOUR):
            raise ValueError(f"no field begins with {tag}")
        if kind == VARINT:
            value, at = read_varint(data, at)
            yield number, value
            continue
        size, at = read_varint(data, at) if kind == BYTES else (8 if kind == EIGHT else 4, at)
        if at + size > len(data):
            raise ValueError("the last field is cut short")
        yield number, data[at : at + size]
        at += size


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """Read a whole number, seven bits a byte; return it and where it ends."""
    value = 0
    for k, byte in enumerate(data[at : at + VARINT_MAX]):
        value |= (byte & 0x7F) << (7 * k)
        if byte < 0x80:
            return value, at + k + 1
    raise ValueError("a number is cut short")
