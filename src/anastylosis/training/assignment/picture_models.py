"""Picture models beside the assignment net: they answer from one picture of the same debris."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anastylosis.assignment.assignment import RANKED
from anastylosis.dataset import Examples, Recipe, draw_pictures
from anastylosis.models.picture_model import PictureModel
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.assignment.batches import FILL
from anastylosis.training.assignment.debris import Debris, gather_debris
from anastylosis.training.assignment.scores import SurveyAnswers, SurveyTruth
from anastylosis.training.picture.evaluation import run_model

SHARED_HEADS = ("removed_locs", "num_removed", "failure_layer")  # that pictures and surveys both answer


def answer_pictures(model: PictureModel, examples: Examples, cache: Path, workers: int | None = None) -> SurveyAnswers:
    """Answer with a picture model that is told friction level and height."""
    view = model.card.view
    recipe = Recipe(size=model.card.size, layers=view.layers, reach=view.reach)
    pictures = draw_pictures(examples, recipe, 0, cache=cache, workers=workers)
    answers = run_model(model, pictures, pictures.truth.friction_level, examples.layers, with_facts=True)
    debris = gather_debris(examples)
    slots = examples.removed.shape[1]
    rate = float(answers.removed_locs.mean())  # of slots that the model does not have
    failure = answers.failure_layer
    layers = (
        np.full((len(debris), slots // BLOCKS_PER_COURSE), 1.0)
        if failure is None
        else fit_width(failure, slots // BLOCKS_PER_COURSE, 0.0)
    )
    blocks = debris.slot.shape
    return SurveyAnswers(
        truth=gather_picture_truth(examples, debris),
        ranked=np.full((*blocks, RANKED), -1),
        sure=np.zeros(blocks),
        unplaced=np.ones(blocks),
        matched=np.full(blocks, FILL),
        matched_probability=np.zeros(blocks),
        removed=fit_width(answers.removed_locs, slots, rate),
        num_removed=answers.num_removed.astype(float),
        failure=layers,
        friction=np.zeros(len(debris)),
        courses=np.zeros(len(debris), np.int64),
        direction=np.zeros((len(debris), 2)),
    )


def gather_picture_truth(examples: Examples, debris: Debris) -> SurveyTruth:
    """Return the truth as picture models learn it: slots of the tower as built, without those that a player added on top."""
    slots = np.arange(examples.removed.shape[1]) < BLOCKS_PER_COURSE * examples.layers[:, None]
    return SurveyTruth(
        slots=slots, removed_locs=examples.removed, num_removed=examples.removed_count.astype(float),
        failure_layer=debris.failure_layer, friction=debris.friction, courses=np.zeros(len(debris), np.int64),
        direction=debris.direction, slot=np.where(debris.slot >= 0, debris.slot, FILL), fell=debris.fell,
    )  # fmt: skip


def fit_width(values: NDArray[np.floating], width: int, filling: float) -> NDArray[np.float64]:
    """Cut or pad columns to a width."""
    kept = values[:, :width].astype(float)
    return np.pad(kept, ((0, 0), (0, width - kept.shape[1])), constant_values=filling)
