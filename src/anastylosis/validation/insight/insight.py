"""Insight: answers of one model to the test split, beside the truth, and the episode that is shown.

The model is told friction and height, as in `anastylosis evaluate`. Its embedding is made from the picture alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats, Integers
from anastylosis.dataset import Dataset, Examples, Pictures, Recipe, Truth, draw_pictures, read_examples
from anastylosis.errors import InvalidInput
from anastylosis.models import Answers, PictureModel
from anastylosis.progress import CountProgress
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.validation.insight.embedding import project

SPLIT = "test"  # that no training has seen
FEWEST = 2  # episodes
PROBABILITY_MARGIN = 1e-6  # probabilities are kept this far from 0 and 1: a loss is finite


@dataclass(frozen=True, kw_only=True, eq=False)
class Insight:
    """A model's answers to N test episodes, with the pictures that it saw and the truth. P slots, those that both have."""

    model: PictureModel
    examples: Examples
    recipe: Recipe
    grey: NDArray[np.uint8]  # (N, S, S)
    truth: Truth
    answers: Answers
    row: int  # the episode that is shown

    @classmethod
    def open(
        cls,
        model: PictureModel,
        dataset: Dataset,
        *,
        episode: str | None = None,
        workers: int | None = None,
        progress: CountProgress | None = None,
    ) -> "Insight":
        """Draw the test split in the size that the model reads, and run the model on it."""
        examples = find_test(dataset)
        wanted = None if episode is None else find_episode(dataset, examples, episode)
        view = model.card.view
        recipe = Recipe(size=model.card.size, layers=view.layers, reach=view.reach)
        pictures = draw_pictures(examples, recipe, 0, cache=dataset.cache, workers=workers, progress=progress)
        answers = model.run(pictures.grey, pictures.truth.friction_level, examples.layers)
        truth, answers = share_slots(pictures, answers)
        row = pick_episode(truth, answers) if wanted is None else wanted
        return cls(model=model, examples=examples, recipe=recipe, grey=pictures.grey, truth=truth, answers=answers, row=row)

    @property
    def layers(self) -> int:
        return self.truth.slots.shape[1] // BLOCKS_PER_COURSE

    @property
    def towers(self) -> NDArray[np.int64]:
        """Return (N,) the number of each episode's tower: one seed at two levels of friction is no independent draw."""
        return np.unique(self.examples.seed, return_inverse=True)[1]

    def choose_top(self) -> Integers:
        """Return the slots of the shown episode that are most probably empty: as many as the model predicts are gone."""
        return choose_top(self.answers, self.truth, self.row)

    def map_embedding(self) -> tuple[Integers, Floats] | None:
        """Return the rows that a map of the embedding shows and their places on it; None where there is nothing to map."""
        return None if self.answers.embedding is None else project(self.answers.embedding)


def find_test(dataset: Dataset) -> Examples:
    """Return the collapses of the test split."""
    examples = read_examples(dataset).of(SPLIT)
    if len(examples) < FEWEST:
        raise InvalidInput(
            f"{dataset.folder} has {len(examples)} collapses in its split {SPLIT!r}, which a model is explained with; "
            "simulate more episodes"
        )
    return examples


def find_episode(dataset: Dataset, examples: Examples, name: str) -> int:
    """Return the row of an episode of the test split; raise with a list of names if there is none."""
    rows = np.flatnonzero(examples.name == name)
    if len(rows):
        return int(rows[0])
    if name in dataset.names:
        raise InvalidInput(f"episode {name} is not a collapse of the split {SPLIT!r}; such are {list_some(examples)}")
    raise InvalidInput(f"there is no episode {name!r} in {dataset.folder}; those of the test split are {list_some(examples)}")


def list_some(examples: Examples) -> str:
    names = [str(name) for name in examples.name[:3]]
    return ", ".join(names) + (", .." if len(examples) > len(names) else "")


def share_slots(pictures: Pictures, answers: Answers) -> tuple[Truth, Answers]:
    """Cut truth and answers to the slots that both have."""
    slots = min(pictures.truth.slots.shape[1], answers.removed_locs.shape[1])
    return pictures.truth.cut(slots), answers.cut(slots)


def measure_losses(truth: Truth, answers: Answers) -> Floats:
    """Return (N,) the mean logarithmic loss over each episode's slots."""
    predicted = answers.removed_locs.astype(float).clip(PROBABILITY_MARGIN, 1 - PROBABILITY_MARGIN)
    losses = -np.log(np.where(truth.removed_locs, predicted, 1 - predicted))
    return np.asarray((losses * truth.slots).sum(axis=1) / truth.slots.sum(axis=1).clip(1))


def pick_episode(truth: Truth, answers: Answers) -> int:
    """Return the episode with the median loss."""
    order = np.argsort(measure_losses(truth, answers), kind="stable")
    return int(order[(len(order) - 1) // 2])


def choose_top(answers: Answers, truth: Truth, row: int) -> NDArray[np.int64]:
    """Return the slots with the highest probability of being empty: as many as the model predicts are gone."""
    there = np.flatnonzero(truth.slots[row])
    count = min(round(float(answers.num_removed[row])), len(there))
    return there[np.argsort(-answers.removed_locs[row, there], kind="stable")[:count]]
