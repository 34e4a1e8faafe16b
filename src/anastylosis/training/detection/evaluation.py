"""Evaluation of the eye: pictures of debris that no training has seen, what is found in them, and what assignment makes of it."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.assignment.assigner import Assigner
from anastylosis.dataset import Dataset
from anastylosis.detection.agreement import TWO_SCENES
from anastylosis.detection.eye import SURE, Eye, make_survey, see
from anastylosis.detection.looking import join_odds, read_slots
from anastylosis.errors import InvalidInput
from anastylosis.training.assignment.debris import gather_debris
from anastylosis.training.detection.photos import take_photos
from anastylosis.training.detection.reader_batches import fill_slots, list_slots
from anastylosis.training.detection.scenes import open_scene
from anastylosis.training.detection.scores import match_blocks
from anastylosis.training.evaluation import LEVEL_SPLIT, list_examples
from anastylosis.training.examples import Examples
from anastylosis.training.measures import Measure, measure_areas, measure_calibration, measure_mean, measure_ratio
from anastylosis.training.scores import RESAMPLES, draw_episodes, score_measure
from anastylosis.validation.score_row import ScoreRow

__all__ = ["EyeTrial", "evaluate_eye", "list_eye_trials", "pair"]

USUAL = 18  # layers
WITHIN = 2.5  # deviations along each axis, within which nine places in ten should be
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class EyeTrial:
    """Debris to look at, and how it is photographed."""

    name: str
    examples: Examples
    views: int = 1
    domain: bool = False  # light, floor, tones and sensor of any kind


class Sighting(NamedTuple):
    """What was found of one scene."""

    slots: NDArray[np.bool_]  # (S,) filled
    slot_odds: Floats  # (S,)
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


def list_eye_trials(dataset: Dataset, others: Sequence[Path] = (), most: int | None = None) -> list[EyeTrial]:
    """Towers of 18 layers in the test split, or all if there is none, in one picture and in two; in any light; then debris of
    other files, and of the same towers here. `most`: scenes of each."""
    found = list_examples(dataset, others)
    examples = found.pop(LEVEL_SPLIT)
    usual = gather_debris(examples).courses == USUAL
    test = EyeTrial(name="test", examples=cut(examples.take(usual | ~usual.any()), most))
    trials = [test, replace(test, name="test-two", views=2), replace(test, name="test-light", domain=True)]
    for name, debris in found.items():
        if name.endswith("mujoco"):
            theirs, ours = pair(debris, examples)
            trials.append(EyeTrial(name=name, examples=cut(theirs, most)))
            if len(ours):
                trials.append(EyeTrial(name=f"{name}-same", examples=cut(ours, most)))
    return trials


def pair(theirs: Examples, ours: Examples) -> tuple[Examples, Examples]:
    """The episodes that are in both, in one order: heights and heaps differ, and only the same towers tell engines apart. If
    there are none, all of theirs."""
    _, first, second = np.intersect1d(theirs.seed, ours.seed, return_indices=True)
    return (theirs.take(first) if len(first) else theirs), ours.take(second)


def cut(examples: Examples, most: int | None) -> Examples:
    return examples.take(slice(0, most))


def evaluate_eye(
    eye: Eye, assigner: Assigner, trials: Sequence[EyeTrial], *, resamples: int = RESAMPLES
) -> Iterator[list[ScoreRow]]:
    """The rows of one trial after another."""
    for trial in trials:
        sightings = [sight(eye, assigner, trial, row) for row in range(len(trial.examples))]
        draws = draw_episodes(len(sightings), resamples, 0)
        yield [
            ScoreRow(trial.name, score.head, score.metric, "eye", *score[2:])
            for (head, metric), measure in measure_sightings(sightings).items()
            for score in [score_measure(head, metric, measure, draws)]
        ]


def sight(eye: Eye, assigner: Assigner, trial: EyeTrial, row: int) -> Sighting:
    """Look at one scene."""
    scene = open_scene(trial.examples, row)
    photos, visible = take_photos(scene, trial.views, np.random.default_rng((0, row)), domain=trial.domain)
    begin = time.process_time()
    views = [see(photo) for photo in photos]
    try:
        found = eye.look_at_views(views)
    except InvalidInput as refused:
        if refused.kind != TWO_SCENES:
            raise
        found = eye.look_at_tower(views[:1]).take(np.zeros(0, np.int64))  # nothing
    seconds = time.process_time() - begin
    slots = list_slots(scene)
    fallen = found.take(np.flatnonzero(~found.stands & (expit(found.odds) >= SURE)))
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
    return Sighting(
        slots=fill_slots(slots, scene.blocks), slot_odds=join_odds(read_slots(views, eye.reader, slots)),
        wanted=int(wanted.sum()), recalled=int(wanted[matches.true].sum()),
        right=np.isin(np.arange(len(fallen.odds)), matches.found), sure=expit(fallen.odds),
        place=matches.place, turn=matches.turn, place_sd=fallen.place_sd[matches.found],
        removed=removed, removed_chance=chance, num_error=abs(error),
        num_in_sight=abs(len(removed) - visible.sum() - removed.sum()), seconds=seconds,
    )  # fmt: skip


def measure_sightings(sightings: Sequence[Sighting]) -> dict[tuple[str, str], Measure]:
    """Every metric."""
    wanted, recalled = (np.array([getattr(each, name) for each in sightings], float) for name in ("wanted", "recalled"))
    right, found = np.array([(each.right.sum(), len(each.right)) for each in sightings], float).T
    held = [each.place <= WITHIN * each.place_sd for each in sightings]
    errors = np.array([each.num_error for each in sightings])
    areas = {
        "standing": measure_areas(*pad([each.slots for each in sightings], [each.slot_odds for each in sightings])),
        "removed_locs": measure_areas(*pad([each.removed for each in sightings], [each.removed_chance for each in sightings])),
    }
    return {
        ("standing", "auc"): areas["standing"]["auc"],
        ("fallen", "recall"): measure_ratio(recalled, wanted, int(wanted.sum())),
        ("fallen", "precision"): measure_ratio(right, found, int(found.sum())),
        ("fallen", "median_mm"): measure_median([1e3 * each.place for each in sightings]),
        ("fallen", "median_degrees"): measure_median([np.degrees(each.turn) for each in sightings]),
        ("fallen", "ece"): measure_calibration(*pad([each.right for each in sightings], [each.sure for each in sightings])),
        ("fallen", "held"): measure_ratio([each.sum() for each in held], [len(each) for each in held], int(right.sum())),
        ("num_removed", "mae"): measure_mean(np.nan_to_num(errors), np.isfinite(errors)),
        ("num_removed", "in_sight"): measure_mean([each.num_in_sight for each in sightings]),
        ("removed_locs", "auc"): areas["removed_locs"]["auc"],
        ("seconds", "median"): measure_median([np.array([each.seconds]) for each in sightings]),
    }


def pad(labels: Sequence[NDArray[np.bool_]], scores: Sequence[Floats]) -> tuple[NDArray[np.bool_], Floats, NDArray[np.bool_]]:
    """Rows of different lengths as arrays (N, P), and which of their places count."""
    width = max(len(row) for row in labels)
    counted = np.arange(width) < np.array([len(row) for row in labels])[:, None]
    label, score = np.zeros(counted.shape, bool), np.zeros(counted.shape)
    label[counted], score[counted] = np.concatenate(labels), np.concatenate(scores)
    return label, score, counted


def measure_median(values: Sequence[Floats]) -> Measure:
    """The median of all values, those of an episode as often as it is drawn."""
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
