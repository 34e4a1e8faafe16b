"""Compare: how MuJoCo's debris differs from ours, and ours from ours after a jitter of a tenth of a millimetre.

python -m benchmarks.mujoco_debris.compare FILE [--jittered N]
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from anastylosis.dataset import learn_levels
from anastylosis.dataset.level import draw_config
from anastylosis.episode.annotation import annotate_labels, to_plain

from .game import replay_in_ours
from .table import FACTS, flatten

__all__ = ["compare_debris", "read_rows"]

JITTER = 1e-4  # [m]
FELL = 0.02  # [m] a block that ended farther from where it stood fell
PULL = {"fatal_block": "removed_block", "axis": "axis", "sign": "sign"}  # columns of the file -> fields of a round
POSES = ("positions", "quaternions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--jittered", type=int, default=0, metavar="N", help="replay the first N with jitter in our engine")
    options = parser.parse_args()
    table = pq.read_table(options.file)
    rows = table.to_pylist()
    print(json.loads(table.schema.metadata[FACTS]))
    print("MuJoCo and ours", compare_debris(rows))
    if options.jittered:
        again = [jitter_row(row) for row in rows[: options.jittered]]
        fell = [row for row in again if row["collapsed"]]
        print(f"ours, jittered, and ours: {len(fell)} of {len(again)} fell", compare_debris(fell))
        same = {row["episode"] for row in fell}
        print("MuJoCo and ours, the same episodes", compare_debris([row for row in rows if row["episode"] in same]))


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
        "spread_mm": 1e3 * mean(spread(a) for _, a, _, _ in pairs),
        "ours_spread_mm": 1e3 * mean(spread(b) for _, _, b, _ in pairs),
        "on_floor": mean(row["blocks_on_floor"] for row in rows),
        "ours_on_floor": mean(row["ours_blocks_on_floor"] for row in rows),
        "on_floor_difference": mean(abs(row["blocks_on_floor"] - row["ours_blocks_on_floor"]) for row in rows),
        "apart_mm": 1e3 * mean(np.concatenate(apart)),
        "apart_median_mm": 1e3 * float(np.median(np.concatenate(apart))),
        "same_failure_course": mean(courses == 0),
        "failure_course_difference": mean(np.abs(courses)),
        "direction_median_deg": float(np.degrees(np.median(turn))),
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
    return round(float(np.mean(list(values))), 4)


if __name__ == "__main__":
    main()
