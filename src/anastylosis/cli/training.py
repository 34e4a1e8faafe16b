"""Options, progress and results that all `anastylosis train` commands share."""

import os
import sys
import textwrap
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.progress import show_bar
from anastylosis.cli.table import print_json
from anastylosis.cli.words import count, print_missing
from anastylosis.errors import AnastylosisError, InvalidInput, MissingExtra
from anastylosis.text_file import REASON_MAX

if TYPE_CHECKING:
    from anastylosis.dataset import Dataset
    from anastylosis.models import ModelCard
    from anastylosis.training import Epoch

NO_INFORMATION = (
    "calibration found that its scores carry no information about which slots were empty, so every slot gets the same "
    "probability; "
    "train longer, or on more episodes"
)


DatasetFolder = Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")]
ModelFile = Annotated[Path, typer.Option("--out", metavar="MODEL.onnx", help="Model to write.")]
Episodes = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Collapses to train on, the first of the training split (default: all).")
]
Epochs = Annotated[int | None, typer.Option(min=1, metavar="N", help="Number of epochs (default: that of the preset or net).")]
Rate = Annotated[
    float | None, typer.Option(min=1e-9, max=1, metavar="X", help="Peak learning rate (default: that of the preset or net).")
]
Seed = Annotated[
    int, typer.Option(min=0, metavar="S", help="Random seed. The same seed on the same machine gives the same model.")
]
Tensorboard = Annotated[Path | None, typer.Option(metavar="DIR", help="Write the losses for TensorBoard, too.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@dataclass(frozen=True, kw_only=True)
class Training:
    """Options of a training, as the user gave them."""

    dataset: Path
    out: Path
    tensorboard: Path | None
    as_json: bool
    episodes: int | None
    epochs: int | None
    seed: int
    rate: float | None
    begun: float = field(default_factory=time.perf_counter)

    def settle(self, config: Any) -> Any:
        """Return the settings of a preset with the changes that were asked for."""
        return replace(
            config, epochs=self.epochs or config.epochs, learning_rate=self.rate or config.learning_rate, seed=self.seed
        )

    def open_dataset(self) -> "Dataset":
        from anastylosis.dataset import Dataset

        source = Dataset(self.dataset)
        print_missing(source)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        return source

    def finish(self, epochs: "Iterable[Epoch]", total: int, model: Any) -> None:
        """Train, and print the result; `model` opens the file."""
        show_epochs(epochs, total, self.out, self.tensorboard)
        if leads():
            print_model(self.out, model.from_file(self.out).card, time.perf_counter() - self.begun, self.as_json)


def check_out(out: Path) -> None:
    """Raise unless the file to write ends in .onnx."""
    if out.suffix != ".onnx":
        raise InvalidInput(f"--out is {out}; a model is a file that ends in .onnx")


def check_extra() -> None:
    """Raise unless the packages that every training needs are installed."""
    if find_spec("onnx") is None or find_spec("sklearn") is None:
        raise MissingExtra("onnx or scikit-learn", "train")


def check_torch() -> None:
    """Raise unless PyTorch is installed."""
    check_extra()
    if not find_torch():
        raise MissingExtra("PyTorch", "train")


def find_torch() -> bool:
    """Return whether there is a PyTorch; raise when there is one that does not work, before anything is drawn for it."""
    if find_spec("torch") is None:
        return False
    try:
        import_module("torch")
    except Exception as error:  # a library that is missing, or of another machine, fails in ways of its own
        reason = textwrap.shorten(f"{type(error).__name__}: {error}", REASON_MAX, placeholder=" ...")
        raise AnastylosisError(
            f"PyTorch is installed, but cannot be imported ({reason}); install it again, or run `train picture --preset ridge`, "
            "which needs none"
        ) from error
    return True


def leads() -> bool:
    """Return whether this is the only process of a training, or the first of those that `torchrun` started."""
    return os.environ.get("RANK", "0") == "0"


def in_turn() -> AbstractContextManager[None]:
    """Let the first of several processes draw the pictures, and the others read them afterwards."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return nullcontext()
    from anastylosis.training import leader_first

    return leader_first()


def show_epochs(epochs: "Iterable[Epoch]", total: int, out: Path, tensorboard: Path | None) -> None:
    """Train epoch by epoch with a progress bar; of several processes the first alone prints."""
    if not leads():
        for _ in epochs:
            pass
        return
    from anastylosis.training import count_epochs, open_board

    board = open_board(tensorboard) if tensorboard else None
    done = count_epochs(out.with_suffix(".run"))
    try:
        with show_bar("epoch", total, done) as advance:
            for epoch in epochs:
                train, val = epoch.losses["train"], epoch.losses["val"]
                best = ", best so far" if epoch.best else ""
                advance(f"loss {train:.4f}, validation {val:.4f}{best} ({epoch.seconds:.0f} s)")
                if board:
                    for name, value in epoch.losses.items():
                        board.add_scalar(name, value, epoch.number)
    except KeyboardInterrupt:
        print("stopped; the same command goes on after the last epoch", file=sys.stderr)
        raise
    finally:
        if board:
            board.close()


def print_resumed(done: int) -> None:
    print(f"going on after epoch {done}", file=sys.stderr)


def print_model(out: Path, card: "ModelCard", seconds: float, as_json: bool) -> None:
    """Print the card and the metrics of a trained model."""
    if card.calibration.slope == 0:
        print(f"{out}: {NO_INFORMATION}", file=sys.stderr)
    if as_json:
        document = {"model": str(out), "kind": card.kind, "preset": card.preset, "seconds": round(seconds, 1)}
        print_json(document | {"dataset": card.dataset, "metrics": card.metrics})
        return
    episodes = card.dataset["episodes"]
    print(
        f"{out}: {card.kind}, {count(episodes['train'], 'collapse')} to train on, {episodes['val']:,} to validate and calibrate; "
        f"{seconds:.0f} s",
        file=sys.stderr,
    )
    for name, value in card.metrics.items():
        print(f"{name}\t{value:.4g}")
