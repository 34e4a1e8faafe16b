"""`anastylosis train`: train a model on a dataset, and write it."""

import typer

from anastylosis.cli.plain_command import PlainCommand
from anastylosis.cli.train_assign import train_assign_command
from anastylosis.cli.train_detector import train_detector_command
from anastylosis.cli.train_picture import train_picture_command

train_app = typer.Typer(
    help="Train a model on the debris of a dataset. Stop it at any time; the same command goes on after the last epoch.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
train_app.command("picture", cls=PlainCommand)(train_picture_command)
train_app.command("assign", cls=PlainCommand)(train_assign_command)
train_app.command("detector", cls=PlainCommand)(train_detector_command)
