"""Training job of a detector's net, from a dataset to a model file."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from anastylosis import __version__
from anastylosis.dataset import Dataset, Examples, check_splits, read_examples
from anastylosis.detection.nets import (
    DETECTOR_MODELS,
    REFINER,
    RESCORER,
    VOTE_NET,
    DetectorCalibration,
    DetectorCard,
    ProposalNets,
    VoteNetModel,
    write_detector_card,
)
from anastylosis.errors import InvalidInput
from anastylosis.structure import BLOCK_SIZE
from anastylosis.training.detection.calibration import calibrate_refiner, calibrate_rescorer, calibrate_slot_classifier
from anastylosis.training.detection.config import DETECTOR_PRESETS, DetectorConfig
from anastylosis.training.detection.export import export_detector_net
from anastylosis.training.detection.photos import WIDE_ELEVATION
from anastylosis.training.detection.proposal_cache import CachedProposals, cache_proposals
from anastylosis.training.detection.random_streams import VAL_SEED
from anastylosis.training.detection.refiner import RefinerBatches, RefinerNet, measure_refiner_losses, run_refiner
from anastylosis.training.detection.rescorer import RescorerBatches, RescorerNet, measure_rescorer_losses
from anastylosis.training.detection.slot_classifier import SlotBatches, SlotClassifierNet, measure_slot_losses
from anastylosis.training.detection.votes import POOL, VoteBatches, VoteNet, measure_vote_losses
from anastylosis.training.loop import Epoch, Ordered, Run, Schedule, Source, count_epochs, fit
from anastylosis.training.model_file import store_model
from anastylosis.training.weights import restore_weights

BATCHES_MEASURED = 8  # batches over which mean and spread of the evidence are measured
SCENES_PER_COLLAPSE = 5  # most scenes made of one collapse for a rescorer


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectorJob:
    """Collapses of the training and the validation split."""

    PRESETS: ClassVar = DETECTOR_PRESETS

    train: Examples
    val: Examples
    dataset: dict[str, Any]  # for the card

    @classmethod
    def open(cls, dataset: Dataset, *, also: Sequence[Dataset] = (), episodes: int | None = None) -> "DetectorJob":
        """Read the collapses of a dataset, and of others to train on beside it. The test splits are not used."""
        parts = {"train": read_examples(dataset).of("train").take(slice(0, episodes)), "val": read_examples(dataset).of("val")}
        check_splits(dataset, parts)
        others = [read_examples(other) for other in also]
        parts = {split: part.join([other.of(split) for other in others]) for split, part in parts.items()}
        counts = {split: len(part) for split, part in parts.items()}
        about: dict[str, Any] = {"fingerprint": dataset.manifest.fingerprint, "episodes": counts, "seed": dataset.manifest.seed}
        about |= {"also": [other.manifest.fingerprint for other in also]} if also else {}
        return cls(train=parts["train"], val=parts["val"], dataset=about)

    @property
    def identity(self) -> dict[str, Any]:
        """Return what caches of these collapses depend on; the net to start from is not part of it."""
        return {name: value for name, value in self.dataset.items() if name != "start"}

    @staticmethod
    def open_proposal_nets(files: Mapping[str, Path]) -> ProposalNets:
        """Open the nets, files by name, whose proposals a rescorer is trained on."""
        return ProposalNets.from_files(files["vote_net"], files["slot_classifier"], files["refiner"])

    def gather_proposals(
        self,
        nets: ProposalNets,
        folder: Path,
        config: DetectorConfig,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> "ProposalCache":
        """Run the three other nets on pictures of the collapses; proposals are kept in `folder`."""
        falls = replace(config.scenes, twisted=0.0, piled=0.0)
        splits = (
            # Neighbourhoods are learned from falls and from towers about to fall; calibration uses falls alone.
            ("train", self.train, replace(falls, twisted=config.scenes.twisted), config.pictures, config.seed),
            ("val", self.val, falls, config.validation_pictures, VAL_SEED),
        )
        proposals = ProposalCache(
            *(
                cache_proposals(
                    examples, nets, folder / split, recipe=recipe, count=min(count, SCENES_PER_COLLAPSE * len(examples)),
                    seed=seed, identity=self.identity, progress=None if progress is None else partial(progress, split),
                )
                for split, examples, recipe, count, seed in splits
            )
        )  # fmt: skip
        if not proposals.train or not proposals.val:
            raise InvalidInput("the other nets find nothing in any picture; train them longer")
        return proposals

    def train_net(
        self, config: DetectorConfig, out: Path, *, vote_net: Path | None = None, proposals: "ProposalCache | None" = None,
        start: Path | None = None, resumed: Callable[[int], None] | None = None,
    ) -> Iterator[Epoch]:  # fmt: skip
        """Train a net epoch by epoch, then write `out`; see `train_detector_net`."""
        return train_detector_net(config, self, out, vote_net=vote_net, proposals=proposals, start=start, resumed=resumed)


class CachedBatches:
    """Batches that are drawn once and kept."""

    def __init__(self, source: Ordered[Any]) -> None:
        self.batches = list(source.in_order())

    def in_order(self) -> Iterator[Any]:
        return iter(self.batches)


class ProposalCache(NamedTuple):
    """Cached proposals of the training and the validation split, for a rescorer."""

    train: list[CachedProposals]
    val: list[CachedProposals]


class NetPlan(NamedTuple):
    """Net, loss, batches and calibration of one training."""

    net: nn.Module
    measure: Any  # (net, batch) -> losses
    train: Source[Any]
    val: Ordered[Any]
    calibrate: Callable[[], DetectorCalibration]


def plan_net(
    config: DetectorConfig, job: DetectorJob, vote_net: Path | None, proposals: ProposalCache | None, start: Path | None
) -> NetPlan:
    """Plan the training of each kind of net; the net starts from the file `start`."""
    if config.preset == RESCORER:
        if proposals is None:
            raise InvalidInput("a rescorer is trained on proposals of the other nets; gather them first")
        plan = plan_rescorer(config, proposals)
    elif config.preset != REFINER:
        plan = plan_vote_net_or_slots(config, job)
    elif vote_net is None:
        raise InvalidInput("a refiner is trained on proposals of a vote net; name one")
    else:
        plan = plan_refiner(config, job, vote_net)
    if start is not None:
        config.model.from_file(start)  # refuses what is another net
        missing = restore_weights(plan.net, start, list_examples(config.preset, plan.train))
        if missing:
            train_new_layers(plan, missing, config.learning_rate_new_layers)
    return plan


def train_new_layers(plan: NetPlan, parameters: Sequence[nn.Parameter], learning_rate: float) -> None:
    """Train only these parameters for one epoch, so that new layers do not spoil the others."""
    optimiser = torch.optim.AdamW(parameters, lr=learning_rate)
    plan.net.eval()
    for batch in plan.train.shuffled(0):
        terms = plan.measure(plan.net, batch)
        optimiser.zero_grad(set_to_none=True)
        gradients = torch.autograd.grad(torch.stack(list(terms.values())).sum(), parameters)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        optimiser.step()


def list_examples(kind: str, batches: Source[Any]) -> list[tuple[Tensor, ...]]:
    """Return a few inputs of a net of this kind."""
    count = len(DETECTOR_MODELS[kind].inputs)
    return [tuple(batch[:count]) for batch in islice(batches.shuffled(0), BATCHES_MEASURED)]


def plan_vote_net_or_slots(config: DetectorConfig, job: DetectorJob) -> NetPlan:
    """Plan the training of a vote net or of a slot classifier."""
    finds = config.preset == VOTE_NET
    net: nn.Module = VoteNet() if finds else SlotClassifierNet()
    source: Any = VoteBatches if finds else SlotBatches
    return NetPlan(
        net=net,
        measure=measure_vote_losses if finds else measure_slot_losses,
        train=source(job.train, pictures=config.pictures, recipe=config.scenes, seed=config.seed),
        val=CachedBatches(source(job.val, pictures=config.validation_pictures, recipe=config.scenes, seed=VAL_SEED)),
        calibrate=DetectorCalibration if finds else lambda: calibrate_slot_classifier(net, job.val, config),
    )


def plan_refiner(config: DetectorConfig, job: DetectorJob, path: Path) -> NetPlan:
    """Plan the training of a refiner. Its first stages start as those of the vote net whose proposals it learns from."""
    vote_net = VoteNetModel.from_file(path)
    train = RefinerBatches(job.train, vote_net, pictures=config.pictures, recipe=config.scenes, seed=config.seed)
    val = RefinerBatches(job.val, vote_net, pictures=config.validation_pictures, recipe=config.scenes, seed=VAL_SEED)
    traits = torch.cat([batch.traits for batch in islice(train.in_order(), BATCHES_MEASURED)])
    net, seen = RefinerNet(traits.mean(0), traits.std(0) + 1e-3), VoteNet()
    pictures = VoteBatches(job.train, pictures=min(POOL, config.pictures), recipe=config.scenes, seed=config.seed)
    restore_weights(seen, path, list_examples(VOTE_NET, pictures))
    net.start(seen.state_dict())
    return NetPlan(
        net=net,
        measure=measure_refiner_losses,
        train=train,
        val=CachedBatches(val),
        calibrate=lambda: calibrate_refiner(run_refiner(net), vote_net, job.val, config),
    )


def plan_rescorer(config: DetectorConfig, proposals: ProposalCache) -> NetPlan:
    """Plan the training of a rescorer."""
    net = RescorerNet()
    return NetPlan(
        net=net,
        measure=measure_rescorer_losses,
        train=RescorerBatches(proposals.train, seed=config.seed),
        val=RescorerBatches(proposals.val, seed=VAL_SEED),
        calibrate=lambda: calibrate_rescorer(net, proposals.val),
    )


def train_detector_net(
    config: DetectorConfig, job: DetectorJob, out: Path, *, vote_net: Path | None = None, proposals: ProposalCache | None = None,
    start: Path | None = None, resumed: Callable[[int], None] | None = None,
) -> Iterator[Epoch]:  # fmt: skip
    """Train epoch by epoch, then write `out`. Checkpoints are beside it, in a folder of its name that ends in `.run`.

    `start`: a model of the same kind to train on; else the weights are random. A refiner learns from proposals of the model
    `vote_net`, a rescorer from `proposals`.
    """
    torch.manual_seed(config.seed)
    schedule = Schedule(
        epochs=config.epochs, learning_rate=config.learning_rate, learning_rate_floor=config.learning_rate_floor,
        warm_up=config.warm_up,
        weight_decay=config.weight_decay, seed=config.seed, ema_decay=config.ema_decay,
    )  # fmt: skip
    begun = count_epochs(out.with_suffix(".run")) > 0  # then its checkpoint has what `start` would give
    plan = plan_net(config, job, vote_net, proposals, None if begun else start)
    identity = json.loads(json.dumps({"config": asdict(config), "dataset": job.dataset}))
    run = Run(out.with_suffix(".run"), plan.net, plan.measure, schedule, identity)
    yield from fit(run, plan.train, plan.val, resumed)
    if not run.ranks.leads:
        return
    plan.net.cpu()
    card = DetectorCard(
        kind=config.preset,
        preset=config.preset,
        size=BLOCK_SIZE,
        elevation=WIDE_ELEVATION if config.preset == RESCORER else config.scenes.elevation,
        config=asdict(config),
        dataset=job.dataset,
        metrics={name: value for name, value in min(run.history, key=lambda row: row["val"]).items() if name.startswith("val")},
        version=__version__,
        calibration=plan.calibrate(),
    )
    store_model(out, export_detector_net(plan.net, config.preset), write_detector_card(card), run.history)
