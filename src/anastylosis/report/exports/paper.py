"""The paper's layout of a dataset: one JSON document an episode, and a summary of each level. Paper, Repository Structure.

    experiments/{episode}.json          the annotation
    experiments/summary_{level}.json    all episodes of a level, a line each

Names of files come from the names of shards, which hold neither slash nor dots alone: nothing is written elsewhere.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.report.exports.progress import ExportProgress, ExportSettings
from anastylosis.whole_file import write_whole

__all__ = ["export_experiments"]

EXPERIMENTS = "experiments"
HEAD = 2**14  # bytes in which a document has told its fingerprint: settings come before it, rounds after it
SUMMARY = ("episode", "split", "friction", "collapsed", "ending", "round_count", "removed_count", "torque_moves", "fingerprint")


def export_experiments(folder: Path | str, out: Path, settings: ExportSettings | None = None) -> Iterator[ExportProgress]:
    """Write the missing annotations of episodes, and a summary of each level; yield the progress.

    An existing document is kept if it is of the same episode, to the last bit; one of another dataset is refused. There are no
    pictures in it, so that `settings` change nothing.
    """
    dataset = Dataset(folder)
    target = out / EXPERIMENTS
    rows = dataset.read("episodes", ("level", *SUMMARY)).to_pylist()
    prints = {row["episode"]: row["fingerprint"] for row in rows}
    missing = {place: [name for name in place.names if not is_there(target, name, prints)] for place in dataset.places}
    written, lacking, total = 0, sum(map(len, missing.values())), len(dataset.names)
    yield ExportProgress(total - lacking, total, written)
    target.mkdir(parents=True, exist_ok=True)
    for place, names in missing.items():
        if names:
            for name, document in dataset.documents(place, names).items():
                write_json(target / f"{name}.json", document)
            written += len(names)
            yield ExportProgress(total - lacking + written, total, written)
    for level in {place.level: None for place in dataset.places}:
        write_json(target / f"summary_{level}.json", summarise_level(level, [row for row in rows if row["level"] == level]))


def is_there(target: Path, name: str, prints: dict[str, str]) -> bool:
    """Return whether the document of this very episode is there; refuse one of another."""
    path = target / f"{name}.json"
    if not path.exists():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        if f'"fingerprint": "{prints.get(name)}"' not in file.read(HEAD):
            raise InvalidInput(f"{path} is of another dataset; name another folder")
    return True


def summarise_level(level: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Count the episodes and the falls of a level, and list a line for each episode."""
    experiments = [{name: row[name] for name in SUMMARY} for row in rows]
    return {
        "level": level,
        "episodes": len(rows),
        "collapsed": sum(bool(row["collapsed"]) for row in rows),
        "experiments": experiments,
    }


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write one document, whole or not at all."""
    try:
        text = json.dumps(document, allow_nan=False)
    except ValueError as error:
        raise InvalidInput(f"{path.name} would hold NaN or infinity, which no episode has; run `anastylosis verify`") from error
    with write_whole(path) as part:
        part.write_text(text + "\n", encoding="utf-8")
