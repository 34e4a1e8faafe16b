"""`anastylosis demo`: a heap that no model has seen, reconstructed from a picture and from a survey, beside the truth."""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from anastylosis.cli.reconstruct import Outcome, Request, carry_out, look, open_workshop, read
from anastylosis.cli.table import print_json

__all__ = ["EXAMPLES", "PICTURE", "SURVEY", "TRUTH", "demo_command"]

EXAMPLES = Path(__file__).parents[1] / "examples"
PICTURE, SURVEY, TRUTH = "debris.png", "survey.csv", "truth.json"
FEWER = 12  # proposals: enough to see what it is about
FILES = {
    "reconstruction.mp4": "how it may have fallen, what is predicted, and all of it backwards",
    "rebuild.mp4": "block after block goes back to its slot",
    "report.html": "all of it on one page",
}
WIDTH = 25  # of a column


def demo_command(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")] = Path("demo"),
    hypotheses: Annotated[int, typer.Option(min=0, max=10_000, metavar="N", help="Proposals to re-simulate, from each.")] = FEWER,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; one a core if not given.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write to folders that are not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Reconstruct a heap that ships, two ways. From one picture and from a survey: films and a report of each, beside the truth.

    The tower is a simulated one that no model has learned from. Needs no dataset, no training and no network.
    """
    from anastylosis.reconstruct.case import ReconstructionConfig
    from anastylosis.reconstruct.folder import check_folder

    begin = time.perf_counter()
    truth = json.loads((EXAMPLES / TRUTH).read_text(encoding="utf-8"))
    ways = {Path(file).stem: EXAMPLES / file for file in (PICTURE, SURVEY)}
    for name in ways:
        check_folder(out / name, force=force)
    outcomes: dict[str, Outcome] = {}
    with open_workshop(workers) as workshop:
        for name, source in ways.items():
            seen = look([source]) if source.suffix == ".png" else read([source])
            request = Request(
                inputs=[source], out=out / name, layers=truth["layers"], config=ReconstructionConfig(hypotheses=hypotheses),
                force=True,
            )  # fmt: skip
            outcomes[name] = carry_out(workshop, request, seen)
    picture, survey = (outcomes[name] for name in ways)
    if as_json:
        print_json(picture.as_document() | {"truth": truth, "survey": survey.as_document()})
        return
    print(f"A tower of {truth['layers']} layers fell; no model has seen it. How did it stand?\n")
    for line in compare(picture.document, survey.document, truth):
        print(line)
    print("\nLook at:")
    for name in ways:
        for file, words in FILES.items():
            if (out / name / file).exists():
                print(f"  {out / name / file!s:<{len(str(out)) + 28}}  {words}")
    print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)


def compare(picture: Mapping[str, Any], survey: Mapping[str, Any], truth: Mapping[str, Any]) -> Iterator[str]:
    """What was found beside what is so, a line each."""
    empty, both = set(truth["empty"]), (picture, survey)
    said = [each["prediction"] for each in both]
    pulls = [each["hypotheses"][0]["pull"] for each in both]
    rows = {
        "": ("from one picture", "from a survey", "in truth"),
        "blocks found": (*(str(len(each["blocks"])) for each in both), f"{3 * truth['layers'] - len(empty)} stood"),
        "blocks gone before": (*(tell_range(each, "num_removed", 1) for each in said), str(len(empty))),
        "layer that gave way": (*(str(each["failure_layer"]) for each in said), str(truth["gave_way"])),
        "friction": (*(tell_range(each, "friction", 2) for each in said), f"{truth['friction']:.2f}"),
        "block pulled last": (*(pull["slot"] if pull else "-" for pull in pulls), truth["pulled"]),
        "empty, first proposal": (*(tell_empty(each, empty) for each in both), ""),
        "stones in their slots": ("", tell_stones(survey, truth["stones"]), ""),
    }
    for name, cells in rows.items():
        yield f"  {name:<23}{''.join(f'{cell:<{WIDTH}}' for cell in cells)}".rstrip()
    yield ""
    for name, slots in (
        ("by the picture", picture["hypotheses"][0]["removed"]),
        ("by the survey", survey["hypotheses"][0]["removed"]),
        ("in truth", truth["empty"]),
    ):
        yield f"  {f'empty {name}':<23}{', '.join(slots) or 'none'}"


def tell_range(prediction: Mapping[str, Any], name: str, decimals: int) -> str:
    """A number, and the range that holds the truth nine times in ten."""
    low, high = (prediction[f"{name}_{end}"] for end in ("low", "high"))
    return f"{prediction[name]:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"


def tell_empty(document: Mapping[str, Any], true: set[str]) -> str:
    said = set(document["hypotheses"][0]["removed"])
    return f"{len(said & true)} of {len(true)} right, {len(said - true)} wrong"


def tell_stones(document: Mapping[str, Any], stones: Mapping[str, str]) -> str:
    """How many of the stones that the truth knows are put back into the slot that they stood in."""
    slots = {block["id"]: block["slot"] for block in document["blocks"] if block["id"] in stones}
    return f"{sum(slots[name] == stones[name] for name in slots)} of {len(slots)} right"
