"""Conclusion: what all hypotheses say together, the answer of the picture net, and the warnings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Vector
from anastylosis.assignment import UNASSIGNED, scale_survey
from anastylosis.detection import Photo
from anastylosis.models import Prediction, Predictor
from anastylosis.reconstruction.problem import Friction, Problem
from anastylosis.reconstruction.proposals import Hypothesis
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.resimulation import TriedPull
from anastylosis.reconstruction.retrieval import Reference
from anastylosis.reconstruction.weighing import join_filled, join_placed
from anastylosis.rendering import make_look, render_image, still_camera
from anastylosis.survey import Survey, check_survey

PICTURE_SIDE = 256  # [pixels] of the picture that the net is shown
EMPTY_APART = 1.5  # empty slots by which a proposal and the number that is expected may differ unsaid


def ask_picture_net(survey: Survey, block: Vector) -> Prediction:
    """Predict from a drawing of the heap, scaled to the blocks that the net knows.

    Imbalance and torque risk are the net's own; no other model tells them.
    """
    predictor = Predictor.from_file()
    camera = still_camera(PICTURE_SIDE, **asdict(predictor.card.view))
    drawn = scale_survey(survey, block)
    picture = render_image(
        drawn.size, drawn.position, drawn.orientation, camera, make_look("wood", 0), antialias=2, shadows="soft"
    )
    return predictor.predict(picture.rgb)


def conclude(
    problem: Problem,
    survey: Survey,
    sound: NDArray[np.int64],
    flaws: dict[int, str],
    hypotheses: Sequence[Hypothesis],
    moves: Sequence[TriedPull],
    *,
    dropped: int,
    photos: tuple[Photo, ...],
    inputs: tuple[Path, ...],
    reference: Reference | None,
    prediction: Prediction | None,
    making: Mapping[str, Any],
    warnings: Sequence[str],
) -> Reconstruction:
    """Join what the hypotheses say about blocks and slots; without physics it is what the net says."""
    simulated = problem.config.hypotheses > 0
    weights = np.array([each.probability for each in hypotheses]) if simulated else np.ones(len(hypotheses))
    weights = weights / weights.sum()
    share = problem.calibration.physics if simulated else 0.0
    placed = join_placed(problem.placed, [each.votes for each in hypotheses], weights, share)
    filled = join_filled(1 - problem.removed, [each.state for each in hypotheses], weights, share)
    seen = np.flatnonzero(problem.pinned != UNASSIGNED)  # no proposal says more of these than the survey does
    placed[seen], filled[problem.pinned[seen]] = problem.placed[seen], 1 - problem.removed[problem.pinned[seen]]
    return Reconstruction(
        survey=survey,
        rows=sound,
        flaws=flaws,
        assignment=problem.assignment,
        pinned=problem.pinned,
        placed=placed,
        filled=filled,
        level=problem.calibration.level if problem.complete else problem.calibration.level_incomplete,
        hypotheses=tuple(hypotheses),
        moves=tuple(moves),
        dropped=dropped,
        photos=photos,
        inputs=inputs,
        reference=reference,
        prediction=prediction,
        making=making,
        known_friction=problem.friction,
        tried_friction=find_tried(problem, hypotheses, moves),
        building_friction=problem.cautious,
        warnings=order_warnings(
            survey,
            (
                *warnings,
                *warn_of_flaws(survey, flaws),
                *problem.assignment.warnings,
                *warn_of_proposals(problem, hypotheses),
                *warn_of_picture(prediction),
            ),
        ),
    )


def find_tried(problem: Problem, hypotheses: Sequence[Hypothesis], moves: Sequence[TriedPull]) -> Friction | None:
    """Find the least and the most friction of all re-simulated towers; those of `moves` all had the same."""
    tried = [each.friction for each in hypotheses if each.trial] + [problem.coefficient] * bool(moves)
    return Friction(min(tried), max(tried)) if tried else None


def order_warnings(survey: Survey, warnings: Sequence[str]) -> tuple[str, ...]:
    """Order warnings: those of single blocks come last, for there may be many, and few are shown."""
    single = {finding.message for finding in check_survey(survey)}
    return tuple(sorted(warnings, key=single.__contains__))


def warn_of_flaws(survey: Survey, flaws: dict[int, str]) -> Iterator[str]:
    for row, reason in sorted(flaws.items()):
        yield f"{survey.ids[row]}: {reason}; it is put back nowhere"


def warn_of_picture(prediction: Prediction | None) -> Iterator[str]:
    """Warn when the drawing of the heap is unlike those that the picture net has learned from."""
    if prediction is not None and prediction.unlike:
        yield (
            f"a drawing of this heap is unlike any that the picture net has learned from (score {prediction.unlikeness:.3g}; "
            "known ones are below 1): do not trust the number of dangerous moves"
        )


def warn_of_proposals(problem: Problem, hypotheses: Sequence[Hypothesis]) -> Iterator[str]:
    asked = problem.config.hypotheses
    if not any(each.stands for each in hypotheses):
        yield "no state that was drawn could have stood by statics; was the tower perhaps of another height?"
    if asked and not any(each.fell for each in hypotheses):
        yield (
            "no re-simulated tower fell, so the first proposal did not fall again either; what re-simulation says of this heap "
            "is worth little"
        )
    likelier = [(each.probability, rank) for rank, each in enumerate(hypotheses, 1)]
    chance, rank = max(likelier, key=lambda each: (each[0], -each[1]))
    if asked and rank > 1:
        yield (
            f"the most probable tower, {chance:.0%}, is proposal {rank}: those before it agree better, when let fall again, with "
            "what lies and stands there"
        )
    expected, empty = float(problem.removed.sum()), int((~hypotheses[0].state.filled).sum())
    if not problem.complete and abs(expected - empty) > EMPTY_APART:
        less = "fewer" if empty < expected else "more"
        yield (
            f"the first proposal has {less} empty slots than are to be expected: {empty}, not about {expected:.1f}; how many "
            "were empty is surer than which, and the map of slots says how likely each is"
        )
    if len(hypotheses) < asked:
        yield f"only {len(hypotheses)} towers that differ and can have stood were drawn, of {asked} that were asked for"
