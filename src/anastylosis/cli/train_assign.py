"""`anastylosis train assign`: the net that assigns the blocks of a survey to slots."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.photographs import open_detector
from anastylosis.cli.progress import show_count
from anastylosis.cli.train_detector import list_nets, say_stopped, sign
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


class AssignmentPreset(StrEnum):
    """Named settings of an assignment net."""

    assign = "assign"
    direct = "direct"
    seen = "seen"


def train_assign_command(
    dataset: DatasetFolder,
    out: ModelFile,
    preset: Annotated[
        AssignmentPreset,
        typer.Option(
            metavar="NAME",
            help="assign: trained on surveys; direct: empty slots alone, without assignment, as a comparison; seen: a net of "
            "`assign`, trained further on surveys that the detector makes of pictures.",
        ),
    ] = AssignmentPreset.assign,
    episodes: Episodes = None,
    epochs: Epochs = None,
    rate: Rate = None,
    seed: Seed = 0,
    start: Annotated[
        Path | None, typer.Option(metavar="M.onnx", help="Model of `--preset assign` to start from; for `--preset seen` only.")
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(
            "--models", metavar="FOLDER", help="Nets of the detector, for `--preset seen` only (default: those that ship)."
        ),
    ] = None,
    tensorboard: Tensorboard = None,
    as_json: JsonFlag = False,
) -> None:
    """Train the net that assigns the blocks of a survey to slots.

    Checkpoints and losses are kept in MODEL.run, a folder beside the model. The model of the epoch with the least validation loss
    is written. The test splits are not used.
    """
    check_out(out)
    if preset is AssignmentPreset.seen and start is None:
        raise InvalidInput("--preset seen starts from a model of --preset assign: name it with --start")
    if preset is not AssignmentPreset.seen and (start is not None or models is not None):
        raise InvalidInput(f"--start and --models are for --preset seen; --preset {preset.value} starts from random weights")
    check_torch()
    asked = Training(
        dataset=dataset, out=out, tensorboard=tensorboard, as_json=as_json, episodes=episodes, epochs=epochs, seed=seed, rate=rate
    )
    if start is None:
        train_on_surveys(asked, preset)
    else:
        train_on_detections(asked, start, models)


def train_on_surveys(asked: Training, preset: AssignmentPreset) -> None:
    """Train from random weights, on surveys of the dataset's debris."""
    from anastylosis.assignment import AssignmentModel
    from anastylosis.training import AssignmentJob

    config = asked.settle(AssignmentJob.PRESETS[preset]())
    job = AssignmentJob.open(asked.open_dataset(), episodes=asked.episodes)
    asked.finish(job.train_net(config, asked.out, resumed=print_resumed), config.epochs, AssignmentModel)


def train_on_detections(asked: Training, start: Path, models: Path | None) -> None:
    """Train a model further on surveys that the detector makes of pictures; these are kept beside the checkpoints."""
    from anastylosis.assignment import AssignmentModel
    from anastylosis.training import AssignmentJob, SeenJob

    config, used = asked.settle(AssignmentJob.PRESETS[AssignmentPreset.seen]()), list_nets(models) | {"start": start}
    signed = {name: sign(path) for name, path in used.items()}
    detector, source = open_detector(models), asked.open_dataset()
    folder = asked.out.with_suffix(".run") / "detections"
    with say_stopped(), in_turn(), show_count("parts") as progress:
        job = SeenJob.open(
            source, detector, folder, config, episodes=asked.episodes, signed=signed,
            progress=lambda done, total: progress(done, total, "detected"),
        )  # fmt: skip
    asked.finish(job.train_net(config, start, asked.out, resumed=print_resumed), config.epochs, AssignmentModel)
