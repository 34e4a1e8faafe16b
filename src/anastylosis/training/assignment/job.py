"""Training job of the assignment net, from a dataset to a model file."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch

from anastylosis import __version__
from anastylosis.assignment.model import (
    AssignmentCalibration,
    AssignmentCard,
    AssignmentInput,
    AssignmentOutput,
    write_assignment_card,
)
from anastylosis.dataset import Dataset, check_splits, read_examples
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.survey import Noise
from anastylosis.training.assignment.batches import SurveyBatch, SurveyBatches
from anastylosis.training.assignment.calibration import calibrate
from anastylosis.training.assignment.config import ASSIGNMENT_PRESETS, AssignmentConfig
from anastylosis.training.assignment.debris import Debris, gather_debris
from anastylosis.training.assignment.export import CalibratedAssignmentNet, export_assignment_net
from anastylosis.training.assignment.losses import measure_losses
from anastylosis.training.assignment.net import AssignmentNet
from anastylosis.training.assignment.removed_range import fit_removed_range
from anastylosis.training.assignment.scores import SurveyAnswers, join_answers, score_answers
from anastylosis.training.calibration import half_width
from anastylosis.training.loop import Epoch, Ordered, Run, Schedule, Source, fit
from anastylosis.training.model_file import store_model

FIELD_NOISE = Noise(position=0.005, angle=math.radians(5), hidden=0.06)  # a survey by tape and compass, some blocks buried
NOISES = (Noise(), FIELD_NOISE)  # of the validation split, in turn
CARD_METRICS = ("top1", "top5", "layer_error", "auc", "mae", "ece")  # on the card


@dataclass(frozen=True, kw_only=True, eq=False)
class AssignmentJob:
    """Collapses of the training and the validation split."""

    PRESETS: ClassVar = ASSIGNMENT_PRESETS

    train: Debris
    val: Debris
    dataset: dict[str, Any]  # for the card

    @classmethod
    def open(cls, dataset: Dataset, *, episodes: int | None = None) -> "AssignmentJob":
        """Read the collapses of a dataset. The test splits are not used.

        `episodes`: use so many collapses of the training split only, the first.
        """
        examples = read_examples(dataset)
        parts = {"train": examples.of("train").take(slice(0, episodes)), "val": examples.of("val")}
        check_splits(dataset, parts)
        counts = {split: len(part) for split, part in parts.items()}
        about = {"fingerprint": dataset.manifest.fingerprint, "episodes": counts, "seed": dataset.manifest.seed}
        return cls(train=gather_debris(parts["train"]), val=gather_debris(parts["val"]), dataset=about)

    def train_net(self, config: AssignmentConfig, out: Path, *, resumed: Callable[[int], None] | None = None) -> Iterator[Epoch]:
        """Train a net epoch by epoch, then write `out`."""
        return train_assignment_net(config, self, out, resumed=resumed)


def train_assignment_net(
    config: AssignmentConfig, job: AssignmentJob, out: Path, *, resumed: Callable[[int], None] | None = None
) -> Iterator[Epoch]:
    """Train epoch by epoch, then write `out`. Checkpoints are beside it, in a folder of its name that ends in `.run`."""
    train = SurveyBatches(job.train, size=config.batch, recipe=config.surveys, seed=config.seed)
    val = SurveyBatches(job.val, size=2 * config.batch, recipe=config.surveys, noises=NOISES)
    torch.manual_seed(config.seed)
    yield from run_training(config, job, AssignmentNet(config.net), train, val, out, resumed)


def run_training(
    config: AssignmentConfig,
    job: AssignmentJob,
    net: AssignmentNet,
    train: Source[SurveyBatch],
    val: Ordered[SurveyBatch],
    out: Path,
    resumed: Callable[[int], None] | None,
) -> Iterator[Epoch]:
    """Train a net on these batches, calibrate it, and write it."""
    weights = {name: weight for name, weight in asdict(config.weights).items() if weight > 0}

    def measure(model: torch.nn.Module, batch: SurveyBatch) -> dict[str, torch.Tensor]:
        logits = model(batch.sheet)
        with torch.autocast(logits.pairs.device.type, enabled=False):  # probabilities near 1 want single precision
            terms = measure_losses(logits, batch)
        return {name: weight * terms[name] for name, weight in weights.items()}

    schedule = Schedule(
        epochs=config.epochs, learning_rate=config.learning_rate, learning_rate_floor=config.learning_rate_floor,
        warm_up=config.warm_up,
        weight_decay=config.weight_decay, seed=config.seed,
    )  # fmt: skip
    identity = json.loads(json.dumps({"config": asdict(config), "dataset": job.dataset}))
    run = Run(out.with_suffix(".run"), net, measure, schedule, identity)
    yield from fit(run, train, val, resumed)
    if run.ranks.leads:
        finish(config, job, net.cpu(), list(val.in_order()), out, run.history)


def finish(
    config: AssignmentConfig,
    job: AssignmentJob,
    net: AssignmentNet,
    val: list[SurveyBatch],
    out: Path,
    history: list[dict[str, float]],
) -> None:
    """Calibrate a trained net on the validation split, and write it."""
    net.rounds = config.net.answer_rounds
    sharpening = calibrate(net, val)
    answering = CalibratedAssignmentNet(net, sharpening).eval()
    parts = []
    with torch.no_grad():
        for batch in val:
            found = AssignmentOutput._make(part.numpy() for part in answering(*batch.sheet))
            parts.append(SurveyAnswers.of(batch, found))
    joined = join_answers(parts)

    def run_net(inputs: AssignmentInput) -> AssignmentOutput:
        with torch.no_grad():
            return AssignmentOutput._make(part.numpy() for part in answering(*(torch.from_numpy(part) for part in inputs)))

    widths = {
        "num_removed": half_width(joined.truth.num_removed, joined.num_removed),
        "friction": half_width(joined.truth.friction, joined.friction),
    }
    towers = np.concatenate([job.train.courses, job.val.courses])
    frictions = job.train.friction
    card = AssignmentCard(
        preset=config.preset,
        fewest_courses=int(towers.min()),
        most_courses=int(towers.max()),
        friction=(float(frictions.min()), float(frictions.max())),
        frictions=dict(FRICTION_LEVELS),
        position_sd=config.surveys.position,
        orientation_sd=config.surveys.angle,
        config=asdict(config),
        dataset=job.dataset,
        calibration=AssignmentCalibration(
            sharpness=sharpening.pairs, slope=sharpening.slope, offset=sharpening.offset, half_width=widths,
            examples=len(job.val), removed_range=None if config.net.direct else fit_removed_range(run_net, job.val),
        ),
        metrics={
            f"{score.head}.{score.metric}": score.value
            for score in score_answers(joined, resamples=0)
            if score.metric in CARD_METRICS and math.isfinite(score.value) and not (config.net.direct and score.head == "placed")
        },
        version=__version__,
    )  # fmt: skip
    store_model(out, export_assignment_net(answering, val[0].sheet), write_assignment_card(card), history)
