"""Second training job of the assignment net: surveys that the detector makes of pictures, where much is missing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from anastylosis.assignment.model import AssignmentModel
from anastylosis.dataset import Dataset, Examples
from anastylosis.detection.detector import BlockDetector
from anastylosis.errors import InvalidInput
from anastylosis.training.assignment.config import AssignmentConfig
from anastylosis.training.assignment.debris import gather_debris
from anastylosis.training.assignment.job import AssignmentJob, run_training
from anastylosis.training.assignment.net import AssignmentNet
from anastylosis.training.assignment.seen_batches import SeenBatches
from anastylosis.training.detection.detection_cache import CachedDetections, cache_detections
from anastylosis.training.detection.job import DetectorJob
from anastylosis.training.detection.random_streams import VAL_SEED
from anastylosis.training.loop import Epoch
from anastylosis.training.weights import restore_weights


class SeenJob(NamedTuple):
    """Collapses, and cached detections of the training and the validation split."""

    collapses: DetectorJob
    train: list[CachedDetections]
    val: list[CachedDetections]

    @classmethod
    def open(
        cls,
        dataset: Dataset,
        detector: BlockDetector,
        folder: Path,
        config: AssignmentConfig,
        *,
        episodes: int | None = None,
        signed: Mapping[str, str] = MappingProxyType({}),
        progress: Callable[[int, int], None] | None = None,
    ) -> "SeenJob":
        """Read the collapses of a dataset, and detect blocks in pictures of them; detections are kept in `folder`.

        `signed`: hashes of the files that are used, which the folder and the card of the net keep.
        """
        collapses = DetectorJob.open(dataset, episodes=episodes)
        return list_sides(replace(collapses, dataset=collapses.dataset | dict(signed)), detector, folder, config, progress)

    def train_net(
        self, config: AssignmentConfig, start: Path, out: Path, *, resumed: Callable[[int], None] | None = None
    ) -> Iterator[Epoch]:
        """Train on with the net of the model file `start`, then write `out`."""
        return train_seen_net(config, self, start, out, resumed=resumed)


def list_sides(
    collapses: DetectorJob,
    detector: BlockDetector,
    folder: Path,
    config: AssignmentConfig,
    progress: Callable[[int, int], None] | None = None,
) -> SeenJob:
    def detect(split: str, examples: Examples, repeats: int, seed: int) -> list[CachedDetections]:
        detections = cache_detections(
            examples, detector, folder / split, repeats=repeats, seed=seed, identity=collapses.identity, progress=progress
        )
        if not detections:
            raise InvalidInput(
                f"the detector has found nothing in any picture of the {split} split; there is nothing to train on"
            )
        return detections

    train = detect("train", collapses.train, config.repeats, config.seed)
    return SeenJob(collapses, train, detect("val", collapses.val, 1, VAL_SEED))


def train_seen_net(
    config: AssignmentConfig, job: SeenJob, start: Path, out: Path, *, resumed: Callable[[int], None] | None = None
) -> Iterator[Epoch]:
    """Train on with the net of the model file `start`, which `train_assignment_net` wrote, then write `out`."""
    net, hide = AssignmentNet(config.net), config.surveys.hide_friction
    train, val = gather_debris(job.collapses.train), gather_debris(job.collapses.val)
    to_learn = SeenBatches(train, job.train, size=config.batch, hide_friction=hide, seed=config.seed)
    AssignmentModel.from_file(start)  # refuses what is another net
    restore_weights(net, start, [(next(to_learn.in_order()).sheet,)])
    yield from run_training(
        config,
        AssignmentJob(train=train, val=val, dataset=job.collapses.dataset),
        net,
        to_learn,
        SeenBatches(val, job.val, size=2 * config.batch, hide_friction=hide),
        out,
        resumed,
    )
