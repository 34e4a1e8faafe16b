"""Collapses of a dataset as arrays, read from the table of episodes. Blocks that are not there are NaN; heights differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.dataset import Dataset, read_rows
from anastylosis.errors import InvalidInput
from anastylosis.structure import BLOCKS_MAX, BLOCKS_PER_COURSE

COLUMNS = (
    "episode", "split", "seed", "layers", "friction", "sizes", "stood_positions", "stood_quaternions", "lies_positions",
    "lies_quaternions", "course", "place", "removed", "removed_count", "imbalance", "torque_moves", "failure_course", "collapsed",
)  # fmt: skip
PER_BLOCK = ("sizes", "stood_positions", "stood_quaternions", "lies_positions", "lies_quaternions", "course", "place")
BOUNDS = {
    "layers": (1, BLOCKS_MAX), "friction": (0, 10), "imbalance": (-10, 10), "removed_count": (0, BLOCKS_MAX),
    "torque_moves": (0, 10**6), "failure_course": (0, BLOCKS_MAX),
}  # fmt: skip
EPISODES_MIN = 8  # episodes of a split, below which nothing can be learned or judged


@dataclass(frozen=True, kw_only=True, eq=False)
class Examples:
    """N collapses of up to B blocks."""

    name: NDArray[np.str_]  # (N,) of the episode
    split: NDArray[np.str_]  # (N,)
    seed: NDArray[np.uint64]  # (N,)
    layers: NDArray[np.int64]  # (N,) of the tower as it was built
    friction: Floats  # (N,)
    size: Floats  # (N, B, 3) [m]
    stood: Floats  # (N, B, 7) position [m] and orientation wxyz just before the fatal pull
    lies: Floats  # (N, B, 7) the same at the end
    slot: NDArray[np.int64]  # (N, B) in which each block stood, 3 layer + place; -1 where there is no block
    removed: NDArray[np.bool_]  # (N, B) by slot: empty just before the fatal pull
    removed_count: NDArray[np.int64]  # (N,)
    imbalance: Floats  # (N,) [m]
    torque_moves: NDArray[np.int64]  # (N,)
    failure_layer: NDArray[np.int64]  # (N,)

    def __len__(self) -> int:
        return len(self.name)

    def take(self, rows: NDArray[Any] | slice) -> "Examples":
        """Return the examples of these rows."""
        return Examples(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def join(self, others: "Sequence[Examples]") -> "Examples":
        """Return these examples and others behind them; towers with fewer blocks are padded with blocks that are not there."""
        parts = [vars(examples) for examples in (self, *others)]
        blocks = max(part["size"].shape[1] for part in parts)
        return Examples(**{name: np.concatenate([pad_blocks(part[name], blocks) for part in parts]) for name in parts[0]})

    def of(self, *splits: str) -> "Examples":
        """Return the examples of the named splits."""
        return self.take(np.isin(self.split, splits))


def pad_blocks(values: NDArray[Any], blocks: int) -> NDArray[Any]:
    """Pad the second axis, if there is one, to so many blocks: NaN, -1 or False."""
    if values.ndim < 2:
        return values
    beyond = {"f": np.nan, "i": -1, "b": False}[values.dtype.kind]
    around = [(0, 0), (0, blocks - values.shape[1])] + [(0, 0)] * (values.ndim - 2)
    return np.pad(values, around, constant_values=beyond)


def read_examples(source: Dataset | Path) -> Examples:
    """Read every collapse of a dataset, or of one file with rows like those of its table of episodes."""
    table = source.read("episodes", COLUMNS) if isinstance(source, Dataset) else read_rows(source, "episodes", COLUMNS)
    fell = table.filter(pc.and_(table["collapsed"], pc.greater_equal(table["failure_course"], 0)))
    where = source.folder if isinstance(source, Dataset) else source
    if not len(fell):
        raise InvalidInput(f"none of the {len(table)} towers in {where} fell; there is no debris to learn from")
    try:
        return build_examples(fell)
    except InvalidInput as error:
        raise InvalidInput(f"{where} cannot be learned from: {error}") from error


def build_examples(table: pa.Table) -> Examples:
    """Return rows of the table of episodes as arrays."""
    flat = {name: table.column(name).combine_chunks() for name in table.column_names}
    check_columns(flat)
    numbers = {name: flat[name].to_numpy(zero_copy_only=False) for name in ("layers", "friction", "imbalance", "failure_course")}
    most = max(longest(flat["sizes"]), longest(flat["removed"]))
    if most > BLOCKS_MAX:
        raise InvalidInput(f"a tower has {most} blocks; those to learn from have up to {BLOCKS_MAX}")
    course, place = pad_numbers(flat["course"], most, -1), pad_numbers(flat["place"], most, -1)
    examples = Examples(
        name=np.array(flat["episode"].to_pylist()),
        split=np.array(flat["split"].to_pylist()),
        seed=flat["seed"].to_numpy(),
        layers=numbers["layers"],
        friction=numbers["friction"],
        size=pad_vectors(flat["sizes"], most, 3),
        stood=pad_poses(flat, "stood", most),
        lies=pad_poses(flat, "lies", most),
        slot=np.where((course >= 0) & (place >= 0), BLOCKS_PER_COURSE * course + place, -1),
        removed=pad_numbers(flat["removed"], most, 0).astype(bool),
        removed_count=flat["removed_count"].to_numpy(),
        imbalance=numbers["imbalance"],
        torque_moves=flat["torque_moves"].to_numpy(),
        failure_layer=numbers["failure_course"],
    )
    check_poses(examples)
    return examples


def check_columns(flat: Mapping[str, Any]) -> None:
    """Raise unless every row says everything, of as many blocks in every column, within bounds: a file may say anything."""
    for name, column in flat.items():
        if column.null_count or (name in ("course", "place", "removed") and column.flatten().null_count):
            raise InvalidInput(f"an episode does not tell its {name}")
    lengths = {name: pc.list_value_length(flat[name]) for name in PER_BLOCK}
    for name, length in lengths.items():
        if not length.equals(lengths["sizes"]):
            raise InvalidInput(f"an episode has another number of {name} than of sizes")
    for name, (low, high) in BOUNDS.items():
        ends = pc.min_max(flat[name]).as_py()
        if not (low <= ends["min"] and ends["max"] <= high):
            raise InvalidInput(f"{name} is {ends['min']} to {ends['max']}; it is in {low}..{high}")
        if pa.types.is_floating(flat[name].type) and not pc.all(pc.is_finite(flat[name])).as_py():
            raise InvalidInput(f"{name} is not a finite number")


def check_poses(examples: Examples) -> None:
    """Raise unless each block that is there is somewhere, whole, and has a size."""
    for when in ("stood", "lies"):
        poses = getattr(examples, when)
        there = np.isfinite(poses).all(axis=2)
        if (there != np.isfinite(poses).any(axis=2)).any() or not np.isfinite(examples.size[there]).all():
            raise InvalidInput(f"a block {when} without a place, a direction or a size")


def longest(lists: pa.ListArray) -> int:
    return int(pc.max(pc.list_value_length(lists)).as_py() or 0)


def pad_poses(flat: dict[str, Any], when: str, most: int) -> Floats:
    """Return (N, most, 7) positions and orientations."""
    return np.concatenate([pad_vectors(flat[f"{when}_positions"], most, 3), pad_vectors(flat[f"{when}_quaternions"], most, 4)], 2)


def pad_vectors(lists: pa.ListArray, most: int, width: int) -> Floats:
    """Return (N, most, width) of N lists of vectors, some of which are null; NaN there and behind the end of a list."""
    items = lists.flatten()
    there = items.is_valid().to_numpy(zero_copy_only=False)
    present = items.drop_null()
    numbers = present.flatten().to_numpy(zero_copy_only=False)
    if (pc.list_value_length(present).to_numpy(zero_copy_only=False) != width).any():
        raise InvalidInput(f"a row of the table of episodes has vectors that are not of {width} numbers")
    vectors = np.full((len(items), width), np.nan)
    vectors[there] = numbers.reshape(-1, width)
    padded = np.full((len(lists), most, width), np.nan)
    padded[places_of(lists)] = vectors
    return padded


def pad_numbers(lists: pa.ListArray, most: int, beyond: int) -> NDArray[np.int64]:
    """Return (N, most) of N lists of numbers or truths; `beyond` behind the end of a list."""
    padded = np.full((len(lists), most), beyond)
    padded[places_of(lists)] = lists.flatten().to_numpy(zero_copy_only=False)
    return padded


def places_of(lists: pa.ListArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row and column of every item of lists."""
    length = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    row = np.repeat(np.arange(len(lists)), length)
    begin = np.cumsum(length) - length
    return row, np.arange(len(row)) - begin[row]


def check_splits(dataset: Dataset, parts: Mapping[str, Examples]) -> None:
    """Raise when a split has too few collapses to train or to validate with."""
    for split, part in parts.items():
        if len(part) < EPISODES_MIN:
            raise InvalidInput(
                f"{dataset.folder} has {len(part)} collapses in its split {split!r}; to learn takes {EPISODES_MIN} or more, "
                "so simulate more episodes"
            )
