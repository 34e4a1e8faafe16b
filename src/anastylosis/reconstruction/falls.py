"""Falls: collapses of a dataset, each with what stood and what lies there; and the library of falls that ships.

Falls are references to retrieve and truths to compare with. The library is one Parquet file with some columns of the table of
episodes, of the training split alone, made by `make library`. With `Fall.recipe` each of its episodes is played again.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.dataset import Dataset, read_rows, table_schema
from anastylosis.episode import EpisodeConfig, default_episode, learning_variation
from anastylosis.errors import InvalidInput
from anastylosis.structure import BLOCKS_MAX, BLOCKS_PER_COURSE
from anastylosis.whole_file import write_whole

NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
COLUMNS = (
    "episode", "split", "seed", "layers", "policy", "rule", "friction", "fingerprint", "blocks", "sizes", "collapsed",
    "round_count", "fatal_block", "failure_course", "direction", "stood_positions", "stood_quaternions", "lies_positions",
    "lies_quaternions", "course", "place",
)  # fmt: skip
VECTORS = {"sizes": 3, "stood_positions": 3, "stood_quaternions": 4, "lies_positions": 3, "lies_quaternions": 4}  # widths
SHIPPED_LIBRARY = Path(__file__).with_name("library.parquet")
BYTES_MAX = 20_000_000
FALLS_MAX = 20_000
LENGTHS = ("sizes", "stood_positions", "lies_positions")  # rounded to 0.1 mm
TURNS = ("stood_quaternions", "lies_quaternions")  # to 1e-4: 0.01 degrees
DECIMALS = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Fall:
    """One collapse. B blocks that stood just before the fatal pull, in a tower of S slots; SI units."""

    name: str
    split: str
    seed: int
    layers: int  # of the tower as it was built; with the rule "stack" it may have grown
    policy: str
    rule: str
    rounds: int
    friction: float
    fingerprint: str
    size: Floats  # (B, 3)
    slot: NDArray[np.int64]  # (B,)
    stood: Floats  # (B, 7) position and orientation
    lies: Floats  # (B, 7) the same at the end; NaN: the hand had it
    failure: int  # the lowest course that gave way
    direction: float  # of the fall [rad]
    fatal: int  # slot of the block that was pulled; -1: none was

    @property
    def courses(self) -> int:
        return int(self.slot.max()) // BLOCKS_PER_COURSE + 1

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Mark slots (S,) that were filled."""
        return np.isin(np.arange(BLOCKS_PER_COURSE * self.courses), self.slot)

    @property
    def removed(self) -> int:
        """List slots that were empty."""
        return BLOCKS_PER_COURSE * self.courses - len(self.slot)

    @property
    def found(self) -> NDArray[np.bool_]:
        """Mark blocks (B,) that lie there."""
        return np.isfinite(self.lies[:, 0])

    @property
    def recipe(self) -> tuple[EpisodeConfig, int]:
        """Return settings and seed with which `run_episode` plays an episode of the preset `learn` again."""
        config = default_episode(
            layers=self.layers, friction=self.friction, policy=self.policy, rule=self.rule, variation=learning_variation()
        )
        return config, self.seed


def read_falls(source: Dataset | Path, splits: Sequence[str] | None = None, most: int | None = None) -> list[Fall]:
    """Yield the first collapses of these splits of a dataset, or of a file with rows like those of its table of episodes."""
    table = source.read("episodes", COLUMNS) if isinstance(source, Dataset) else read_rows(source, "episodes", COLUMNS)
    where = source.folder if isinstance(source, Dataset) else source
    asked = pc.and_(table["collapsed"], pc.greater_equal(table["failure_course"], 0))
    if splits is not None:
        asked = pc.and_(asked, pc.is_in(table["split"], pa.array(splits)))
    chosen = table.filter(asked).slice(0, most)
    if not len(chosen):
        named = "" if splits is None else f" of {', '.join(splits)}"
        raise InvalidInput(f"none of the {len(table):,} towers in {where} is a collapse{named}")
    return list(build_falls(chosen, str(where)))


def build_falls(table: pa.Table, where: str) -> Iterator[Fall]:
    vectors = []
    for name, width in VECTORS.items():
        try:
            vectors.append(stack(table[name], width))
        except ValueError as error:
            raise InvalidInput(f"{where}: {name} cannot be read: {error}") from error
    for row, *arrays in zip(table.drop_columns(list(VECTORS)).to_pylist(), *vectors, strict=True):
        row |= dict(zip(VECTORS, arrays, strict=True))
        try:
            yield build_fall(row)
        except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
            raise InvalidInput(f"{where}: {row.get('episode')!s:.60} cannot be read: {error!s:.200}") from error


