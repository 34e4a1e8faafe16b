"""Compare: how MuJoCo's debris differs from ours, and ours from ours after a jitter of a tenth of a millimetre.

    python -m benchmarks.mujoco_debris.compare FILE [--jittered N]

Writes the numbers beside FILE, as JSON; `tools/write_mujoco_table.py` puts them into docs/explanation/mujoco-debris.md.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from anastylosis.dataset.level import draw_config
from anastylosis.dataset.preset import learn_levels
from anastylosis.episode.annotation import annotate_labels, to_plain

from .game import replay_in_ours
from .table import FACTS, flatten

__all__ = ["compare_debris", "measure_quality", "read_rows"]

JITTER = 1e-4  # [m]
FELL = 0.02  # [m] a block that ended farther from where it stood fell
PULL = {"fatal_block": "removed_block", "axis": "axis", "sign": "sign"}  # columns of the file -> fields of a round
POSES = ("positions", "quaternions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--jittered", type=int, default=0, metavar="N", help="replay the first N with jitter in our engine")
    options = parser.parse_args()
    numbers = measure(options.file, options.jittered)
    options.file.with_suffix(".json").write_text(json.dumps(numbers, indent=1) + "\n")


def measure(file: Path, jittered: int) -> dict[str, Any]:
    """What the page shows: counts, all episodes, and the first `jittered` beside our engine's own spread."""
    rows = read_rows(file)
    again = [jitter_row(row) for row in rows[:jittered]]
    fell = [row for row in again if row["collapsed"]]
    names = {row["episode"] for row in fell}
    return {
        "counts": json.loads(pq.read_schema(file).metadata[FACTS]),
        "mujoco": compare_debris(rows),
        "quality": measure_quality(rows),
        "jittered": {"replayed": len(again), "fell": len(fell)},
        "jittered_ours": compare_debris(fell) if fell else {},
        "jittered_mujoco": compare_debris([row for row in rows if row["episode"] in names]) if fell else {},
    }


def measure_quality(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Whether it is debris at all; lengths in millimetres."""
    drift, depth = (1e3 * np.array([row[name] for row in rows]) for name in ("settle_drift", "penetration"))
    return {
        "at_rest": sum(row["at_rest"] for row in rows),
        "seconds": mean(row["seconds"] for row in rows),
        "drift_median_mm": round(float(np.median(drift)), 2),
        "drift_95_mm": round(float(np.quantile(drift, 0.95)), 2),
        "drift_max_mm": round(float(drift.max()), 2),
        "penetration_median_mm": round(float(np.median(depth)), 3),
        "penetration_max_mm": round(float(depth.max()), 3),
    }


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file."""
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def jitter_row(row: dict[str, Any]) -> dict[str, Any]:
    """The same row with the debris of our engine, from a tower moved a little."""
    level = learn_levels()[0]
    poses = {name: row[f"stood_{name}"] for name in POSES}
    document = row | {"labels": row | {"stood": poses}, "rounds": [{field: row[name] for name, field in PULL.items()}]}
    fall = replay_in_ours(document, draw_config(level, row["seed"]), JITTER, np.random.default_rng(row["seed"]))
    labels = flatten(to_plain(annotate_labels(fall.labels)))
    return row | {name: labels[name] for name in row if name in labels and not name.startswith("stood")} | {
        "collapsed": fall.outcome == "collapse",
    }  # fmt: skip


def compare_debris(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Means over episodes, medians where it says so; lengths in millimetres."""
    pairs = [(row, *paired(row)) for row in rows]
    apart = [np.linalg.norm(a - b, axis=1)[moved] for _, a, b, moved in pairs]
    turn = [angle_between(row["direction"], row["ours_direction"]) for row in rows]
    courses = np.array([row["failure_course"] - row["ours_failure_course"] for row in rows])
    return {
        "episodes": len(rows),
        "spread_mm": mean_mm(spread(a) for _, a, _, _ in pairs),
        "ours_spread_mm": mean_mm(spread(b) for _, _, b, _ in pairs),
        "on_floor": mean(row["blocks_on_floor"] for row in rows),
        "ours_on_floor": mean(row["ours_blocks_on_floor"] for row in rows),
        "on_floor_difference": mean(abs(row["blocks_on_floor"] - row["ours_blocks_on_floor"]) for row in rows),
        "apart_mm": mean_mm(np.concatenate(apart)),
        "apart_median_mm": round(1e3 * float(np.median(np.concatenate(apart))), 1),
        "same_failure_course": mean(courses == 0),
        "failure_course_difference": mean(np.abs(courses)),
        "direction_median_deg": round(float(np.degrees(np.median(turn))), 1),
    }


def paired(row: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """(N, 3) centres of the blocks that both engines left, theirs and ours; (N,) those that fell in either."""
    columns = (row["lies_positions"], row["ours_lies_positions"], row["stood_positions"])
    both = [each for each in zip(*columns, strict=True) if None not in each]
    theirs, ours, stood = np.array(both).swapaxes(0, 1)
    far = [np.linalg.norm(lies - stood, axis=1) > FELL for lies in (theirs, ours)]
    return theirs, ours, far[0] | far[1]


def spread(position: NDArray[np.float64]) -> float:
    """Root mean square of the horizontal distance of centres from their mean [m]."""
    away = position[:, :2] - position[:, :2].mean(axis=0)
    return float(np.sqrt((away**2).sum(axis=1).mean()))


def angle_between(a: float, b: float) -> float:
    """Between two headings [rad], 0..pi."""
    return float(abs((a - b + np.pi) % (2 * np.pi) - np.pi))


def mean(values: Any) -> float:
    return round(float(np.mean(list(values))), 3)


def mean_mm(lengths: Any) -> float:
    return round(1e3 * float(np.mean(list(lengths))), 1)


if __name__ == "__main__":
    main()
