"""A shard: a few episodes as three Parquet files, made whole in memory by any process that has a core to spare."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import anastylosis
from anastylosis.dataset.level import draw_config
from anastylosis.dataset.plan import Job
from anastylosis.dataset.schema import TABLES, TableColumn, arrow_schema
from anastylosis.dataset.split import split_of
from anastylosis.dataset.tables import tabulate
from anastylosis.episode import Episode, episode_seed, run_episode
from anastylosis.errors import InvalidInput
from anastylosis.physics import Simulation

DECIDING = ("geometry", "structure", "kernel.py", "physics", "mechanics", "episode", "dataset/level.py")
ON_CUDA = "-cuda"  # what the fingerprint of code that runs on a GPU ends in
COMPILERS = ("numba", "llvmlite", "numpy")


@dataclass(frozen=True)
class Shard:
    """Finished episodes, ready to be written."""

    files: dict[str, bytes]  # table -> Parquet file
    collapsed: int  # of its episodes
    seconds: float  # of work that the episodes themselves took


@cache
def code_fingerprint() -> str:
    """Return a hash of the sources that decide what happens in an episode, and of what turns them into machine code."""
    package = Path(anastylosis.__file__).parent
    digest = hashlib.sha256(" ".join(metadata.version(name) for name in COMPILERS).encode())
    for name in DECIDING:
        path = package / name
        for source in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def play_episode(job: Job, index: int, simulate: Callable[..., Simulation] | None = None) -> Episode:
    """Play episode `index` of a level; `simulate` makes its world, on the CPU unless told otherwise."""
    seed = episode_seed(job.seed, index, job.level.stream)
    config = draw_config(job.level, seed)
    return run_episode(config, seed, simulate=simulate) if simulate else run_episode(config, seed)


def make_shard(job: Job, play: Callable[[Job, int], Episode] | None = None) -> Shard:
    """Play the episodes of a job. Runs anywhere: what it needs is in the job, what it makes is in the shard."""
    if job.code.removesuffix(ON_CUDA) != code_fingerprint():
        raise InvalidInput(
            "a worker runs other code than this process; install the same versions everywhere, of numba and NumPy too"
        )
    rows, collapsed, seconds = [], 0, 0.0
    for index in job.indices:
        start = time.perf_counter()
        episode = (play or play_episode)(job, index)
        seconds += time.perf_counter() - start
        collapsed += episode.collapsed
        split = split_of(job.level, episode.seed, job.shares)
        rows.append(tabulate(episode, level=job.level.name, index=index, split=split))
    return Shard(encode_shard(rows), collapsed, seconds)


def first_fingerprint(job: Job, play: Callable[[Job, int], Episode] | None = None) -> str:
    """Return the fingerprint of the first episode of a job."""
    return (play or play_episode)(job, job.first).fingerprint()


def encode_shard(rows: list[dict[str, pa.Table]]) -> dict[str, bytes]:
    """Return the Parquet file of each table, from the rows of each episode."""
    return {table: encode([episode[table] for episode in rows], columns) for table, columns in TABLES.items()}


def encode(parts: list[pa.Table], columns: Mapping[str, TableColumn]) -> bytes:
    """Return a Parquet file with a row group for each part: one episode is read without the others."""
    schema = arrow_schema(columns)
    leaves = list(leaf_columns(schema))
    file = BytesIO()
    with pq.ParquetWriter(
        file,
        schema,
        compression="zstd",
        use_byte_stream_split=[name for name, real in leaves if real],
        use_dictionary=[name for name, real in leaves if not real],
        write_page_checksum=True,
    ) as writer:
        for part in parts:
            writer.write_table(part, row_group_size=max(1, len(part)))
    return file.getvalue()


def leaf_columns(schema: pa.Schema) -> Iterator[tuple[str, bool]]:
    """Return the name by which Parquet knows each column, and whether it holds reals."""
    for field in schema:
        name, kind = field.name, field.type
        while pa.types.is_list(kind):
            name, kind = f"{name}.list.element", kind.value_type
        yield name, pa.types.is_floating(kind)
