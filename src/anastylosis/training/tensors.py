"""Files of tensors, written whole or not at all, and read without running anything that is in them.

What a file unpacks to is bounded before torch sees it: torch takes any size that a file tells, and `weights_only` still lets a
file of 200 bytes ask for gigabytes of zeros.
"""

import pickletools
import warnings
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import torch
from torch import Tensor

from anastylosis.errors import InvalidInput
from anastylosis.whole_file import write_whole

UNPACKED_MAX = 1_300_000_000  # bytes; a checkpoint has up to four times what the model file has
DIRECTORY_MAX = 4_000_000  # bytes of names of tensors and where they are; a ResNet-18 in training has 30,000
PICKLE_MAX = 5_000_000  # bytes of names, shapes and losses
SHARE = 1_000_000  # whole numbers up to this may be anything; above, they are sizes of tensors
LARGE, LOCATOR, END = 56, 20, 22  # bytes of the three parts that end a ZIP file; torch writes all
TAIL = LARGE + LOCATOR + END
MAGIC = 0x1950A86A20F9469CFC6C  # begins a file of before 2020
OLDER = 4  # pickles at the beginning of a file of before 2020, tensors not counted

# Names that files may call; `weights_only` has 150 more, some of which take any amount of memory.
CALLED = frozenset(
    {
        "collections OrderedDict",
        "torch FloatStorage",
        "torch LongStorage",
        "torch._utils _rebuild_parameter",
        "torch._utils _rebuild_tensor",
        "torch._utils _rebuild_tensor_v2",
    }
)


def write_tensors(path: Path, state: dict[str, Any]) -> None:
    """Write named tensors, texts and numbers."""
    with write_whole(path) as part:
        torch.save(state, part)


def read_tensors(path: Path, most: int = UNPACKED_MAX) -> dict[str, Any]:
    """Read such a file, of at most so many bytes when unpacked; a file of anything else is refused."""
    size = path.stat().st_size
    if size > most:
        raise InvalidInput(f"{path} has {size / 1e6:,.0f} MB; {most / 1e6:,.0f} are the most")
    try:
        check_file(path, most)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about pickles that are not torch's own
            state = torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path} {error}") from error
    except Exception as error:  # what torch raises has no class in common but this; it advises to run the file
        raise InvalidInput(f"{path} is not a file of tensors, or only a part of one") from error
    if not isinstance(state, dict):
        raise InvalidInput(f"{path} is a file of tensors without names")
    if not all(holds_its_numbers(tensor) for tensor in list_tensors(state)):
        raise InvalidInput(f"{path} has tensors that are larger than their data")
    return state


def check_file(path: Path, most: int) -> None:
    """Raise unless a file is whole, unpacks to at most so many bytes, and calls nothing but what builds tensors."""
    if not zipfile.is_zipfile(path):  # of before 2020, or no file of tensors
        with path.open("rb") as file:
            for _ in range(OLDER):
                check_pickle(file, path.stat().st_size)
        return
    if measure_directory(path) > DIRECTORY_MAX:
        raise InvalidInput("has too many parts")
    with zipfile.ZipFile(path) as file:
        records = file.infolist()
        unpacked = sum(record.file_size for record in records)
        if unpacked > most or any(record.compress_type != zipfile.ZIP_STORED for record in records):
            raise InvalidInput(
                f"unpacks to {unpacked / 1e6:,.0f} MB; tensors are not compressed, and {most / 1e6:,.0f} are the most"
            )
        if file.testzip() is not None:  # torch writes checksums, and does not look at them when it reads
            raise InvalidInput("is damaged")
        for record in records:
            if record.filename.endswith(".pkl"):
                if record.file_size > PICKLE_MAX:
                    raise InvalidInput(f"has {record.file_size / 1e6:,.0f} MB of names; {PICKLE_MAX / 1e6:,.0f} are the most")
                check_pickle(BytesIO(file.read(record)), unpacked)


def measure_directory(path: Path) -> int:
    """Return how many bytes a ZIP file has of names and places, as its last bytes tell."""
    with path.open("rb") as file:
        file.seek(-min(TAIL, path.stat().st_size), 2)
        tail = file.read().rjust(TAIL, b"\0")
    large, end = tail[:LARGE], tail[-END:]
    if end[:4] != b"PK\5\6":  # a comment is behind it, which torch does not write
        raise ValueError("it is not a file of torch")
    counts = [int.from_bytes(end[12:16], "little")]
    if large[:4] == b"PK\6\6":  # sizes of 64 bits, which then are those that hold
        counts.append(int.from_bytes(large[40:48], "little"))
    return counts[-1]


def check_pickle(file: IO[bytes], size: int) -> None:
    """Raise unless the pickle that begins here calls nothing but what builds tensors, none larger than `size` bytes."""
    for code, argument, _ in pickletools.genops(file):
        if code.name in ("STACK_GLOBAL", "INST", "EXT1", "EXT2", "EXT4") or (code.name == "GLOBAL" and argument not in CALLED):
            raise InvalidInput(f"is not a file of tensors, or only a part of one: it calls {argument!s:.60}")
        if isinstance(argument, int) and argument > max(size, SHARE) and argument != MAGIC:
            raise InvalidInput("is not a file of tensors, or only a part of one: it tells of more than it has")


def list_tensors(state: Any) -> Iterator[Tensor]:
    """List the tensors in dictionaries, lists and tuples."""
    waiting, seen = [state], set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, Tensor):
            yield part
        elif isinstance(part, dict | list | tuple) and id(part) not in seen:
            seen.add(id(part))
            waiting += part.values() if isinstance(part, dict) else part


def holds_its_numbers(tensor: Tensor) -> bool:
    """Return whether every number of a tensor has a place of its own: one that is stretched becomes large when it is copied."""
    return tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes()