def build_fall(row: Mapping[str, Any]) -> Fall:
    """Build a fall from one row of the table of episodes, its vectors stacked; a file may say anything."""
    stood = np.concatenate([row["stood_positions"], row["stood_quaternions"]], axis=1)
    lies = np.concatenate([row["lies_positions"], row["lies_quaternions"]], axis=1)
    was = np.isfinite(stood[:, 0])
    slot = BLOCKS_PER_COURSE * np.array(row["course"], np.int64) + np.array(row["place"], np.int64)
    fatal = int(slot[row["blocks"].index(row["fatal_block"])]) if row["fatal_block"] else -1
    fall = Fall(
        name=row["episode"], split=row["split"], seed=int(row["seed"]), layers=int(row["layers"]), policy=row["policy"],
        rule=row["rule"], rounds=int(row["round_count"]), friction=float(row["friction"]), fingerprint=row["fingerprint"],
        size=row["sizes"][was], slot=slot[was], stood=stood[was], lies=lies[was], failure=int(row["failure_course"]),
        direction=float(row["direction"]), fatal=fatal,
    )  # fmt: skip
    check_fall(fall)
    return fall


def check_fall(fall: Fall) -> None:
    """Raise unless a fall is whole and of a size that towers have."""
    if not NAME.fullmatch(fall.name) or not NAME.fullmatch(fall.split):
        raise ValueError("its name or its split is none; both become names of files")
    if not 0 < len(fall.slot) <= BLOCKS_MAX or not 0 <= fall.slot.min() <= fall.slot.max() < BLOCKS_MAX:
        raise ValueError(f"it has {len(fall.slot)} blocks; a tower has 1 to {BLOCKS_MAX}")
    if len(set(fall.slot.tolist())) < len(fall.slot):
        raise ValueError("two blocks stood in one slot")
    whole = np.isfinite(fall.lies).all(axis=1) | np.isnan(fall.lies).all(axis=1)
    if not (np.isfinite(fall.size).all() and (fall.size > 0).all() and np.isfinite(fall.stood).all() and whole.all()):
        raise ValueError("a block has no place, no direction or no size")
    if not 0 < fall.friction <= 10 or not np.isfinite(fall.direction) or not fall.found.any():
        raise ValueError("its friction, its direction or its debris is not one of ours")


def stack(column: pa.ChunkedArray, width: int) -> list[Floats]:
    """Return (B, width) for each row of lists with a vector a block; NaN where it is gone. All at once: one by one takes
    seconds."""
    rows = column.combine_chunks()
    vectors, counts = rows.flatten(), pc.list_value_length(rows).fill_null(0).to_numpy()
    lengths = pc.list_value_length(vectors).fill_null(width).to_numpy()
    if (counts > BLOCKS_MAX).any():
        raise ValueError(f"a tower has {counts.max():,} blocks; there are up to {BLOCKS_MAX:,}")
    if (lengths != width).any():
        raise ValueError(f"a vector has {lengths[lengths != width][0]} numbers instead of {width}")
    stacked = np.full((len(vectors), width), np.nan)
    stacked[vectors.is_valid().to_numpy(zero_copy_only=False)] = (
        vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
    )
    return np.split(stacked, np.cumsum(counts)[:-1])


def read_library(source: Path | str | None = None) -> list[Fall]:
    """Read the falls of a library file, or the training split of a dataset; the library that ships, if neither is named."""
    path = SHIPPED_LIBRARY if source is None else Path(source)
    return list(read_whole(path))


@cache
def read_whole(path: Path) -> tuple[Fall, ...]:
    if path.is_dir():
        return tuple(read_falls(Dataset(path), ["train"], FALLS_MAX))
    if path.is_file() and path.stat().st_size > BYTES_MAX:
        raise InvalidInput(f"{path} has more than {BYTES_MAX / 1e6:.0f} MB; a library of falls has less")
    return tuple(read_falls(path, None, FALLS_MAX))


def write_library(dataset: Dataset, path: Path, falls: int) -> int:
    """Write the first collapses of the training split, so many at most; return how many there are."""
    table = dataset.read("episodes", COLUMNS)
    fell = pc.and_(table["collapsed"], pc.greater_equal(table["failure_course"], 0))
    rows = table.filter(pc.and_(pc.equal(table["split"], "train"), fell)).slice(0, falls).to_pylist()
    for row in rows:
        for name in (*LENGTHS, *TURNS):
            row[name] = round_vectors(row[name])
    schema = table_schema("episodes", COLUMNS)
    about = {"dataset": dataset.manifest.fingerprint, "code": dataset.manifest.code, "seed": dataset.manifest.seed}
    schema = schema.with_metadata({**(schema.metadata or {}), b"library": json.dumps(about).encode()})
    with write_whole(path) as part:
        pq.write_table(
            pa.Table.from_pylist(rows, schema), part, compression="zstd", compression_level=19, write_page_checksum=True,
        )  # fmt: skip
    return len(rows)


def round_vectors(vectors: Sequence[Sequence[float] | None]) -> list[Any]:
    return [None if vector is None else np.round(vector, DECIMALS).tolist() for vector in vectors]
