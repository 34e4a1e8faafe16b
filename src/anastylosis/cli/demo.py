"""`anastylosis demo`: a heap that no model has seen, reconstructed from a picture and from a survey, beside the truth."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from anastylosis.cli.reconstruct import reconstruct_command
from anastylosis.cli.words import count

__all__ = ["EXAMPLES", "PICTURE", "SURVEY", "TRUTH", "demo_command"]

EXAMPLES = Path(__file__).parents[1] / "examples"
PICTURE, SURVEY, TRUTH = "debris.png", "survey.csv", "truth.json"
FEWER = 12  # proposals: enough to see what it is about


def demo_command(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")] = Path("demo"),
    hypotheses: Annotated[int, typer.Option(min=0, metavar="N", help="Proposals to re-simulate, from each.")] = FEWER,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; one a core if not given.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write to folders that are not empty.")] = False,
) -> None:
    """Reconstruct a heap that ships, two ways. From one picture and from a survey: films and a report of each, beside the truth.

    The tower is a simulated one that no model has learned from. Needs no dataset, no training and no network.
    """
    begin = time.perf_counter()
    truth = json.loads((EXAMPLES / TRUTH).read_text(encoding="utf-8"))
    ways = {PICTURE: "one picture of the debris", SURVEY: "a survey of the same debris, to 5 mm and 5 degrees"}
    for file, words in ways.items():
        folder = out / Path(file).stem
        print(f"\nFrom {words}:")
        run(EXAMPLES / file, folder, truth["layers"], hypotheses, workers, force)
        tell_truth(json.loads((folder / "reconstruction.json").read_text(encoding="utf-8")), truth)
        print(f"  look at       {folder}/reconstruction.mp4, rebuild.mp4 and report.html")
    print(f"\n{time.perf_counter() - begin:.0f} s")


def run(source: Path, folder: Path, layers: int, hypotheses: int, workers: int | None, force: bool) -> None:
    reconstruct_command([source], out=folder, layers=layers, hypotheses=hypotheses, workers=workers, force=force)


def tell_truth(document: dict[str, Any], truth: dict[str, Any]) -> None:
    """What was found beside what is so."""
    said, true = set(document["hypotheses"][0]["removed"]), set(truth["empty"])
    print(f"  in truth      empty: {', '.join(truth['empty'])}; {truth['pulled']} was pulled, layer {truth['gave_way']} gave way")
    print(f"  right         {len(said & true)} of {count(len(true), 'empty slot')} in the first proposal, which has {len(said)}")
    blocks = {block["id"]: block["slot"] for block in document["blocks"]}
    known = [name for name in truth["stones"] if name in blocks]
    if known:
        right = sum(blocks[name] == truth["stones"][name] for name in known)
        print(f"                {right} of {count(len(known), 'stone')} are put back into the slot that they stood in")
