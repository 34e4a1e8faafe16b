"""Stored finding: a reconstruction in a file, with its first fall and its small pictures, so that a page opens on it at once.

Arrays are kept to the last bit, each once; everything else is one JSON document. Only records of this package are made from it.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.web.findings import Finding
from anastylosis.web.uploads import InputFile
from anastylosis.whole_file import write_whole

PACKAGE = __name__.partition(".")[0]
DOCUMENT = "document"  # name of the JSON text among the arrays
DIGITS = 20  # of the names of arrays
PLAIN = (str, int, float, bool, type(None))


def write_finding(path: Path, finding: Finding) -> None:
    """Write a finding and the story of its first proposal; the file is there whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {}
    kept = {"found": finding.found, "story": finding.find_story(0), "thumbnails": finding.thumbnails}
    arrays[DOCUMENT] = np.array(json.dumps(pack(kept, arrays)))
    with write_whole(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read_finding(path: Path, given: InputFile) -> Finding:
    """Read a finding; `given` is the file that it was made from, where it lies now."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            kept = unpack(json.loads(str(arrays[DOCUMENT])), arrays, given.path.parent)
        found = kept["found"]
        return Finding(
            given=given, found=found, document=found.as_document(), stories={0: kept["story"]}, plans={0: found},
            thumbnails=kept["thumbnails"],
        )  # fmt: skip
    except (KeyError, ValueError, TypeError, AttributeError, ImportError) as error:
        raise InvalidInput(f"{path} is no stored reconstruction of this version: {error}; make it again") from error


def pack(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return a value as JSON has it; arrays go to `arrays`, under the hash of what they hold."""
    if isinstance(value, np.ndarray):
        name = sha256(f"{value.dtype} {value.shape} ".encode() + value.tobytes()).hexdigest()[:DIGITS]
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Path):
        return {"file": value.name}
    if is_dataclass(value) or hasattr(value, "_fields"):
        names = [each.name for each in fields(value) if each.init] if is_dataclass(value) else value._fields
        kind = f"{type(value).__module__}:{type(value).__qualname__}"
        return {"record": kind, "fields": {name: pack(getattr(value, name), arrays) for name in names}}
    if isinstance(value, Mapping):
        return {"map": [[pack(key, arrays), pack(each, arrays)] for key, each in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [pack(each, arrays) for each in value]}
    if isinstance(value, list):
        return [pack(each, arrays) for each in value]
    raise TypeError(f"a {type(value).__name__} cannot be stored")


def unpack(value: Any, arrays: Mapping[str, NDArray[Any]], folder: Path) -> Any:
    """Return the value that `pack` was given; files are in `folder`."""
    if isinstance(value, list):
        return [unpack(each, arrays, folder) for each in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "file" in value:
        return folder / value["file"]
    if "map" in value:
        return {unpack(key, arrays, folder): unpack(each, arrays, folder) for key, each in value["map"]}
    if "tuple" in value:
        return tuple(unpack(each, arrays, folder) for each in value["tuple"])
    return find_record(value["record"])(**{name: unpack(each, arrays, folder) for name, each in value["fields"].items()})


def find_record(kind: str) -> Any:
    """Find a class of this package that holds fields and does nothing when it is made."""
    room, _, name = kind.partition(":")
    if room.partition(".")[0] != PACKAGE:
        raise ValueError(f"{kind} is no record of this package")
    record = getattr(import_module(room), name)
    if not (isinstance(record, type) and (is_dataclass(record) or hasattr(record, "_fields"))):
        raise ValueError(f"{kind} is no record")
    return record
