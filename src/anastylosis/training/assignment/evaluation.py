"""Evaluation of assignment: every answer of the net on surveys that no training has seen, beside baselines.

Every model is told the height. Friction is told in `test-told` alone; picture models, which may stand beside, are told both.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from anastylosis.assignment import Assigner
from anastylosis.assignment.model import DIRECT, AssignmentInput, AssignmentModel, AssignmentOutput, assume_complete
from anastylosis.dataset import Dataset, Examples, read_examples
from anastylosis.models.picture_model import PictureModel
from anastylosis.survey import Noise
from anastylosis.training.assignment.baselines import SurveyPrior, fit_survey_prior, take_nearest, take_what_is_there
from anastylosis.training.assignment.batches import SurveyCase, collect, open_survey_case
from anastylosis.training.assignment.debris import USUAL_LAYERS, Debris, gather_debris
from anastylosis.training.assignment.doubt_evaluation import DoubtTest
from anastylosis.training.assignment.job import FIELD_NOISE
from anastylosis.training.assignment.picture_models import SHARED_HEADS, answer_pictures
from anastylosis.training.assignment.removed_range import HIDDEN
from anastylosis.training.assignment.scores import SurveyAnswers, join_answers, score_answers
from anastylosis.training.picture.evaluation import list_examples
from anastylosis.validation import Interval, ScoreRow

WORST_NOISE = Noise(position=0.015, angle=math.radians(15), hidden=0.15)
FOREIGN_NOISE = replace(FIELD_NOISE, foreign=3)
HIDDEN_ERRORS = (0.0, 0.015)  # [m] of surveys with hidden blocks; degrees as many as millimetres
SLIPPERY, SLIPPERY_SUFFIX = 0.30, "-slippery"  # friction below which debris of another engine is a split of its own
TEST_SPLIT = "test"
FEWEST = 2  # episodes of a trial

Assign = Callable[[AssignmentInput], AssignmentOutput]
# The heads that each baseline answers; it is not scored on the others.
SURVEY_BASELINES: Mapping[str, tuple[str, ...]] = {
    "prior": ("removed_locs", "num_removed", "failure_layer", "friction"),
    "nearest": ("placed", "removed_locs", "num_removed"),
    "rule": ("removed_locs", "num_removed"),
}
DIRECT_HEADS = ("removed_locs", "num_removed", "failure_layer", "friction", "courses", "direction")  # of nets that place no block


@dataclass(frozen=True, kw_only=True, eq=False)
class SurveyTrial:
    """Debris to evaluate on, and the errors of its surveys."""

    name: str
    examples: Examples
    noise: Noise = field(default_factory=Noise)
    with_friction: bool = False  # the net is given it
    complete: bool = False  # the net is given that no block is missing

    def open_cases(self) -> list[SurveyCase]:
        """Survey each collapse once, always the same."""
        debris: Debris = gather_debris(self.examples)
        rows = range(len(debris))
        return [
            open_survey_case(debris, row, self.noise, np.random.default_rng((0, row)), with_friction=self.with_friction)
            for row in rows
        ]


@dataclass(frozen=True, kw_only=True, eq=False)
class SurveyTest:
    """The models, the prior of the training split, and the folder of cached pictures."""

    BASELINES: ClassVar[tuple[str, ...]] = tuple(SURVEY_BASELINES)

    models: dict[str, AssignmentModel]
    picture_models: dict[str, PictureModel]
    prior: SurveyPrior
    cache: Path
    workers: int | None = None

    @classmethod
    def open(
        cls,
        models: Mapping[str, AssignmentModel],
        picture_models: Mapping[str, PictureModel],
        dataset: Dataset,
        *,
        workers: int | None = None,
    ) -> "SurveyTest":
        """Fit the prior on the training split."""
        train = gather_debris(read_examples(dataset).of("train"))
        return cls(
            models=dict(models), picture_models=dict(picture_models), prior=fit_survey_prior(train), cache=dataset.cache,
            workers=workers,
        )  # fmt: skip

    @staticmethod
    def list_trials(dataset: Dataset, others: Sequence[Path] = ()) -> list[SurveyTrial]:
        """List the trials.

        The test split surveyed exactly, as in the field, badly, and with foreign blocks; the splits out of range of the training.
        """
        found = list_examples(dataset, others)
        test = SurveyTrial(name=TEST_SPLIT, examples=found.pop(TEST_SPLIT))
        usual = replace(test, name="test-18", examples=test.examples.take(gather_debris(test.examples).courses == USUAL_LAYERS))
        trials = [
            usual,
            replace(usual, name="test-18-field", noise=FIELD_NOISE),
            replace(usual, name="test-18-complete", examples=drop_carried_off(usual.examples), complete=True),
            test,
            replace(test, name="test-field", noise=FIELD_NOISE),
            replace(test, name="test-worst", noise=WORST_NOISE),
            replace(test, name="test-foreign", noise=FOREIGN_NOISE),
            replace(test, name="test-told", with_friction=True),
        ]
        trials += [replace(test, name=name, noise=noise) for name, noise in list_hidden()]
        for name, examples in found.items():
            exact = SurveyTrial(name=name, examples=examples)
            trials += [exact, replace(exact, name=f"{name}-field", noise=FIELD_NOISE)]
        for path in others:
            debris = read_examples(path)
            low = debris.take(debris.friction < SLIPPERY)
            trials.append(SurveyTrial(name=f"{debris.split[0]}{SLIPPERY_SUFFIX}", examples=low))
        return [trial for trial in trials if len(trial.examples) >= FEWEST]

    def count_answers(self, trials: Sequence[SurveyTrial]) -> int:
        """Count the answers to come, one for each model and trial."""
        always = len(SURVEY_BASELINES) + len(self.models)
        return sum(always + len(self.picture_models) * (trial.noise == Noise()) for trial in trials)

    def evaluate(self, trials: Sequence[SurveyTrial], *, resamples: int = 1000) -> Iterator[list[ScoreRow]]:
        """Yield the rows of one model on one trial after another."""
        for trial in trials:
            for name, answers, heads in self.answer(trial):
                covered = self.cover(trial.name, name, answers)
                scores = [score for score in score_answers(answers, resamples=resamples) if heads is None or score.head in heads]
                rows = [ScoreRow(trial.name, score.head, score.metric, name, *score[2:]) for score in scores] + covered
                # A friction that the net was given is no finding.
                yield [row for row in rows if not (trial.with_friction and row.head == "friction")]

    def count_doubts(self) -> int:
        """Count the parts of `evaluate_doubt` at most: one for each model that places blocks, and each mistake."""
        return (len(DoubtTest.MISTAKES) + len(DoubtTest.SLIPPERY)) * len(self.list_assigners())

    def evaluate_doubt(self, trials: Sequence[SurveyTrial]) -> Iterator[list[ScoreRow]]:
        """Yield what each model says of surveys of the test split that have a mistake of the user."""
        for trial in trials:
            tests = [DoubtTest(examples=trial.examples)] if trial.name == TEST_SPLIT else []
            if trial.name.endswith(SLIPPERY_SUFFIX):
                tests.append(DoubtTest(examples=trial.examples, mistakes=DoubtTest.SLIPPERY))
            for test in tests:
                for name, assigner in self.list_assigners().items():
                    yield from test.evaluate(name, assigner)

    def list_assigners(self) -> dict[str, Assigner]:
        """List the models that place blocks, by name."""
        return {name: Assigner(model=model) for name, model in self.models.items() if model.card.preset != DIRECT}

    def cover(self, split: str, name: str, answers: SurveyAnswers) -> list[ScoreRow]:
        """Return how often the truth was in the range that a model gives; it should be nine times in ten."""
        if name not in self.models:
            return []
        rows = []
        calibration = self.models[name].card.calibration
        expected, missing = answers.num_removed, answers.missing
        low, high = np.array([calibration.find_removed_range(*each) for each in zip(expected, missing, strict=True)]).T
        friction = calibration.half_width["friction"]
        ranges = {"num_removed": (low, high), "friction": (answers.friction - friction, answers.friction + friction)}
        for head, (low, high) in ranges.items():
            within = (low <= getattr(answers.truth, head)) & (getattr(answers.truth, head) <= high)
            rows.append(ScoreRow(split, head, "coverage", name, *Interval.wilson(int(within.sum()), len(within)), len(within)))
        return rows

    def answer(self, trial: SurveyTrial) -> Iterator[tuple[str, SurveyAnswers, tuple[str, ...] | None]]:
        """Yield each model's name, its answers to a trial, and the heads that it answers; None: all."""
        cases = trial.open_cases()
        baselines: dict[str, Assign] = {"prior": self.prior.answer, "nearest": take_nearest, "rule": take_what_is_there}
        for name, assign in baselines.items():
            yield name, answer_trial(assign, cases), SURVEY_BASELINES[name]
        if trial.noise == Noise():  # a picture is of all that lies there, as it lies there
            for name, picture_model in self.picture_models.items():
                heads = tuple(head for head in SHARED_HEADS if head in picture_model.card.heads)
                yield name, answer_pictures(picture_model, trial.examples, self.cache, self.workers), heads
        for name, model in self.models.items():
            direct = model.card.preset == DIRECT
            yield name, answer_trial(model.run, cases, complete=trial.complete and not direct), DIRECT_HEADS if direct else None


def list_hidden() -> list[tuple[str, Noise]]:
    """List the surveys by the share of blocks that was not found and by their errors: in all, ranges hold the truth."""
    return [
        (
            f"test-hidden-{share:.0%}-{1e3 * error:.0f}mm".replace("%", ""),
            Noise(position=error, angle=math.radians(1e3 * error), hidden=share),
        )
        for share in HIDDEN
        for error in HIDDEN_ERRORS
    ]


def drop_carried_off(examples: Examples) -> Examples:
    """Return the examples of which every block that stood lies there; in the others the hand held one when the tower fell."""
    stood, lies = (np.isfinite(poses[..., 0]).sum(axis=1) for poses in (examples.stood, examples.lies))
    return examples.take(stood == lies)


def answer_trial(assign: Assign, cases: Sequence[SurveyCase], *, complete: bool = False) -> SurveyAnswers:
    """Answer one survey at a time, as users do."""
    parts = []
    for case in cases:
        found = assign(case.sheet)
        parts.append(SurveyAnswers.of(collect([case]), assume_complete(found) if complete else found))
    return join_answers(parts)
