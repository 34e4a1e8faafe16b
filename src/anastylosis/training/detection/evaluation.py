"""Evaluation of the detector on pictures of debris that no training has seen: detections, and what is assigned from them."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.arrays import Floats
from anastylosis.assignment.assigner import Assigner
from anastylosis.dataset import Dataset, Examples
from anastylosis.detection.consistency import TWO_SCENES
from anastylosis.detection.detections import PROBABILITY_MIN, make_survey
from anastylosis.detection.detector import BlockDetector, detect_standing
from anastylosis.detection.slot_classifier import average_logits, classify_slots
from anastylosis.detection.view import level_photo
from anastylosis.errors import InvalidInput
from anastylosis.training.assignment.debris import USUAL_LAYERS, gather_debris
from anastylosis.training.detection.photos import LIGHT, PHOTOGRAPH, UNSEEN, WIDE_FIELD, WOOD, PhotoWorld, take_photos
from anastylosis.training.detection.scenes import open_scene
from anastylosis.training.detection.scores import match_blocks
from anastylosis.training.detection.slot_classifier import fill_slots, list_slots
from anastylosis.training.picture.evaluation import LEVEL_SPLIT, list_examples
from anastylosis.validation import Measure, ScoreRow

BANDS = (15, 30, 45, 60, 80)  # [degrees] ends of the elevations that are told apart
WORLDS = {  # beside wood and light
    "floors": PHOTOGRAPH,
    "unseen-floors": UNSEEN,
} | {
    f"from-{low}": replace(PHOTOGRAPH, elevation=(math.radians(low), math.radians(high)), field_of_view=WIDE_FIELD)
    for low, high in pairwise(BANDS)
}
WITHIN = 2.5  # deviations along each axis, within which nine places in ten should be


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectionTrial:
    """Debris to evaluate on, and how it is photographed."""

    name: str
    examples: Examples
    views: int = 1
    world: PhotoWorld = WOOD


class DetectionResult(NamedTuple):
    """Detections in one scene, and their errors."""

    slots: NDArray[np.bool_]  # (S,) filled
    slot_logit: Floats  # (S,)
    wanted: int  # fallen blocks that are seen
    recalled: int  # of these
    right: NDArray[np.bool_]  # (F,) of those found as fallen ones
    sure: Floats  # (F,) how probable these are said to be
    place: Floats  # (M,) [m] errors of those that match
    turn: Floats  # (M,) [rad]
    place_sd: Floats  # (M,) [m] as said, along each axis
    removed: NDArray[np.bool_]  # (P,) slots that were empty before the fall
    removed_chance: Floats  # (P,) what assignment says of them
    num_error: float  # of how many were gone; NaN where nothing could be assigned
    num_in_sight: float  # the same error of who counts exactly what is in sight
    seconds: float  # of one thread, pictures to survey


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectorTest:
    """The detector, and the assigner that reads its surveys."""

    detector: BlockDetector
    assigner: Assigner

    @staticmethod
    def list_trials(dataset: Dataset, others: Sequence[Path] = (), most: int | None = None) -> list[DetectionTrial]:
        """List the trials; `most`: scenes of each.

        Towers of 18 layers in the test split, or all if there is none, in one picture and in two, in other light, on floors that
        training has seen and has not, from all heights; then debris of other files, and of the same towers here.
        """
        found = list_examples(dataset, others)
        examples = found.pop(LEVEL_SPLIT)
        usual = gather_debris(examples).courses == USUAL_LAYERS
        test = DetectionTrial(name="test", examples=cut(examples.take(usual | ~usual.any()), most))
        trials = [test, replace(test, name="test-two", views=2), replace(test, name="test-light", world=LIGHT)]
        trials += [replace(test, name=f"test-{name}", world=world) for name, world in WORLDS.items()]
        for name, debris in found.items():
            if name.endswith("mujoco"):
                theirs, ours = pair(debris, examples)
                trials.append(DetectionTrial(name=name, examples=cut(theirs, most)))
                if len(ours):
                    trials.append(DetectionTrial(name=f"{name}-same", examples=cut(ours, most)))
        return trials

    def evaluate(self, trials: Sequence[DetectionTrial], *, resamples: int = 1000) -> Iterator[list[ScoreRow]]:
        """Yield the rows of one trial after another."""
        for trial in trials:
            detections = [detect_in_trial(self.detector, self.assigner, trial, row) for row in range(len(trial.examples))]
            draws = Measure.draw_episodes(len(detections), resamples, 0)
            yield [
                ScoreRow(trial.name, score.head, score.metric, "detector", *score[2:])
                for (head, metric), measure in measure_results(detections).items()
                for score in [measure.score(head, metric, draws)]
            ]


def pair(theirs: Examples, ours: Examples) -> tuple[Examples, Examples]:
    """Return the episodes that are in both, in one order; if there are none, all of theirs.

    Heights and heaps differ, and only the same towers tell engines apart.
    """
    _, first, second = np.intersect1d(theirs.seed, ours.seed, return_indices=True)
    return (theirs.take(first) if len(first) else theirs), ours.take(second)


def cut(examples: Examples, most: int | None) -> Examples:
    return examples.take(slice(0, most))


def detect_in_trial(detector: BlockDetector, assigner: Assigner, trial: DetectionTrial, row: int) -> DetectionResult:
    """Detect blocks in one scene, assign them, and compare both with the truth."""
    scene = open_scene(trial.examples, row)
    photos, visible = take_photos(scene, trial.views, np.random.default_rng((0, row)), trial.world)
    begin = time.process_time()
    views = [level_photo(photo) for photo in photos]
    try:
        found = detector.detect_in_views(views, scene.size)
    except InvalidInput as refused:
        if refused.kind != TWO_SCENES:
            raise
        found = detect_standing(views[:1], detector.proposal_nets.slot_classifier, scene.size).take(
            np.zeros(0, np.int64)
        )  # nothing
    seconds = time.process_time() - begin
    slots = list_slots(scene)
    fallen = found.take(np.flatnonzero(~found.stands & (expit(found.logit) >= PROBABILITY_MIN)))
    true = np.flatnonzero(scene.fell)
    matches = match_blocks(fallen.blocks, scene.blocks.take(true))
    wanted = visible[true]
    debris = gather_debris(trial.examples.take(slice(row, row + 1)))
    courses = int(debris.courses[0])
    removed = debris.removed[0, : 3 * courses]
    try:
        assignment = assigner.assign(make_survey(found), courses)
        chance, error = np.asarray(assignment.removed, float), assignment.num_removed.value - removed.sum()
    except InvalidInput:  # nothing was found, or nothing that can be assigned
        chance, error = np.full(len(removed), 0.5), math.nan
    return DetectionResult(
        slots=fill_slots(slots, scene.blocks),
        slot_logit=average_logits(classify_slots(views, detector.proposal_nets.slot_classifier, slots)),
        wanted=int(wanted.sum()), recalled=int(wanted[matches.true].sum()),
        right=np.isin(np.arange(len(fallen.logit)), matches.found), sure=expit(fallen.logit),
        place=matches.place, turn=matches.turn, place_sd=fallen.place_sd[matches.found],
        removed=removed, removed_chance=chance, num_error=abs(error),
        num_in_sight=abs(len(removed) - visible.sum() - removed.sum()), seconds=seconds,
    )  # fmt: skip


def measure_results(detections: Sequence[DetectionResult]) -> dict[tuple[str, str], Measure]:
    """Return every metric by head and name."""
    wanted, recalled = (np.array([getattr(each, name) for each in detections], float) for name in ("wanted", "recalled"))
    right, found = np.array([(each.right.sum(), len(each.right)) for each in detections], float).T
    held = [each.place <= WITHIN * each.place_sd for each in detections]
    errors = np.array([each.num_error for each in detections])
    areas = {
        "standing": Measure.areas(*pad([each.slots for each in detections], [each.slot_logit for each in detections])),
        "removed_locs": Measure.areas(*pad([each.removed for each in detections], [each.removed_chance for each in detections])),
    }
    return {
        ("standing", "auc"): areas["standing"]["auc"],
        ("fallen", "recall"): Measure.ratio(recalled, wanted, int(wanted.sum())),
        ("fallen", "precision"): Measure.ratio(right, found, int(found.sum())),
        ("fallen", "median_mm"): measure_median([1e3 * each.place for each in detections]),
        ("fallen", "median_degrees"): measure_median([np.degrees(each.turn) for each in detections]),
        ("fallen", "ece"): Measure.calibration(*pad([each.right for each in detections], [each.sure for each in detections])),
        ("fallen", "held"): Measure.ratio([each.sum() for each in held], [len(each) for each in held], int(right.sum())),
        ("num_removed", "mae"): Measure.mean(np.nan_to_num(errors), np.isfinite(errors)),
        ("num_removed", "in_sight"): Measure.mean([each.num_in_sight for each in detections]),
        ("removed_locs", "auc"): areas["removed_locs"]["auc"],
        ("seconds", "median"): measure_median([np.array([each.seconds]) for each in detections]),
    }


def pad(labels: Sequence[NDArray[np.bool_]], scores: Sequence[Floats]) -> tuple[NDArray[np.bool_], Floats, NDArray[np.bool_]]:
    """Return rows of different lengths as arrays (N, P), and a mask of the places that count."""
    width = max(len(row) for row in labels)
    counted = np.arange(width) < np.array([len(row) for row in labels])[:, None]
    label, score = np.zeros(counted.shape, bool), np.zeros(counted.shape)
    label[counted], score[counted] = np.concatenate(labels), np.concatenate(scores)
    return label, score, counted


def measure_median(values: Sequence[Floats]) -> Measure:
    """Measure the median of all values, those of an episode as often as it is drawn."""
    episode = np.repeat(np.arange(len(values)), [len(each) for each in values])
    every = np.concatenate(values)
    order = np.argsort(every)

    def weigh(weights: Floats) -> Floats:
        if not len(every):
            return np.full(len(weights), np.nan)
        sums = weights[:, episode[order]].cumsum(axis=1)
        middle = (sums < sums[:, -1:] / 2).sum(axis=1)
        return every[order][np.minimum(middle, len(every) - 1)]

    return Measure(len(every), weigh)
