"""Choose the numbers that weigh proposals, on the validation split of a dataset, and write them into the calibration.

python tools/calibrate_reconstruction.py DATASET [--episodes 40] [--scales 60]

Falls are reconstructed as `evaluate-reconstruction` does, and finished ones are kept in the same way. Chosen are: the scale of
the noise of draws (by the Brier score of how often blocks are drawn into slots), then temperature, farthest distance and trust
(by the probability that proposals nearest to the truth get), the share of physics (by the probability of true slots), and the
level of sets (nine in ten fallen blocks).
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.dataset import Dataset
from anastylosis.executors import run_pool, run_serial
from anastylosis.machine import count_cores
from anastylosis.predict.assignment.assigner import Assigner
from anastylosis.predict.assignment.matching import ALONE
from anastylosis.predict.shipped import SHIPPED_ASSIGNMENT
from anastylosis.reconstruct.calibration import SHIPPED_CALIBRATION, Calibration, read_calibration, write_calibration
from anastylosis.reconstruct.case import ReconstructionConfig, open_case
from anastylosis.reconstruct.contest import Contest, Record, list_entries, run_contest
from anastylosis.reconstruct.draws import draw_states
from anastylosis.reconstruct.evaluation import find_nearest
from anastylosis.reconstruct.fall import Fall, read_falls
from anastylosis.reconstruct.judging import set_exercise
from anastylosis.reconstruct.weighing import weigh_states
from anastylosis.survey import Noise

SCALES = (0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5, 2.0)
DRAWS = 100
TEMPERATURES = (0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.15, 0.3, 1.0, 100.0)
FARTHEST = (0.03, 0.05, 0.08, 0.12, 0.2)
TRUSTS = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5)
SHARES = np.linspace(0, 1, 21)
COVERED = 0.9
LEAST = 1e-4  # a true slot that nobody thought of


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--scales", type=int, default=60, help="falls that the scale is chosen on; 0: leave it")
    parser.add_argument("--workers", type=int, default=count_cores())
    parser.add_argument("--out", type=Path, default=SHIPPED_CALIBRATION)
    asked = parser.parse_args(words)
    dataset = Dataset(asked.dataset)
    falls = read_falls(dataset, ["val"], max(asked.episodes, asked.scales))
    calibration = read_calibration(asked.out)
    if asked.scales:
        scores = score_scales(falls[: asked.scales], calibration)
        calibration = replace(calibration, scale=min(scores, key=lambda scale: scores[scale]))
        write_calibration(asked.out, calibration)
        read_calibration.cache_clear()
        print("Brier score by scale:", {scale: round(score, 4) for scale, score in scores.items()})
    contest = Contest(config=ReconstructionConfig(assembly=False))
    execute = run_serial if asked.workers == 1 else partial(run_pool, workers=asked.workers)
    entries = list_entries(contest, falls[: asked.episodes], "val")
    records = []
    for record in run_contest(entries, asked.dataset / "reconstruction", execute):
        records.append(record)
        print(f"{len(records)} of {len(entries)}: {record['episode']}", flush=True)
    fitted = fit(records, calibration)
    about = {"falls": len(records), "split": "val", "dataset": dataset.manifest.fingerprint, "scale_falls": asked.scales}
    write_calibration(asked.out, replace(fitted, source=fitted.source | {"weights": about}))
    print({name: getattr(fitted, name) for name in ("scale", "temperature", "farthest", "trust", "physics", "level")})


def score_scales(falls: Sequence[Fall], calibration: Calibration) -> dict[float, float]:
    """The Brier score of draws of fallen blocks at each scale: how often each is drawn into each slot, beside where it stood."""
    assigner = Assigner.from_file(SHIPPED_ASSIGNMENT)
    sums, blocks = dict.fromkeys(SCALES, 0.0), 0
    for fall in falls:
        exercise = set_exercise(fall, Noise())
        assignment = assigner.assign(exercise.survey, exercise.courses, complete=True)
        case = open_case(assignment, calibration, None, ReconstructionConfig(), complete=True)
        truth = np.equal.outer(exercise.slot, np.arange(len(assignment.structure)))
        blocks += int(exercise.fell.sum())
        for scale in SCALES:
            drawn = np.zeros(truth.shape)
            for state in islice(draw_states(case.odds, scale, np.random.default_rng(0), unseen=False), DRAWS):
                rows = np.flatnonzero(state.slot != ALONE)
                drawn[rows, state.slot[rows]] += 1 / DRAWS
            sums[scale] += float(((drawn - truth)[exercise.fell] ** 2).sum())
    return {scale: total / blocks for scale, total in sums.items()}


def fit(records: Sequence[Record], calibration: Calibration) -> Calibration:
    """The same calibration with the best of the numbers that were tried."""
    tried = [
        replace(calibration, temperature=temperature, farthest=farthest, trust=trust)
        for temperature, farthest, trust in product(TEMPERATURES, FARTHEST, TRUSTS)
    ]
    best = max(tried, key=lambda each: float(np.mean([credit(record, each) for record in records])))
    blocks = [block for record in records for block in list_blocks(record, best)]
    share = max(SHARES, key=lambda each: float(np.mean([np.log(max(believe(block, each), LEAST)) for block in blocks])))
    needed = sorted(level_needed(block, share) for block in blocks)
    level = needed[min(len(needed) - 1, int(np.ceil(COVERED * (len(needed) + 1))) - 1)] if needed else COVERED
    rounded_up = float(np.ceil(1e4 * min(level, 1.0)) / 1e4)
    return replace(best, physics=round(float(share), 3), level=rounded_up)


def weigh(record: Record, calibration: Calibration) -> np.ndarray:
    share, distance = (np.array([each[name] for each in record["proposals"]], float) for name in ("share", "distance"))
    return weigh_states(share, distance, calibration)


def credit(record: Record, calibration: Calibration) -> float:
    """The logarithm of the probability of the proposals that are nearest to the truth."""
    return float(np.log(max(weigh(record, calibration)[find_nearest(record)].sum(), LEAST)))


def list_blocks(record: Record, calibration: Calibration) -> Iterator[dict[str, Any]]:
    """Of each fallen block: its true slot, and what the net and the weighed hypotheses say of slots."""
    weights = weigh(record, calibration)
    for block in record["blocks"]:
        voted: dict[str, float] = {}
        for weight, votes in zip(weights, block["votes"], strict=True):
            for slot, vote in votes.items():
                voted[slot] = voted.get(slot, 0.0) + weight * vote
        yield {"true": str(block["true"]), "net": block["net"], "voted": voted}


def believe(block: dict[str, Any], share: float, slot: str | None = None) -> float:
    """The probability of a slot, the true one if none is named, with this share of physics."""
    name = slot or block["true"]
    return (1 - share) * block["net"].get(name, 0.0) + share * block["voted"].get(name, 0.0)


def level_needed(block: dict[str, Any], share: float) -> float:
    """The level from which on the true slot is in the set of a block: what is more probable than it has to fall short of that."""
    slots = {*block["net"], *block["voted"]}
    own = believe(block, share)
    if own <= 0:
        return 1.0
    return sum(p for slot in slots if (p := believe(block, share, slot)) > own) + 1e-9


if __name__ == "__main__":
    main()
