"""Make debris with MuJoCo from the standing states of a dataset, and write it as one Parquet file.

    python -m benchmarks.mujoco_debris DATASET --out FILE [--split S] [--episodes N] [--workers N]

DATASET holds the preset `learn`; the first N episodes of a split are taken, of the test split if none is named. What is
finished is kept beside FILE, in FILE.parts/: the same command goes on where it was stopped.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from anastylosis.errors import AnastylosisError
from anastylosis.executors import run_pool, run_serial

from .game import fell_by_a_pull, replay_in_mujoco
from .source import Source
from .table import build_row, merge_rows, read_row, write_row


def main() -> None:
    options = parse_options()
    try:
        make_debris(Source(options.dataset, options.split), options.out, options.episodes, options.workers, print_line)
    except (AnastylosisError, OSError) as error:
        raise SystemExit(f"Error: {error}") from error


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mujoco_debris", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path, metavar="DATASET")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--split", choices=("train", "val", "test"), default="test")
    parser.add_argument("--episodes", type=int, default=300, metavar="N")
    parser.add_argument("--workers", type=int, default=1, metavar="N")
    return parser.parse_args()


def print_line(line: str) -> None:
    print(time.strftime("%H:%M:%S"), line, flush=True)


def make_debris(source: Source, out: Path, episodes: int, workers: int, progress: Callable[[str], None]) -> None:
    """Replay the falls that are not there yet, then write all of them as one file."""
    parts = out.with_name(f"{out.name}.parts")
    parts.mkdir(parents=True, exist_ok=True)
    wanted = source.list_indices(episodes)
    missing = [index for index in wanted if not part_path(parts, source.name(index)).exists()]
    progress(f"{len(wanted)} episodes, {len(missing)} of them to do")
    replay = partial(replay_one, source, parts)
    results = run_serial(replay, missing) if workers == 1 else run_pool(replay, missing, workers=workers)
    for done, (index, outcome) in enumerate(results, 1):
        progress(f"{done}/{len(missing)} {source.name(index)} {outcome}")
    rows = [read_row(part_path(parts, source.name(index))) for index in wanted]
    pulled = [row for row in rows if "outcome" in row]
    outcomes = dict(Counter(row["outcome"] for row in pulled))
    merge_rows(out, pulled, {"episodes": len(rows), "pulled": len(pulled), "outcomes": outcomes})
    progress(f"{out}: {out.stat().st_size:,} bytes; {len(rows)} episodes, {len(pulled)} with a fatal pull, in MuJoCo {outcomes}")


def part_path(parts: Path, name: str) -> Path:
    return parts / f"{name}.json"


def replay_one(source: Source, parts: Path, index: int) -> str:
    """Replay the fall of one episode, and keep it; what came of it."""
    start = time.process_time()
    document, config = source.find(index)
    found = time.process_time()
    path = part_path(parts, source.name(index))
    if not fell_by_a_pull(document):
        write_row(path, {})
        return "no fatal pull"
    fall = replay_in_mujoco(document, config)
    write_row(path, build_row(source.name(index), index, source.split, document, fall, source.manifest))
    return f"{fall.outcome} ({found - start:.0f} s to find, {time.process_time() - found:.0f} s in MuJoCo)"


if __name__ == "__main__":
    main()
