"""A lesson of the eye, from a dataset to a model file."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.detection.card import FINDER, JUDGE, JURY, EyeCalibration, EyeCard, write_eye_card
from anastylosis.detection.model import EYE_MODELS, FinderModel
from anastylosis.detection.witness import Witness
from anastylosis.errors import InvalidInput
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.training.detection.calibration import calibrate_judge, calibrate_jury, calibrate_reader
from anastylosis.training.detection.config import EyeConfig
from anastylosis.training.detection.export import export_eye
from anastylosis.training.detection.finder_batches import POOL, FinderBatches, measure_finder_losses
from anastylosis.training.detection.finder_net import FinderNet
from anastylosis.training.detection.hearings import Hearing, gather_hearings
from anastylosis.training.detection.judge_batches import JudgeBatches, judge_by, measure_judge_losses
from anastylosis.training.detection.judge_net import JudgeNet
from anastylosis.training.detection.jury_batches import JuryBatches, measure_jury_losses
from anastylosis.training.detection.jury_net import JuryNet
from anastylosis.training.detection.photos import ELEVATION
from anastylosis.training.detection.reader_batches import ReaderBatches, measure_reader_losses
from anastylosis.training.detection.reader_net import ReaderNet
from anastylosis.training.examples import Examples, read_examples
from anastylosis.training.lesson import check_splits
from anastylosis.training.model_file import store_model
from anastylosis.training.training import Epoch, Ordered, Run, Schedule, Source, count_epochs, fit
from anastylosis.training.weights import restore_weights

__all__ = ["EyeLesson", "Hearings", "hear_witness", "open_eye_lesson", "train_eye"]

VAL_SEED = 99  # the pictures of the validation split are always the same
USUAL = 8  # batches that say which evidence is usual
LOOKS = 5  # that a jury hears of one collapse, at most


@dataclass(frozen=True, kw_only=True, eq=False)
class EyeLesson:
    """What there is to learn from."""

    train: Examples
    val: Examples
    dataset: dict[str, Any]  # for the card

    @property
    def identity(self) -> dict[str, Any]:
        """What looks at these collapses depend on: not on the net that then learns from them."""
        return {name: value for name, value in self.dataset.items() if name != "start"}


def open_eye_lesson(dataset: Dataset, *, episodes: int | None = None) -> EyeLesson:
    """Read the collapses of a dataset. The test splits are not looked at."""
    examples = read_examples(dataset)
    parts = {"train": examples.of("train").take(slice(0, episodes)), "val": examples.of("val")}
    check_splits(dataset, parts)
    counts = {split: len(part) for split, part in parts.items()}
    about = {"fingerprint": dataset.manifest.fingerprint, "episodes": counts, "seed": dataset.manifest.seed}
    return EyeLesson(train=parts["train"], val=parts["val"], dataset=about)


class Kept:
    """Batches that are drawn once, and then kept."""

    def __init__(self, source: Ordered[Any]) -> None:
        self.batches = list(source.in_order())

    def in_order(self) -> Iterator[Any]:
        return iter(self.batches)


class Hearings(NamedTuple):
    """What a jury learns from."""

    train: list[Hearing]
    val: list[Hearing]


def hear_witness(
    lesson: EyeLesson, witness: Witness, folder: Path, config: EyeConfig, tell: Callable[[str, int, int], None] | None = None
) -> Hearings:
    """Let three nets look at the collapses; what they find is kept in `folder`."""
    falls = replace(config.scenes, twisted=0.0, piled=0.0)
    looks = (
        # Who lies beside whom is learned from falls, and from towers about to fall; how sure it may be, from falls alone.
        ("train", lesson.train, replace(falls, twisted=config.scenes.twisted), config.pictures, config.seed),
        ("val", lesson.val, falls, config.judged, VAL_SEED),
    )
    hearings = Hearings(
        *(
            gather_hearings(
                examples, witness, folder / split, recipe=recipe, count=min(count, LOOKS * len(examples)), seed=seed,
                identity=lesson.identity,
                tell=None if tell is None else partial(tell, split),
            )
            for split, examples, recipe, count, seed in looks
        )
    )  # fmt: skip
    if not hearings.train or not hearings.val:
        raise InvalidInput("the other nets have found nothing in any picture; train them longer")
    return hearings


class Course(NamedTuple):
    """All that one training needs."""

    net: nn.Module
    measure: Any  # (net, batch) -> losses
    train: Source[Any]
    val: Ordered[Any]
    calibrate: Callable[[], EyeCalibration]


def plan(config: EyeConfig, lesson: EyeLesson, finder: Path | None, hearings: Hearings | None, start: Path | None) -> Course:
    """The course of each kind; the net begins as that of the file `start`."""
    if config.preset == JURY:
        if hearings is None:
            raise InvalidInput("a jury learns from what the other nets propose; let it hear of that first")
        course = plan_jury(config, hearings)
    elif config.preset != JUDGE:
        course = plan_first(config, lesson)
    elif finder is None:
        raise InvalidInput("a judge learns from what a finder proposes; name one")
    else:
        course = plan_judge(config, lesson, finder)
    if start is not None:
        EYE_MODELS[config.preset].from_file(start)  # refuses what is another net
        missing = restore_weights(course.net, start, list_examples(config.preset, course.train))
        if missing:
            learn_alone(course, missing, config.rate_alone)
    return course


def learn_alone(course: Course, parameters: Sequence[nn.Parameter], rate: float) -> None:
    """One epoch in which these alone learn: what a net does not know yet must not spoil what it knows."""
    optimiser = torch.optim.AdamW(parameters, lr=rate)
    course.net.eval()
    for batch in course.train.shuffled(0):
        terms = course.measure(course.net, batch)
        optimiser.zero_grad(set_to_none=True)
        gradients = torch.autograd.grad(torch.stack(list(terms.values())).sum(), parameters)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        optimiser.step()


def list_examples(kind: str, batches: Source[Any]) -> list[tuple[Tensor, ...]]:
    """A few of the things that a net of this kind is asked with."""
    count = len(EYE_MODELS[kind].inputs)
    return [tuple(batch[:count]) for batch in islice(batches.shuffled(0), USUAL)]


def plan_first(config: EyeConfig, lesson: EyeLesson) -> Course:
    """Of a finder, or of a reader."""
    finds = config.preset == FINDER
    net: nn.Module = FinderNet() if finds else ReaderNet()
    source: Any = FinderBatches if finds else ReaderBatches
    return Course(
        net=net,
        measure=measure_finder_losses if finds else measure_reader_losses,
        train=source(lesson.train, pictures=config.pictures, recipe=config.scenes, seed=config.seed),
        val=Kept(source(lesson.val, pictures=config.judged, recipe=config.scenes, seed=VAL_SEED)),
        calibrate=EyeCalibration if finds else lambda: calibrate_reader(net, lesson.val, config),
    )


def plan_judge(config: EyeConfig, lesson: EyeLesson, path: Path) -> Course:
    """Of a judge. Its first stages begin as those of the finder whose proposals it learns from."""
    finder = FinderModel.from_file(path)
    train = JudgeBatches(lesson.train, finder, pictures=config.pictures, recipe=config.scenes, seed=config.seed)
    val = JudgeBatches(lesson.val, finder, pictures=config.judged, recipe=config.scenes, seed=VAL_SEED)
    traits = torch.cat([batch.traits for batch in islice(train.in_order(), USUAL)])
    net, seen = JudgeNet(traits.mean(0), traits.std(0) + 1e-3), FinderNet()
    pictures = FinderBatches(lesson.train, pictures=min(POOL, config.pictures), recipe=config.scenes, seed=config.seed)
    restore_weights(seen, path, list_examples(FINDER, pictures))
    net.start(seen.state_dict())
    return Course(
        net=net,
        measure=measure_judge_losses,
        train=train,
        val=Kept(val),
        calibrate=lambda: calibrate_judge(judge_by(net), finder, lesson.val, config),
    )


def plan_jury(config: EyeConfig, hearings: Hearings) -> Course:
    """Of a jury."""
    net = JuryNet()
    return Course(
        net=net,
        measure=measure_jury_losses,
        train=JuryBatches(hearings.train, seed=config.seed),
        val=JuryBatches(hearings.val, seed=VAL_SEED),
        calibrate=lambda: calibrate_jury(net, hearings.val),
    )


def train_eye(
    config: EyeConfig, lesson: EyeLesson, out: Path, *, finder: Path | None = None, hearings: Hearings | None = None,
    start: Path | None = None, resumed: Callable[[int], None] | None = None,
) -> Iterator[Epoch]:  # fmt: skip
    """Train epoch by epoch, then write `out`. Checkpoints are beside it, in a folder of its name that ends in `.run`.

    `start`: a model of the same kind to go on with; else from nothing. A judge learns from what the model `finder` proposes, a
    jury from `hearings`.
    """
    torch.manual_seed(config.seed)
    schedule = Schedule(
        epochs=config.epochs, rate=config.rate, rate_floor=config.rate_floor, warm_up=config.warm_up,
        weight_decay=config.weight_decay, seed=config.seed, mean=config.mean,
    )  # fmt: skip
    begun = count_epochs(out.with_suffix(".run")) > 0  # then its checkpoint has what `start` would give
    course = plan(config, lesson, finder, hearings, None if begun else start)
    identity = json.loads(json.dumps({"config": asdict(config), "dataset": lesson.dataset}))
    run = Run(out.with_suffix(".run"), course.net, course.measure, schedule, identity)
    yield from fit(run, course.train, course.val, resumed)
    if not run.ranks.leads:
        return
    course.net.cpu()
    card = EyeCard(
        kind=config.preset,
        preset=config.preset,
        size=BLOCK_SIZE,
        elevation=ELEVATION if config.preset == JURY else config.scenes.elevation,
        config=asdict(config),
        dataset=lesson.dataset,
        metrics={name: value for name, value in min(run.history, key=lambda row: row["val"]).items() if name.startswith("val")},
        version=__version__,
        calibration=course.calibrate(),
    )
    store_model(out, export_eye(course.net, config.preset), write_eye_card(card), run.history)
