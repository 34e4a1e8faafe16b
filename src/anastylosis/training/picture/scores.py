"""Scores of picture models: every metric of every head; and whether one model beats another."""

import numpy as np

from anastylosis.dataset import Truth
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import Answers, head_shapes
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.picture.heads import PICTURE_HEADS
from anastylosis.validation import Interval, Measure, Score

MEASURES = {head.name: head.measure for head in PICTURE_HEADS}


def score_answers(truth: Truth, answers: Answers, *, resamples: int = 1000, seed: int = 0) -> list[Score]:
    """Score every metric of every head that was answered, in the order of the heads."""
    check_answers(truth, answers)
    draws = Measure.draw_episodes(len(truth.slots), resamples, seed)
    return [
        measure.score(head, metric, draws) for head in MEASURES for metric, measure in measure_head(head, truth, answers).items()
    ]


def compare_scores(
    truth: Truth, first: Answers, second: Answers, head: str, metric: str, *, resamples: int = 1000, seed: int = 0
) -> Interval:
    """Return first minus second of one metric, on the same episodes in each draw. An interval without 0 tells them apart."""
    measures = []
    for answers in (first, second):
        check_answers(truth, answers)
        found = measure_head(head, truth, answers) if head in MEASURES else {}
        if metric not in found:
            known = ", ".join(found) if found else "none: the head is unknown or was not answered"
            raise InvalidInput(f"{head} has no metric {metric!r} to compare; it has {known}")
        measures.append(found[metric])
    draws = Measure.draw_episodes(len(truth.slots), resamples, seed)
    return measures[0].compare(measures[1], metric, draws)


def measure_head(head: str, truth: Truth, answers: Answers) -> dict[str, Measure]:
    """Return the metrics of one head by name; none when it was not answered."""
    answer = getattr(answers, head)
    return {} if answer is None else MEASURES[head](truth, answer)


def check_answers(truth: Truth, answers: Answers) -> None:
    """Raise unless answers are about the same pictures and slots, and finite wherever they are measured."""
    pictures, slots = truth.slots.shape
    levels = 0 if answers.friction_level is None else answers.friction_level.shape[-1]
    shapes = head_shapes(slots // BLOCKS_PER_COURSE, levels)
    for head in MEASURES:
        answer = getattr(answers, head)
        if answer is None:
            continue
        wanted = (pictures, *shapes[head])
        if answer.shape != wanted:
            raise InvalidInput(f"the answers of {head} have shape {answer.shape}; the truth asks for {wanted}")
        counted = answer[truth.slots] if wanted[1:2] == (slots,) else answer
        if not np.isfinite(counted).all():
            raise InvalidInput(f"{np.sum(~np.isfinite(counted))} answers of {head} are no finite numbers; look into the model")
    probable = answers.removed_locs[truth.slots]
    if probable.size and not (probable.min() >= 0 and probable.max() <= 1):
        raise InvalidInput(f"probabilities of removed_locs go from {probable.min()} to {probable.max()}; they are in 0..1")
