"""Random mutations of files that anybody may send: `python input_fuzz.py KIND COUNT SEED`, prints JSON.

KIND: image, survey, camera, parquet or manifest. In a process of its own, so that its memory can be measured, and that a signal
would be seen.
"""

import json
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anastylosis
from anastylosis.dataset import Dataset, verify
from anastylosis.dataset.schema import TABLES, arrow_schema
from anastylosis.dataset.shard import encode
from anastylosis.detection import read_photograph, read_stored_camera
from anastylosis.detection.camera.camera_file import read_camera, write_camera
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction import SurveyFile, observe
from anastylosis.report.games import read_games
from anastylosis.survey import check_survey

EXAMPLES = Path(anastylosis.__file__).parent / "examples"
NUMBERS = (
    b"0",
    b"-1",
    b"1e308",
    b"-1e308",
    b"1e-320",
    b"NaN",
    b"Infinity",
    b"9999",
    b"99999999999999999999",
    b"true",
    b'""',
    b"null",
)
MARKS = (b",", b";", b"\n", b'"', b"[", b"]", b"{", b"}", b":", b"#", b"\0", b"\xff", b"\xef\xbb\xbf", b"\x1b[2J", b"[" * 5000)
FILLS = tuple(bytes([each]) for each in b"0123456789.-+e")  # what numbers are written with
Change = Callable[[bytes, np.random.Generator], bytes]


class Target(NamedTuple):
    """What is mutated, and who reads it."""

    begin: Callable[[Path], Path]  # writes what is whole into a folder; returns the file to mutate
    read: Callable[[Path], object]
    ways: tuple[Change, ...]


