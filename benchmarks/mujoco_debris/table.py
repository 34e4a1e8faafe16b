"""Table: falls as rows of the dataset's table of episodes, with what our own engine made of them beside."""

import json
from pathlib import Path
from typing import Any

import mujoco
import pyarrow as pa
import pyarrow.parquet as pq

from anastylosis.dataset.manifest import Manifest
from anastylosis.dataset.schema import EPISODES, LABELS, REAL, REALS, TEXT, TRUTH, VECTORS, WHOLE, TableColumn, arrow_schema
from anastylosis.episode.annotation import annotate_labels, to_plain
from anastylosis.validation.penetration import overlapping_pair
from anastylosis.whole_file import write_whole

from .game import Fall
from .source import LEVEL

__all__ = ["COLUMNS", "build_row", "merge_rows", "read_row", "write_row"]

POSES = ("stood", "lies")
OURS = ("failure_course", "direction", "blocks_on_floor", "lies_positions", "lies_quaternions")  # of the fall in our engine
OF_THE_FALL = (*OURS, "displacement")  # labels that are MuJoCo's; the others are of the tower that stood

COLUMNS = EPISODES | {f"ours_{name}": EPISODES[name] for name in OURS} | {
    "ours_seconds": TableColumn(REAL, "s", "simulated time of the whole episode in our engine"),
    "engine": TableColumn(TEXT, "", "that made the debris, and its version"),
    "dataset_seed": TableColumn(WHOLE, "", "of the dataset that the tower is from"),
    "dataset_code": TableColumn(TEXT, "", "fingerprint of the code that played the episode up to the fatal pull"),
    "axis": TableColumn(TEXT, "", "of the fatal pull: x across the block, y along it"),
    "sign": TableColumn(WHOLE, "", "way along that axis"),
    "force_limit": TableColumn(REAL, "N", "largest force of the hand, in MuJoCo"),
    "force_peak": TableColumn(REAL, "N", "largest force that the hand felt, in MuJoCo"),
    "settle_drift": TableColumn(REAL, "m", "largest way of a block in MuJoCo before the pull"),
    "penetration": TableColumn(REAL, "m", "deepest overlap of two blocks, or with the floor, in the debris of MuJoCo"),
    "outcome": TableColumn(TEXT, "", "of the pull in MuJoCo: collapse, out, stuck; untouched: fell before it"),
}  # fmt: skip
FACTS = b"mujoco_debris"  # key of the counts in the file's metadata


def build_row(name: str, index: int, split: str, document: dict[str, Any], fall: Fall, manifest: Manifest) -> dict[str, Any]:
    """One row: the keys and the tower of our episode, the debris of MuJoCo."""
    config, last = document["config"], document["rounds"][-1]
    ours, theirs = flatten(document["labels"]), flatten(to_plain(annotate_labels(fall.labels)))
    labels = ours | {each: theirs[each] for each in OF_THE_FALL}
    labels["displacement"] = [from_to(*way) for way in zip(labels["stood_positions"], labels["lies_positions"], strict=True)]
    collapse, pull = fall.game.recorder.collapse, fall.played
    row = document | labels | {f"ours_{each}": ours[each] for each in OURS}
    row |= {each: config[each] for each in ("layers", "policy", "rule")}
    return row | {
        "episode": name,
        "level": LEVEL,
        "index": index,
        "split": f"{split}-mujoco",
        "config": json.dumps(config),
        "round_count": len(document["rounds"]),
        "ending": "collapse" if collapse else "round_limit",
        "collapsed": collapse is not None,
        "collapse_time": collapse.time if collapse else None,
        "seconds": fall.game.recorder.time,
        "ours_seconds": document["seconds"],
        "at_rest": fall.game.at_rest,
        "kinetic_energy": float(fall.game.simulation.kinetic_energy()[0]),
        "engine": f"MuJoCo {mujoco.__version__}",
        "dataset_seed": manifest.seed,
        "dataset_code": manifest.code,
        "axis": last["axis"],
        "sign": last["sign"],
        "force_limit": pull.force_limit if pull else None,
        "force_peak": pull.extraction.peak_force if pull else None,
        "settle_drift": fall.settle_drift,
        "penetration": measure_penetration(fall),
        "outcome": fall.outcome,
    }


def flatten(labels: dict[str, Any]) -> dict[str, Any]:
    """Labels of an annotation under the names of columns."""
    poses = {f"{when}_{name}": value for when in POSES for name, value in labels[when].items()}
    return {name: (labels | poses)[name] for name in LABELS}


def from_to(start: list[float] | None, end: list[float] | None) -> list[float] | None:
    """The way between two places; None where there is none."""
    return None if start is None or end is None else [b - a for a, b in zip(start, end, strict=True)]


def measure_penetration(fall: Fall) -> float:
    """The deepest overlap at the end [m]."""
    lies = fall.labels.lies
    size = fall.game.tower.blocks.size[lies.present]
    return overlapping_pair(lies.position[lies.present], lies.orientation[lies.present], size)[0]


def write_row(path: Path, row: dict[str, Any]) -> None:
    """Keep the row of one episode, on disk whole or not at all; an empty one where there was no fatal pull."""
    with write_whole(path) as part:
        part.write_text(json.dumps({name: row[name] for name in COLUMNS if name in row}))


def read_row(path: Path) -> dict[str, Any]:
    """The row of one episode."""
    row: dict[str, Any] = json.loads(path.read_text())
    return row


def merge_rows(path: Path, rows: list[dict[str, Any]], facts: dict[str, Any]) -> None:
    """Write the rows whose towers fell as one file; `facts` go into its metadata."""
    schema = arrow_schema(COLUMNS)
    schema = schema.with_metadata((schema.metadata or {}) | {FACTS: json.dumps(facts).encode()})
    table = pa.Table.from_pylist([row for row in rows if row["outcome"] == "collapse"], schema)
    for number, field in enumerate(schema):
        if field.type in (VECTORS, REALS):
            table = table.set_column(number, field, shorten(table.column(number)))
    reals = [f"{field.name}.list.element.list.element" for field in schema if field.type == VECTORS]
    reals += [f"{field.name}.list.element" for field in schema if field.type == REALS]
    others = [field.name for field in schema if field.type in (TEXT, WHOLE, TRUTH)]
    with write_whole(path) as part:
        pq.write_table(
            table, part, compression="zstd", compression_level=19, write_page_checksum=True,
            use_byte_stream_split=reals, use_dictionary=others, row_group_size=len(table) or 1,
        )  # fmt: skip


def shorten(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same numbers with the precision of float32, 15 nm at 0.25 m: half of their bytes are then zeros, and zstd eats them."""
    kind = column.type
    short = pa.list_(pa.list_(pa.float32())) if kind == VECTORS else pa.list_(pa.float32())
    return column.cast(short).cast(kind)
