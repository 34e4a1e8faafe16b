"""`anastylosis predict`: how the towers stood whose debris pictures show."""

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.table import print_json
from anastylosis.errors import InvalidInput
from anastylosis.units import metres_to_millimetres

if TYPE_CHECKING:
    from anastylosis.models import Prediction

WIDTH = 100  # letters of a line
SLOTS_SHOWN = 6  # of the most probable ones; --json has all


def predict_command(
    images: Annotated[
        list[Path],
        typer.Argument(
            metavar="IMAGE",
            help="Pictures of fallen blocks, such as `render --view model` draws.",
        ),
    ],
    friction: Annotated[
        str,
        typer.Option(
            metavar="LEVEL",
            help="How rough the blocks are, if known: low, nominal, high, unknown, or a coefficient (the nearest level is used).",
        ),
    ] = "unknown",
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", metavar="M.onnx", help="Model that `anastylosis train` has written (default: the one that ships)."
        ),
    ] = None,
    layers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Height of the tower in layers, 3 or more, if known; slots above are left out."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document; several pictures give a list, `predictions`.")
    ] = False,
) -> None:
    """Estimate from a picture how a tower stood.

    Estimates how many blocks were already gone, which ones, and how close to tipping the tower was. A neural net that has learned
    from simulated towers answers, in about a second. Ranges hold nine times in ten. A picture unlike all that the net has learned
    from is said to be so, before the numbers.

    If a picture cannot be read, the others still are. It is named, and the exit code is 2.
    """
    from anastylosis.models import Predictor

    predictor = Predictor.from_file(model)
    if len(images) == 1:
        (image,) = images
        prediction = predictor.predict(image, friction, layers)
        print_warnings(image, prediction, shown=not as_json)
        if as_json:
            print_json(describe(image, prediction))
        else:
            show(image, prediction)
        return
    documents, failed = [], []
    for image in images:
        try:
            prediction = predictor.predict(image, friction, layers)
        except (InvalidInput, OSError) as error:
            failed.append({"image": str(image), "problem": " ".join(str(error).split())})
            print(f"anastylosis: {failed[-1]['problem']}", file=sys.stderr)
            continue
        documents.append(describe(image, prediction))
        print_warnings(image, prediction, shown=not as_json)
        if not as_json:
            show(image, prediction)
    if as_json:
        print_json({"predictions": documents, "failed": failed})
    if failed:
        raise typer.Exit(2)


def describe(image: Path, prediction: "Prediction") -> dict[str, Any]:
    return {"image": str(image)} | prediction.as_document()


def print_warnings(image: Path, prediction: "Prediction", *, shown: bool) -> None:
    """Print the warnings on stderr; where the numbers are shown, the one of unlikeness stands above them instead."""
    for warning in prediction.warnings[int(shown and prediction.unlike) :]:
        print(f"{image}: {warning}", file=sys.stderr)


def show(image: Path, prediction: "Prediction") -> None:
    """Show the prediction for one picture as people read it."""
    imbalance = prediction.imbalance
    millimetres = [metres_to_millimetres(value) for value in (imbalance.value, imbalance.low, imbalance.high)]
    print(image)
    if prediction.unlike:
        print(textwrap.fill(f"UNKNOWN: {prediction.warnings[0]}", WIDTH, initial_indent="  ", subsequent_indent="  "))
    print(f"  height        {describe_height(prediction)}")
    print(f"  blocks gone   {prediction.num_removed.words()}")
    print(f"  most likely   {show_shares(prediction.removed_locs)}")
    print("  imbalance     {:.1f} mm ({:.1f} to {:.1f})".format(*millimetres))
    print(f"  torque risk   {prediction.torque_risk.words()} moves")
    if prediction.failure_layer is not None:
        print(f"  gave way      layer {prediction.failure_layer} ({prediction.failure_layer_probability:.0%})")
    friction = [show_shares(prediction.friction)] if prediction.friction else []
    if prediction.friction_given != "unknown":
        friction.append(f"told: {prediction.friction_given}")
    if friction:
        print(f"  friction      {'; '.join(friction)}")


def describe_height(prediction: "Prediction") -> str:
    """Describe the height that all other answers assume, and where it comes from."""
    if prediction.layers_given is None:
        return f"not told, so any up to {prediction.layers} layers; --layers N tells it"
    return f"{prediction.layers_given} layers, told"


def show_shares(shares: Any) -> str:
    """Show the largest shares first: `L03_1 81%, L05_0 64%`."""
    largest = sorted(shares.items(), key=lambda pair: -pair[1])[:SLOTS_SHOWN]
    return ", ".join(f"{name} {share:.0%}" for name, share in largest)
