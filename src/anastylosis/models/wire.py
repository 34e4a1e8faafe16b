"""Wire format of protobuf: the fields of one message, read from bytes. Nothing here recurses, and nothing is copied."""

from collections.abc import Iterator

VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5  # kinds of fields
VARINT_MAX = 10  # bytes


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
