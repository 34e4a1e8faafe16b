"""The command line: parse, call, print. One file a command group.

Command files import only light modules at their top and the room they call inside the command, so that
`anastylosis --help` and `anastylosis doctor` start without numba or torch.
"""

import sys
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

from anastylosis import __version__
from anastylosis.cli.assign import assign_command
from anastylosis.cli.bench import bench_command
from anastylosis.cli.dashboard import dashboard_command
from anastylosis.cli.demo import demo_command
from anastylosis.cli.doctor import doctor_command
from anastylosis.cli.error_log import describe_unforeseen
from anastylosis.cli.evaluate import evaluate_command
from anastylosis.cli.evaluate_reconstruction import evaluate_reconstruction_command
from anastylosis.cli.exit_code import FAILED, INTERRUPTED, WRONG_WORDS
from anastylosis.cli.explain import explain_command
from anastylosis.cli.export import export_command
from anastylosis.cli.plain_command import PlainCommand
from anastylosis.cli.predict import predict_command
from anastylosis.cli.reconstruct import reconstruct_command
from anastylosis.cli.render import render_command
from anastylosis.cli.serve import serve_command
from anastylosis.cli.simulate import simulate_command
from anastylosis.cli.summary import summary_command
from anastylosis.cli.survey import survey_command
from anastylosis.cli.target import target_command
from anastylosis.cli.terminal import flush_stdout, plain_streams
from anastylosis.cli.train import train_app
from anastylosis.cli.validate import validate_command
from anastylosis.cli.verify import verify_command
from anastylosis.errors import AnastylosisError, InvalidInput
from anastylosis.machine import free_standard_streams

__all__ = ["app", "main"]

app = typer.Typer(
    name="anastylosis",
    help="See the past of a collapse by looking at the rubble of the present.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # typer's rich help shows flags as if they took a value: `--quick <bool>`
    pretty_exceptions_enable=False,
)
app.command("simulate", cls=PlainCommand)(simulate_command)
app.command("summary", cls=PlainCommand)(summary_command)
app.command("dashboard", cls=PlainCommand)(dashboard_command)
app.command("render", cls=PlainCommand)(render_command)
app.command("predict", cls=PlainCommand)(predict_command)
app.command("assign", cls=PlainCommand)(assign_command)
app.command("survey", cls=PlainCommand)(survey_command)
app.command("reconstruct", cls=PlainCommand)(reconstruct_command)
app.command("demo", cls=PlainCommand)(demo_command)
app.command("serve", cls=PlainCommand)(serve_command)
app.command("target", cls=PlainCommand)(target_command)
app.command("verify", cls=PlainCommand)(verify_command)
app.command("export", cls=PlainCommand)(export_command)
app.add_typer(train_app, name="train")
app.command("evaluate", cls=PlainCommand)(evaluate_command)
app.command("evaluate-reconstruction", cls=PlainCommand)(evaluate_reconstruction_command)
app.command("explain", cls=PlainCommand)(explain_command)
app.command("validate", cls=PlainCommand)(validate_command)
app.command("bench", cls=PlainCommand)(bench_command)
app.command("doctor", cls=PlainCommand)(doctor_command)


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"anastylosis {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """See the past of a collapse by looking at the rubble of the present."""


def main() -> None:
    """Run the command line; whatever goes wrong ends in one line on stderr, never in a traceback."""
    free_standard_streams()
    with plain_streams():
        try:
            run()
        except InvalidInput as error:
            leave(WRONG_WORDS, str(error))
        except (AnastylosisError, OSError) as error:
            leave(FAILED, str(error))
        except Exception as error:
            leave(FAILED, describe_unforeseen(error))


def run() -> None:
    """Run the command, and write out all that it printed."""
    try:
        app(prog_name="anastylosis")
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            print("anastylosis: interrupted", file=sys.stderr)
        if not flush_stdout():
            sys.exit(leaving.code or FAILED)
        raise


def leave(code: int, message: str) -> NoReturn:
    with suppress(OSError):
        print(f"anastylosis: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
