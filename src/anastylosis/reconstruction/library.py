"""Library: the falls that ship, so that something can be retrieved where there is no dataset. Made by `make library`.

One Parquet file with some columns of the table of episodes, of the training split alone. With the recipe below every one of its
episodes can be played again, to the same bits.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anastylosis.dataset import Dataset, table_schema
from anastylosis.episode import EpisodeConfig, default_episode, learning_variation
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.fall import COLUMNS, Fall, read_falls
from anastylosis.whole_file import write_whole

__all__ = ["SHIPPED_LIBRARY", "read_library", "recipe_of", "write_library"]

SHIPPED_LIBRARY = Path(__file__).with_name("library.parquet")
BYTES_MAX = 20_000_000
FALLS_MAX = 20_000
LENGTHS = ("sizes", "stood_positions", "lies_positions")  # rounded to 0.1 mm
TURNS = ("stood_quaternions", "lies_quaternions")  # to 1e-4: 0.01 degrees
DECIMALS = 4


def read_library(source: Path | str | None = None) -> list[Fall]:
    """The falls of a library file, or the training split of a dataset; the library that ships, if neither is named."""
    path = SHIPPED_LIBRARY if source is None else Path(source)
    return list(read_whole(path))


@cache
def read_whole(path: Path) -> tuple[Fall, ...]:
    if path.is_dir():
        return tuple(read_falls(Dataset(path), ["train"], FALLS_MAX))
    if path.is_file() and path.stat().st_size > BYTES_MAX:
        raise InvalidInput(f"{path} has more than {BYTES_MAX / 1e6:.0f} MB; a library of falls has less")
    return tuple(read_falls(path, None, FALLS_MAX))


def recipe_of(fall: Fall) -> tuple[EpisodeConfig, int]:
    """Settings and seed with which `run_episode` plays an episode of the preset `learn` again."""
    config = default_episode(
        layers=fall.layers, friction=fall.friction, policy=fall.policy, rule=fall.rule, variation=learning_variation()
    )
    return config, fall.seed


def write_library(dataset: Dataset, path: Path, falls: int) -> int:
    """Write the first collapses of the training split, so many at most; how many there are."""
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
