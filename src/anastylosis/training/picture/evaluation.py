"""Evaluation of picture models: every head on splits that no training has seen, beside baselines.

Friction level and height are told to all but the neighbours, who use pictures alone; in `test-untold` to none. The level of
friction is always answered without having been told it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anastylosis.dataset import Dataset, Examples, Pictures, Recipe, Truth, draw_pictures, read_examples
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import SLOT_HEADS, UNKNOWN, Answers
from anastylosis.models.picture_model import PictureModel
from anastylosis.progress import Progress
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.picture.baselines import Neighbours, Prior, fit_neighbours, fit_prior, shrink
from anastylosis.training.picture.config import ridge_config
from anastylosis.training.picture.job import PictureJob
from anastylosis.training.picture.ridge import Ridge, fit_ridge, join_features
from anastylosis.training.picture.scores import score_answers
from anastylosis.training.picture.unlikeness_evaluation import UnlikenessTest
from anastylosis.validation import Interval, ScoreRow

BASELINES = ("prior", "neighbour", "ridge")  # what needs no net
FEWEST = 2  # episodes of a trial
LEVEL_SPLIT = "test"  # also told level by level


@dataclass(frozen=True, eq=False)
class PictureTrial:
    """Debris to evaluate on, and how its pictures are taken."""

    name: str
    examples: Examples
    camera: str = "still"
    domain: float = 0.0  # share of pictures in other light
    with_facts: bool = True  # friction and height are given

    def recipe(self, size: int, layers: int, reach: float) -> Recipe:
        """Return the settings of its pictures, for a model trained on such ones."""
        plain = self.camera == "still" and not self.domain
        return Recipe(size=size, layers=layers, reach=reach, camera=self.camera, domain=self.domain, plain_first=plain)


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureTest:
    """The models, the baselines of the training split, and the folder of cached pictures."""

    BASELINES: ClassVar[tuple[str, ...]] = BASELINES

    models: dict[str, PictureModel]
    prior: Prior
    neighbours: Neighbours
    ridge: Ridge
    recipe: Recipe  # of the pictures that neighbours and ridge have learned from
    layers: int  # slots that all are asked for, three a layer
    cache: Path
    workers: int | None = None

    @classmethod
    def open(
        cls, models: Mapping[str, PictureModel], dataset: Dataset, *, workers: int | None = None, progress: Progress
    ) -> "PictureTest":
        """Fit the baselines on the training split of the dataset."""
        recipe = ridge_config().pictures
        job = PictureJob.open(dataset, recipe, 1, workers=workers, progress=progress)
        train, levels = job.train[0], len(FRICTION_LEVELS)
        return cls(
            models=dict(models),
            prior=fit_prior(train.truth, levels),
            neighbours=fit_neighbours(shrink(train.grey), train.truth, k=min(15, len(train)), levels=levels),
            ridge=fit_ridge(train, job.val),
            recipe=recipe,
            layers=job.layers,
            cache=dataset.cache,
            workers=workers,
        )

    @staticmethod
    def list_trials(dataset: Dataset, others: Sequence[Path] = ()) -> list[PictureTrial]:
        """List all trials.

        The test split, with nothing told, in other light and from other cameras; the splits out of range of the training; other
        files.
        """
        found = list_examples(dataset, others)
        test = PictureTrial(LEVEL_SPLIT, found.pop(LEVEL_SPLIT))
        return [
            test,
            replace(test, name="test-untold", with_facts=False),
            *(PictureTrial(name, examples) for name, examples in found.items()),
            replace(test, name="test-light", domain=1.0),
            replace(test, name="test-camera-near", camera="near"),
            replace(test, name="test-camera-any", camera="any", domain=1.0),
        ]

    def count_answers(self, trials: Sequence[PictureTrial]) -> int:
        """Count the parts to come: one for each model and trial, and the unlikeness of each model."""
        return len(trials) * (len(self.models) + len(BASELINES)) + len(self.models)

    def evaluate(self, trials: Sequence[PictureTrial], *, resamples: int = 1000) -> Iterator[list[ScoreRow]]:
        """Yield the rows of one model on one trial after another, then what each model says of pictures of other kinds."""
        for trial in trials:
            if len(trial.examples) < FEWEST:
                continue
            for name, pictures, answers in self.answer(trial):
                truth = pictures.truth.cut(BLOCKS_PER_COURSE * self.layers)
                groups = {trial.name: np.arange(len(truth.num_removed))}
                if trial.name == LEVEL_SPLIT:
                    groups |= {
                        f"test-{level}": np.flatnonzero(truth.friction_level == k) for k, level in enumerate(FRICTION_LEVELS)
                    }
                rows = []
                for split, chosen in groups.items():
                    if len(chosen) >= FEWEST:
                        part = Answers._make(each if each is None else each[chosen] for each in answers)
                        if split != trial.name:
                            part = part._replace(friction_level=None)  # of one level only
                        scores = score_answers(truth.take(chosen), part, resamples=resamples)
                        rows += [ScoreRow(split, score.head, score.metric, name, *score[2:]) for score in scores]
                        rows += self.cover(split, name, truth.take(chosen), part)
                yield rows
        for trial in trials:
            if trial.name == LEVEL_SPLIT and len(trial.examples) >= FEWEST:
                unlikeness = UnlikenessTest(examples=trial.examples, cache=self.cache, workers=self.workers)
                yield from (unlikeness.evaluate(name, model) for name, model in self.models.items())

    def draw(self, trial: PictureTrial, size: int, layers: int, reach: float) -> Pictures:
        """Draw the pictures of a trial."""
        recipe = trial.recipe(size, layers, reach)
        return draw_pictures(trial.examples, recipe, 0, cache=self.cache, workers=self.workers)

    def answer(self, trial: PictureTrial) -> Iterator[tuple[str, Pictures, Answers]]:
        """Yield the name of each model, its pictures of a trial, and its answers."""
        plain = self.draw(trial, self.recipe.size, self.recipe.layers, self.recipe.reach)
        level, layers = plain.truth.friction_level, trial.examples.layers
        known_level = level if trial.with_facts else np.full_like(level, UNKNOWN)
        yield "prior", plain, self.prior.answer(known_level, layers if trial.with_facts else 0)
        yield "neighbour", plain, self.neighbours.answer(shrink(plain.grey))
        seen, blind = (
            self.ridge.answer(join_features(plain.grey, level, layers, with_facts=yes)) for yes in (trial.with_facts, False)
        )
        yield "ridge", plain, seen._replace(friction_level=blind.friction_level)
        for name, model in self.models.items():
            view = model.card.view
            pictures = self.draw(trial, model.card.size, view.layers, view.reach)
            seen, blind = (run_model(model, pictures, level, layers, with_facts=yes) for yes in (trial.with_facts, False))
            answers = seen._replace(friction_level=blind.friction_level)
            yield name, pictures, self.fit_slots(answers)

    def cover(self, split: str, name: str, truth: Truth, answers: Answers) -> list[ScoreRow]:
        """Return how often the truth was in the range that a model gives; it should be nine times in ten."""
        if name not in self.models:
            return []
        rows = []
        for head, half in self.models[name].card.calibration.half_width.items():
            within = np.abs(getattr(answers, head) - getattr(truth, head)) <= half
            rows.append(ScoreRow(split, head, "coverage", name, *Interval.wilson(int(within.sum()), len(within)), len(within)))
        return rows

    def fit_slots(self, answers: Answers) -> Answers:
        """Return the answers of a model for the slots of this test; those that it does not have are the prior's."""
        slots, known = BLOCKS_PER_COURSE * self.layers, answers.removed_locs.shape[1]
        if known >= slots:
            return answers.cut(slots)
        rest = self.prior.answer(np.full(len(answers.num_removed), UNKNOWN), 0)
        failure = answers.failure_layer
        if failure is not None:
            failure = np.concatenate([failure, np.zeros((len(failure), self.layers - failure.shape[1]))], axis=1)
        removed = np.concatenate([answers.removed_locs, rest.removed_locs[:, known:]], axis=1)
        lost = dict.fromkeys(SLOT_HEADS)
        return answers._replace(**lost | {"removed_locs": removed, "failure_layer": failure})


def run_model(
    model: PictureModel, pictures: Pictures, level: NDArray[np.int64], layers: NDArray[np.int64], *, with_facts: bool
) -> Answers:
    """Run a model; on the picture alone if friction and height are not told."""
    if not with_facts:
        return model.run(pictures.grey)
    return model.run(pictures.grey, level, layers)


def name_model(preset: str, path: Path, taken: Collection[str]) -> str:
    """Name a model: its preset; if that is taken, its file; if that is, too, with a number."""
    names = chain((preset, path.stem), (f"{path.stem}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def list_examples(dataset: Dataset, others: Sequence[Path] = ()) -> dict[str, Examples]:
    """Return the collapses of each test split of a dataset, and of other files."""
    examples = read_examples(dataset)
    tests = [str(split) for split in np.unique(examples.split) if str(split).startswith("test")]
    if LEVEL_SPLIT not in tests:
        raise InvalidInput(f"{dataset.folder} has no collapse in its split {LEVEL_SPLIT!r}; simulate more episodes")
    found = {split: examples.of(split) for split in tests}
    for path in others:
        debris = read_examples(path)
        split = str(debris.split[0])
        found[split if split.startswith("test-") else f"test-{path.stem}"] = debris
    return found
