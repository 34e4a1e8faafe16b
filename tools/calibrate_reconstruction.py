"""Choose the numbers that weigh proposals, on the validation split of a dataset, and write them into the calibration.

python tools/calibrate_reconstruction.py DATASET [--episodes 40] [--scales 60] [--debris FILE] [--pictures 40] [--levels-only]

Falls are reconstructed as `evaluate-reconstruction` does, and finished ones are kept in the same way. Chosen are: the scale of
the noise of draws (by the Brier score of how often blocks are drawn into slots), then temperature and farthest distance
(by the probability that proposals nearest to the truth get), the share of physics (by the probability of true slots), and the
levels of sets: nine in ten fallen blocks are to be in theirs, in the mean over falls, for a user has one fall. That is none of
our engine's. So the level of complete surveys is chosen on our own falls and the debris in FILE alike, as
`python -m benchmarks.mujoco_debris DATASET --split val` makes it; that of incomplete ones on what is found in pictures.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.assignment.assigner import Assigner
from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.dataset import Dataset
from anastylosis.dataset.manifest import Manifest
from anastylosis.executors import run_pool, run_serial
from anastylosis.machine import count_cores
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT
from anastylosis.reconstruction.comparison import ComparedFall, MethodComparison, Record, run_comparison
from anastylosis.reconstruction.draws import draw_states
from anastylosis.reconstruction.evaluation import find_nearest
from anastylosis.reconstruction.falls import Fall, read_falls
from anastylosis.reconstruction.problem import ReconstructionConfig, pose_problem
from anastylosis.reconstruction.scoring import survey_fall
from anastylosis.reconstruction.weighing import (
    SHIPPED_CALIBRATION,
    SLOT_PROBABILITY_MIN,
    Calibration,
    read_calibration,
    weigh_states,
    write_calibration,
)
from anastylosis.survey import Noise

SCALES = (0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5, 2.0)
DRAWS = 100
TEMPERATURES = (0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.15, 0.3, 1.0, 100.0)
FARTHEST = (0.03, 0.05, 0.08, 0.12, 0.2)
SHARES = np.linspace(0, 1, 21)
LEVELS = tuple(round(0.01 * step, 2) for step in range(1, 100))
COVERED = 0.9
SEEN = "val-picture"
LEAST = 1e-4  # a true slot that nobody thought of


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--scales", type=int, default=60, help="falls that the scale is chosen on; 0: leave it")
    parser.add_argument("--debris", type=Path, help="falls of another engine, of the same split")
    parser.add_argument("--pictures", type=int, default=40, help="falls that are seen in one picture")
    parser.add_argument("--levels-only", action="store_true", help="choose the levels of sets; leave the other numbers")
    parser.add_argument("--workers", type=int, default=count_cores())
    parser.add_argument("--out", type=Path, default=SHIPPED_CALIBRATION)
    asked = parser.parse_args(words)
    dataset = Dataset(asked.dataset)
    falls = read_falls(dataset, ["val"], max(asked.episodes, asked.scales, asked.pictures))
    calibration = read_calibration(asked.out)
    if asked.scales and not asked.levels_only:
        scores = score_scales(falls[: asked.scales], calibration)
        calibration = replace(calibration, scale=min(scores, key=lambda scale: scores[scale]))
        write_calibration(asked.out, calibration)
        read_calibration.cache_clear()
        print("Brier score by scale:", {scale: round(score, 4) for scale, score in scores.items()})
    execute = run_serial if asked.workers == 1 else partial(run_pool, workers=asked.workers)
    entries = gather(falls, asked.debris, asked.episodes, asked.pictures)
    records: dict[str, list[Record]] = {}
    for done, record in enumerate(run_comparison(entries, asked.dataset / "reconstruction", execute), 1):
        records.setdefault(record["split"], []).append(record)
        print(f"{done} of {len(entries)}: {record['split']}, {record['episode']}", flush=True)
    about = {"split": "val", "dataset": name_dataset(dataset.manifest)}
    if not asked.levels_only:
        calibration = fit(records["val"], calibration)
        weights = about | {"falls": len(records["val"]), "scale_falls": asked.scales}
        calibration = replace(calibration, source=calibration.source | {"weights": weights})
    calibration = fit_levels(records, calibration, about)
    write_calibration(asked.out, calibration)
    print({name: value for name, value in asdict(calibration).items() if name != "moves"})


def name_dataset(manifest: Manifest) -> str:
    """Its fingerprint; of one that is not finished, and has none, what decides its episodes."""
    return manifest.fingerprint if manifest.files else f"unfinished, seed {manifest.seed}, code {manifest.code}"


def gather(falls: Sequence[Fall], debris: Path | None, episodes: int, pictures: int) -> list[ComparedFall]:
    """Falls as they are surveyed, those of another engine, and the first ones as they are seen in a picture."""
    comparison = MethodComparison(config=ReconstructionConfig(assembly=False, picture_net=False))
    entries = comparison.list_falls(falls[:episodes], "val")
    if debris:
        entries += comparison.list_falls(read_falls(debris, None, episodes), "val-mujoco")
    if pictures:
        photographed = replace(comparison, pictures=True, complete=False)
        entries += photographed.list_falls(falls[:pictures], SEEN)
    return entries


def score_scales(falls: Sequence[Fall], calibration: Calibration) -> dict[float, float]:
    """The Brier score of draws of fallen blocks at each scale: how often each is drawn into each slot, beside where it stood."""
    assigner = Assigner.from_file(SHIPPED_ASSIGNMENT)
    sums, blocks = dict.fromkeys(SCALES, 0.0), 0
    for fall in falls:
        exercise = survey_fall(fall, Noise())
        assignment = assigner.assign(exercise.survey, exercise.courses, complete=True)
        case = pose_problem(assignment, calibration, None, ReconstructionConfig(), complete=True)
        truth = np.equal.outer(exercise.slot, np.arange(len(assignment.structure)))
        blocks += int(exercise.fell.sum())
        for scale in SCALES:
            drawn = np.zeros(truth.shape)
            for state in islice(draw_states(case.logp, scale, np.random.default_rng(0), unseen=False), DRAWS):
                rows = np.flatnonzero(state.slot != UNASSIGNED)
                drawn[rows, state.slot[rows]] += 1 / DRAWS
            sums[scale] += float(((drawn - truth)[exercise.fell] ** 2).sum())
    return {scale: total / blocks for scale, total in sums.items()}


def fit(records: Sequence[Record], calibration: Calibration) -> Calibration:
    """The same calibration with the best of the numbers that were tried."""
    tried = [
        replace(calibration, temperature=temperature, farthest=farthest)
        for temperature, farthest in product(TEMPERATURES, FARTHEST)
    ]
    best = max(tried, key=lambda each: float(np.mean([credit(record, each) for record in records])))
    blocks = [block for record in records for block in list_blocks(record, best)]
    share = max(SHARES, key=lambda each: float(np.mean([np.log(max(believe(block, each), LEAST)) for block in blocks])))
    return replace(best, physics=round(float(share), 3))


def fit_levels(records: dict[str, list[Record]], calibration: Calibration, about: dict[str, Any]) -> Calibration:
    """The same calibration with both levels, and what each was chosen on."""
    surveyed = {kind: own for kind, own in records.items() if kind != SEEN}
    seen = {kind: own for kind, own in records.items() if kind == SEEN}
    for name, kinds in (("level", surveyed), ("level_incomplete", seen)):
        if kinds:
            level, covered = fit_level(kinds, calibration)
            sets = about | {kind: {"falls": len(own), "covered": covered[kind]} for kind, own in kinds.items()}
            changed: dict[str, Any] = {name: level, "source": calibration.source | {name: sets}}
            calibration = replace(calibration, **changed)
    return calibration


def fit_level(records: dict[str, list[Record]], calibration: Calibration) -> tuple[float, dict[str, float]]:
    """The lowest level at which nine in ten fallen blocks are in their sets, in the mean over falls, then over their kinds; and
    the share of each kind that is."""
    needed = {
        kind: [np.array([level_needed(b, calibration.physics) for b in list_blocks(record, calibration)]) for record in told]
        for kind, own in records.items()
        if (told := [record for record in own if record["blocks"]])
    }
    share = {
        level: {kind: float(np.mean([(fall <= level).mean() for fall in falls])) for kind, falls in needed.items()}
        for level in LEVELS
    }
    level = next((each for each in LEVELS if np.mean(list(share[each].values())) >= COVERED), LEVELS[-1])
    return level, {kind: round(value, 3) for kind, value in share[level].items()}


def weigh(record: Record, calibration: Calibration) -> np.ndarray:
    """Return the probabilities of the proposals among themselves."""
    share, distance = (np.array([each[name] for each in record["proposals"]], float) for name in ("share", "distance"))
    weights = weigh_states(share, distance, calibration)
    return np.asarray(weights / weights.sum())


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
    if own < SLOT_PROBABILITY_MIN and own < max(believe(block, share, slot) for slot in slots):
        return 1.0
    return sum(p for slot in slots if (p := believe(block, share, slot)) > own) + 1e-9


if __name__ == "__main__":
    main()
