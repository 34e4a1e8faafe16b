"""`anastylosis train detector`: the nets that find blocks in pictures."""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.progress import show_count
from anastylosis.cli.training import (
    DatasetFolder,
    Episodes,
    Epochs,
    JsonFlag,
    ModelFile,
    Rate,
    Seed,
    Tensorboard,
    Training,
    check_out,
    check_torch,
    in_turn,
    print_resumed,
)  # fmt: skip
from anastylosis.errors import InvalidInput

# Nets on whose output each net is trained.
LEARNS_FROM = {"refiner": ("vote_net",), "rescorer": ("vote_net", "slot_classifier", "refiner")}


class DetectorNetName(StrEnum):
    """Nets of the detector."""

    vote_net = "vote_net"
    slot_classifier = "slot_classifier"
    refiner = "refiner"
    rescorer = "rescorer"


def train_detector_command(
    dataset: DatasetFolder,
    out: ModelFile,
    net: Annotated[
        DetectorNetName,
        typer.Option(
            metavar="NAME",
            help="vote_net: proposes fallen blocks; slot_classifier: finds filled slots; refiner: scores and corrects each "
            "proposal of a vote net; rescorer: scores each block from its neighbours.",
        ),
    ],
    also: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="More datasets to train on, such as one of `simulate --preset sizes`."),
    ] = None,
    episodes: Episodes = None,
    epochs: Epochs = None,
    rate: Rate = None,
    seed: Seed = 0,
    vote_net: Annotated[
        Path | None,
        typer.Option(metavar="V.onnx", help="Vote net whose proposals train the refiner (default: the one that ships)."),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option("--models", metavar="FOLDER", help="Nets whose proposals train the rescorer (default: those that ship)."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(metavar="M.onnx", help="Model of the same net to start from; best with a smaller --rate."),
    ] = None,
    tensorboard: Tensorboard = None,
    as_json: JsonFlag = False,
) -> None:
    """Train one of the four nets that find blocks in pictures.

    Pictures are drawn during the training and not kept. Checkpoints, losses and the rescorer's proposals are kept in MODEL.run, a
    folder beside the model. The model of the epoch with the least validation loss is written. The test splits are not used.
    """
    check_out(out)
    if vote_net is not None and net is not DetectorNetName.refiner:
        raise InvalidInput("--vote-net is for --net refiner alone, which is trained on proposals of a vote net")
    if models is not None and net is not DetectorNetName.rescorer:
        raise InvalidInput("--models is for --net rescorer alone, which is trained on proposals of the other nets")
    check_torch()
    asked = Training(
        dataset=dataset, out=out, tensorboard=tensorboard, as_json=as_json, episodes=episodes, epochs=epochs, seed=seed, rate=rate
    )
    nets = {name: path for name, path in list_nets(models).items() if name in LEARNS_FROM.get(net, ())}
    train_net(asked, net, nets | ({} if vote_net is None else {"vote_net": vote_net}), start, also or [])


def train_net(asked: Training, net: str, nets: Mapping[str, Path], start: Path | None, also: Sequence[Path]) -> None:
    """Train one net; `nets` are those on whose output it is trained."""
    from anastylosis.dataset import Dataset
    from anastylosis.training import DetectorJob

    config, used = asked.settle(DetectorJob.PRESETS[net]()), dict(nets) if start is None else {**nets, "start": start}
    signed = {name: sign(path) for name, path in used.items()}
    job = DetectorJob.open(asked.open_dataset(), also=[Dataset(folder) for folder in also], episodes=asked.episodes)
    job = replace(job, dataset=job.dataset | signed)
    proposals = None
    if net == DetectorNetName.rescorer:
        opened = job.open_proposal_nets(nets)
        folder = asked.out.with_suffix(".run") / "proposals"  # kept beside the checkpoints
        with say_stopped(), in_turn(), show_count("collapses") as progress:
            proposals = job.gather_proposals(
                opened, folder, config, progress=lambda split, done, total: progress(done, total, split)
            )
    steps = job.train_net(
        config, asked.out, vote_net=nets.get("vote_net"), proposals=proposals, start=start, resumed=print_resumed
    )
    asked.finish(steps, config.epochs, config.model)


def list_nets(models: Path | None) -> dict[str, Path]:
    """List the nets of the detector by name: those in a folder, or those that ship."""
    from anastylosis.models import list_detector

    return {path.stem: path for path in list_detector(models)}


@contextmanager
def say_stopped() -> Iterator[None]:
    """Print that nothing is lost, when a user stops the search for proposals."""
    try:
        yield
    except KeyboardInterrupt:
        print("stopped while the other nets ran on pictures; the same command goes on", file=sys.stderr)
        raise


def sign(model: Path) -> str:
    """Return a short hash of a model file; a training remembers the models that it depends on by it."""
    if not model.is_file():
        raise InvalidInput(f"there is no model {model}; `anastylosis train` writes one")
    return hashlib.sha256(model.read_bytes()).hexdigest()[:16]
