"""`anastylosis demo`: a heap that no model has seen, reconstructed from a picture and from a survey, beside the truth."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from anastylosis.cli.new_file import check_out_folder
from anastylosis.cli.reconstruct import (
    LanguageOption,
    Outcome,
    Request,
    WorkerPool,
    open_worker_pool,
    read_photographs,
    reconstruct_heap,
)
from anastylosis.cli.table import print_json
from anastylosis.kernel_cache import compile_kernels
from anastylosis.machine import count_cores
from anastylosis.translation import Language, translate

if TYPE_CHECKING:
    from anastylosis.reconstruction import ReconstructionConfig

EXAMPLES = Path(__file__).parents[1] / "examples"
PICTURE, SURVEY, TRUTH = "debris.png", "survey.csv", "truth.json"
FEWER = 12  # proposals: enough to see what it is about
FILES = {
    "reconstruction.mp4": "how it may have fallen, what is predicted, and all of it backwards",
    "rebuild.mp4": "block after block goes back to its slot",
    "report.html": "all of it on one page",
}
NAMELESS = "not known"  # blocks in a picture have no names
WIDTH = 25  # of a column


def demo_command(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")] = Path("demo"),
    hypotheses: Annotated[
        int, typer.Option(min=0, max=10_000, metavar="N", help="Proposals to re-simulate for each input.")
    ] = FEWER,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Worker processes (default: one per core).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write to folders that are not empty.")] = False,
    language: LanguageOption = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Reconstruct an example heap in two ways. Makes films and a report from one picture and from a survey, and compares both
    with the truth.

    The tower is simulated, and no model was trained on it. Needs no dataset, no training and no network.
    """
    from anastylosis.models import SLOT_WORDS
    from anastylosis.reconstruction import ReconstructionConfig, refuse_taken

    check_out_folder(out)
    begin = time.perf_counter()
    truth = json.loads((EXAMPLES / TRUTH).read_text(encoding="utf-8"))
    config = ReconstructionConfig(hypotheses=hypotheses)
    ways = [
        Way(label, EXAMPLES / file, out / Path(file).stem, truth["layers"], config, language=language)
        for label, file in (("from the picture", PICTURE), ("from the survey", SURVEY))
    ]
    for way in ways:
        refuse_taken(way.out, force=force)
    picture, survey = take_ways(ways, workers or count_cores())
    if as_json:
        print_json(picture.as_document() | {"truth": truth, "survey": survey.as_document()})
        return
    print(
        translate(
            f"A tower of {truth['layers']} layers fell; no model has seen it. Told that height, and shown what lies there:",
            language,
        )
    )
    print(translate("how did it stand?", language) + "\n")
    for line in compare(picture.document, survey.document, truth, language):
        print(line)
    print(f"\n{translate(SLOT_WORDS, language)}")
    print(
        translate("Empty slots are those before the last pull: the block that was pulled then still stood in its own.", language)
    )
    print("\n" + translate("Look at:", language))
    for way in ways:
        for file, words in FILES.items():
            if (way.out / file).exists():
                print(f"  {way.out / file!s:<{len(str(out)) + 28}}  {translate(words, language)}")
    print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)


class Way(NamedTuple):
    """One of the two ways to reconstruct the heap."""

    label: str
    source: Path
    out: Path
    layers: int
    config: "ReconstructionConfig"
    films: bool = True
    language: Language = "en"


def take_ways(ways: Sequence[Way], workers: int) -> list[Outcome]:
    """Run every way and return the outcomes.

    On few cores each way has its own process; otherwise a core would idle while films and figures are made.
    On one core, or on many that the ways share, they run one after the other.
    """
    if not 1 < workers < 2 * len(ways):
        with open_worker_pool(workers) as pool:
            return [take_way(pool, way) for way in ways]
    from anastylosis.executors import open_pool

    with open_pool(len(ways)) as execute:
        compile_kernels(execute)
        done = {way.label: outcome for way, outcome in execute(take_way_alone, ways)}
    return [done[way.label] for way in ways]


def take_way_alone(way: Way) -> Outcome:
    """Take one way in a process of its own."""
    with open_worker_pool(1, plain=True) as pool:
        return take_way(pool, way)


def take_way(pool: WorkerPool, way: Way) -> Outcome:
    from anastylosis.reconstruction import Knowledge, SurveyFile, Toolset

    def progress(what: str, done: int, total: int) -> None:
        pool.progress(what, done, total, way.label)

    picture = way.source.suffix == ".png"
    request = Request(
        inputs=[way.source], out=way.out, films=way.films, language=way.language, config=way.config, force=True, tools=Toolset(),
        source=read_photographs([way.source], None, None, None, None) if picture else SurveyFile(path=way.source),
        known=Knowledge(layers=way.layers),
        options={"layers": way.layers, "hypotheses": way.config.hypotheses, "seed": way.config.seed},
    )  # fmt: skip
    return reconstruct_heap(pool._replace(progress=progress), request)


def compare(
    picture: Mapping[str, Any], survey: Mapping[str, Any], truth: Mapping[str, Any], language: Language = "en"
) -> Iterator[str]:
    """Compare the findings with the truth, a line each."""
    empty, both = set(truth["empty"]), (picture, survey)
    predictions = [each["prediction"] for each in both]
    pulls = [each["hypotheses"][0]["pull"] for each in both]
    rows = {
        "": ("from one picture", "from a survey", "in truth"),
        "blocks found": (*(str(len(each["blocks"])) for each in both), f"{3 * truth['layers'] - len(empty)} stood"),
        "blocks gone before": (*(describe_range(each, "num_removed", 1) for each in predictions), str(len(empty))),
        "layer that gave way": (*(str(each["failure_layer"]) for each in predictions), str(truth["gave_way"])),
        "friction": (*(describe_range(each, "friction", 2) for each in predictions), f"{truth['friction']:.2f}"),
        "block pulled last": (*(pull["slot"] if pull else "-" for pull in pulls), truth["pulled"]),
        "empty slots found": (*(describe_empty(each, empty) for each in both), f"{len(empty)} were"),
        "blocks in their slots": (NAMELESS, describe_stones(survey, truth["stones"])),
    }
    for name, cells in rows.items():
        spoken = [translate(cell, language) for cell in cells]
        yield f"  {translate(name, language):<23}{''.join(f'{cell:<{WIDTH}}' for cell in spoken)}".rstrip()
    yield ""
    for name, slots in (
        ("by the picture", picture["hypotheses"][0]["removed"]),
        ("by the survey", survey["hypotheses"][0]["removed"]),
        ("in truth", truth["empty"]),
    ):
        yield f"  {translate(f'empty {name}', language):<23}{', '.join(slots) or translate('none', language)}"


def describe_range(prediction: Mapping[str, Any], name: str, decimals: int) -> str:
    """Describe a number and its 90 % range."""
    from anastylosis.models import Estimate

    low, high = (prediction[f"{name}_{end}"] for end in ("low", "high"))
    counted = prediction.get(f"{name}_counted", False)
    return Estimate(value=prediction[name], low=low, high=high, counted=counted).words(decimals)


def describe_empty(document: Mapping[str, Any], true: set[str]) -> str:
    emptied = set(document["hypotheses"][0]["removed"])
    return f"{len(emptied & true)} of {len(true)}, and {len(emptied - true)} wrong"


def describe_stones(document: Mapping[str, Any], stones: Mapping[str, str]) -> str:
    """Count the known stones that are put back into their own slot."""
    slots = {block["id"]: block["slot"] for block in document["blocks"] if block["id"] in stones}
    return f"{sum(slots[name] == stones[name] for name in slots)} of {len(slots)} right"
