"""Fit the weights of fatal pulls on the training split of a dataset, and write them into the calibration of `reconstruct`.

python tools/fit_moves.py DATASET [--falls 2000]
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.optimize import minimize

from anastylosis.dataset import Dataset
from anastylosis.episode import Pull
from anastylosis.reconstruction.falls import Fall, read_falls
from anastylosis.reconstruction.moves import FEATURES, describe_pulls, list_allowed, list_features
from anastylosis.reconstruction.weighing import SHIPPED_CALIBRATION, Calibration, read_calibration, write_calibration
from anastylosis.structure import jenga_tower

RIDGE = 1e-3  # keeps weights of what was seldom seen small


def read_pulls(dataset: Dataset, falls: Sequence[Fall]) -> dict[str, tuple[str, int]]:
    """Axis and sign of the pull at which each tower fell."""
    table = dataset.read("rounds", ["episode", "axis", "sign", "outcome"])
    own = pc.is_in(table["episode"], pa.array([fall.name for fall in falls]))
    rows = table.filter(pc.and_(own, pc.equal(table["outcome"], "collapse"))).to_pylist()
    return {row["episode"]: (row["axis"], row["sign"]) for row in rows}


def describe_fall(fall: Fall, axis: str, sign: int) -> tuple[np.ndarray, int] | None:
    """What is known of every pull that was possible, and which was made; None: it was none of these."""
    tower = jenga_tower(fall.courses).select(fall.filled)
    pulls = list_allowed(tower)
    name = jenga_tower(fall.courses).ids[fall.fatal]
    made = Pull(name, axis, sign)  # type: ignore[arg-type]
    if made not in pulls:
        return None
    way = np.array([np.cos(fall.direction), np.sin(fall.direction)])
    return list_features(describe_pulls(tower, pulls, way), fall.failure), pulls.index(made)


def fit(examples: Sequence[tuple[np.ndarray, int]]) -> tuple[np.ndarray, float, float]:
    """Weights of the features, and the mean surprise [nats] with them and without any."""

    def surprise(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = RIDGE * weights @ weights, 2 * RIDGE * weights
        for known, made in examples:
            score = known @ weights
            odds = np.exp(score - score.max())
            chance = odds / odds.sum()
            value -= np.log(chance[made]) / len(examples)
            slope = slope - (known[made] - chance @ known) / len(examples)
        return float(value), slope

    start = np.zeros(len(FEATURES))
    found = minimize(surprise, start, jac=True, method="L-BFGS-B")
    return found.x, float(found.fun), surprise(start)[0]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--falls", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=SHIPPED_CALIBRATION)
    asked = parser.parse_args(words)
    dataset = Dataset(asked.dataset)
    falls = [fall for fall in read_falls(dataset, ["train"], asked.falls) if fall.fatal >= 0]
    pulls = read_pulls(dataset, falls)
    described = [describe_fall(fall, *pulls[fall.name]) for fall in falls if fall.name in pulls]
    examples = [each for each in described if each is not None]
    weights, surprise, without = fit(examples)
    gone = float(np.mean([not fall.found.all() for fall in falls]))
    about = {"falls": len(falls), "pulls": len(examples), "surprise": round(surprise, 3), "surprise_uniform": round(without, 3)}
    about |= {"carried_off": round(gone, 3)}  # the hand had the block already: told, and not used
    moves = {name: round(float(weight), 3) for name, weight in zip(FEATURES, weights, strict=True)}
    before = begin(asked.out)
    source = before.source | {"moves": about | {"split": "train", "dataset": dataset.manifest.fingerprint}}
    write_calibration(asked.out, replace(before, moves=moves, source=source))
    print(about)


def begin(path: Path) -> Calibration:
    """The calibration that is there, or numbers to begin from."""
    if path.exists():
        return read_calibration(path)
    none: dict[str, Any] = {}
    return Calibration(
        scale=1.0,
        temperature=0.01,
        farthest=0.2,
        physics=0.0,
        level=0.9,
        level_incomplete=0.9,
        moves=dict.fromkeys(FEATURES, 0.0),
        source=none,
    )


if __name__ == "__main__":
    main()