def flip_bits(data: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for place in rng.integers(len(data), size=rng.integers(1, 9)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def flip_ends(data: bytes, rng: np.random.Generator) -> bytes:
    """Flip bits of the head and the tail, where formats keep their sizes."""
    changed = bytearray(data)
    for place in rng.integers(-600, 300, size=rng.integers(1, 5)):
        changed[max(int(place), -len(data)) % len(data)] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: rng.integers(len(data))]


def insert(data: bytes, rng: np.random.Generator) -> bytes:
    place = rng.integers(len(data))
    return data[:place] + rng.bytes(int(rng.integers(1, 65))) + data[place:]


def repeat(data: bytes, rng: np.random.Generator) -> bytes:
    """Give a stretch again, somewhere else."""
    begin, place = rng.integers(len(data), size=2)
    return data[:place] + data[begin : begin + rng.integers(1, 400)] + data[place:]


def change_word(data: bytes, rng: np.random.Generator) -> bytes:
    """Put another number in the place of one, or a mark anywhere."""
    for _ in range(rng.integers(1, 4)):
        digits = [place for place in range(len(data)) if data[place : place + 1].isdigit()]
        if digits and rng.random() < 0.7:
            begin = end = digits[rng.integers(len(digits))]
            while begin > 0 and data[begin - 1 : begin] in FILLS:
                begin -= 1
            while data[end : end + 1] in FILLS:
                end += 1
            data = data[:begin] + NUMBERS[rng.integers(len(NUMBERS))] + data[end:]
        else:
            place = rng.integers(len(data))
            data = data[:place] + MARKS[rng.integers(len(MARKS))] + data[place:]
    return data


def change_cells(data: bytes, rng: np.random.Generator) -> bytes:
    """Put odd values into cells of a Parquet file, whose checksums are right."""
    rows, columns = pq.read_table(pa.BufferReader(data)).to_pylist(), TABLES["episodes"]
    for _ in range(rng.integers(1, 4)):
        row, name = rows[rng.integers(len(rows))], str(rng.choice(list(columns)))
        row[name] = change_value(row[name], rng)
    try:
        return encode([pa.Table.from_pylist([row], arrow_schema(columns)) for row in rows], columns)
    except (pa.ArrowException, TypeError, OverflowError, ValueError):  # the column cannot hold it
        return cut(data, rng)


def change_value(value: object, rng: np.random.Generator) -> object:
    """Draw an odd value of about this kind."""
    way = rng.integers(6)
    if way == 0:
        return None
    if isinstance(value, list):
        if way == 1 or not value:
            return []
        if way == 2:
            return value[1:]
        if way == 3:
            return [*value, value[0]]
        return [change_value(value[0], rng), *value[1:]]
    if isinstance(value, float):
        return float(rng.choice([np.nan, np.inf, -1.0, 1e308, -0.0]))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return int(rng.choice([-1, 2**31, 2**62, 0]))
    return str(rng.choice(["", "{", "[" * 50_000, "nominal_exp_0001", "\0", "x" * 5000]))


def copy_example(name: str) -> Callable[[Path], Path]:
    def begin(folder: Path) -> Path:
        path = folder / name
        path.write_bytes((EXAMPLES / name).read_bytes())
        return path

    return begin


def begin_camera(folder: Path) -> Path:
    solved = read_stored_camera(EXAMPLES / "debris.png")
    assert solved is not None
    write_camera(folder / "camera.json", solved)
    return folder / "camera.json"


def begin_shard(folder: Path) -> Path:
    """Write a dataset of two episodes, without hashes: they would find every mutation."""
    from support.games import FALLS, STANDS, played
    from support.played_datasets import write_dataset

    games = write_dataset(folder / "games", played(3, FALLS), played(3, STANDS), shard=2)
    manifest = json.loads((games / "manifest.json").read_text())
    (games / "manifest.json").write_text(json.dumps(manifest | {"files": {}}))
    (path,) = (games / "episodes").glob("*.parquet")
    return path


def begin_manifest(folder: Path) -> Path:
    return begin_shard(folder).parents[1] / "manifest.json"


def read_image(path: Path) -> object:
    return read_photograph(path), read_stored_camera(path)


def read_stones(path: Path) -> object:
    observation = observe(SurveyFile(path=path))
    assert observation.survey is not None
    return check_survey(observation.survey)


def read_dataset(path: Path) -> object:
    """Verify a dataset; then read all that is there. `verify` has to find whatever the others refuse."""
    folder = path.parent if path.name == "manifest.json" else path.parents[1]
    found = [finding for checked in verify(folder) for finding in checked.findings]
    dataset = Dataset(folder)
    try:
        read_games(dataset)
        for sample in dataset:
            assert sample.labels
            assert len(sample.poses_before) == len(sample.poses_after) == len(sample.slots)
            assert len(sample.frames.time)
            assert sample.document
    except InvalidInput:
        if all("it has no hash" in str(finding) for finding in found):
            raise AssertionError("all is well by `verify`, and it cannot be read") from None
        raise
    return found


BINARY, TEXT = (
    (flip_bits, flip_ends, flip_ends, cut, insert),
    (flip_bits, cut, insert, repeat, change_word, change_word, change_word),
)
TARGETS = {
    "image": Target(copy_example("debris.png"), read_image, BINARY),
    "survey": Target(copy_example("survey.csv"), read_stones, TEXT),
    "camera": Target(begin_camera, read_camera, TEXT),
    "parquet": Target(begin_shard, read_dataset, (*BINARY, change_cells, change_cells, change_cells)),
    "manifest": Target(begin_manifest, read_dataset, TEXT),
}


def measure_memory() -> int:
    """Return the largest memory of this process so far [bytes]."""
    told = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in told if line.startswith("VmHWM:"))


def main(kind: str, count: int, seed: int) -> None:
    """Try mutants, and print what became of them."""
    rng, target, found, slowest = np.random.default_rng(seed), TARGETS[kind], Counter[str](), 0.0
    odd: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = target.begin(Path(folder))
        data = path.read_bytes()
        for number in range(count):
            path.write_bytes(target.ways[number % len(target.ways)](data, rng))
            begin = time.monotonic()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", RuntimeWarning)
                    target.read(path)
                found["read"] += 1
            except InvalidInput as error:
                found["refused"] += 1
                if "\n" in str(error):
                    odd.append(str(error))
            except Exception:
                odd.append(f"mutant {number}: {traceback.format_exc()[-700:]}")
            slowest = max(slowest, time.monotonic() - begin)
    print(json.dumps({"found": found, "odd": odd, "slowest": slowest, "memory": measure_memory()}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
