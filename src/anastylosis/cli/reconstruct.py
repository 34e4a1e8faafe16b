"""`anastylosis reconstruct`: how the tower stood, in ranked proposals that physics has replayed."""

import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from anastylosis.cli.new_file import check_out_folder
from anastylosis.cli.photographs import Cameras, Corners, DetectorFolder, Points
from anastylosis.cli.progress import show_count
from anastylosis.cli.surveys import (
    Block,
    Complete,
    Deviations,
    FitFrame,
    Heading,
    Layers,
    Units,
    parse_block,
    parse_reading,
    print_survey_warnings,
)
from anastylosis.cli.table import print_json
from anastylosis.cli.words import parse_numbers
from anastylosis.errors import InvalidInput
from anastylosis.kernel_cache import compile_kernels
from anastylosis.machine import count_cores
from anastylosis.number import SEED_MAX
from anastylosis.text_file import show_text
from anastylosis.translation import Language, translate

if TYPE_CHECKING:
    from anastylosis.progress import Execute
    from anastylosis.reconstruction import Knowledge, Photographs, Reconstruction, ReconstructionConfig, Source, Toolset

LanguageOption = Annotated[Language, typer.Option("--language", help="Language of report, films, pictures and the screen.")]
TABLE_LINE = re.compile(r"(\s*)(\S(?:.*?\S)?)(\s{2,})(.*)", re.DOTALL)
THINGS = {
    "blocks": "inputs read",
    "moves": "pulls tried",
    "hypotheses": "towers let fall",
    "steps": "building steps checked",
    "pictures": "frames drawn",
}
READY = "anastylosis.report.reconstruction.results"  # imports all that processes are asked to do


def reconstruct_command(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT", help="A survey, .csv or .json, or one or more pictures of the same debris whose camera is known."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to; made if it is not there.")],
    layers: Layers = None,
    friction: Annotated[
        str,
        typer.Option(
            metavar="MU", help="low, nominal, high, a coefficient or a range such as 0.3..0.5, if known; else inferred."
        ),
    ] = "unknown",
    complete: Complete = False,
    hypotheses: Annotated[
        int,
        typer.Option(min=0, max=10_000, metavar="N", help="Proposals to re-simulate; 0: the most probable alone, no physics."),
    ] = 32,
    seed: Annotated[
        int, typer.Option(min=0, max=SEED_MAX, metavar="S", help="Random seed; the same seed gives the same answer.")
    ] = 0,
    lookup: Annotated[
        bool,
        typer.Option(
            "--lookup/--no-lookup", help="Retrieve the episode of the library that has the name of the input, if there is one."
        ),
    ] = True,
    library: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Library or dataset of falls to retrieve from (default: a library that ships)."),
    ] = None,
    films: Annotated[
        bool, typer.Option("--films/--no-films", help="Make the films; they take about a third of the time.")
    ] = True,
    camera: Cameras = None,
    points: Points = None,
    corners: Corners = None,
    units: Units = None,
    origin: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y[,Z]",
            help="Middle of the tower's foot in the frame of survey, target, clicked block or camera files [m]; pictures: X,Y.",
        ),
    ] = None,
    heading: Heading = None,
    error: Deviations = None,
    block: Block = None,
    fit_frame: FitFrame = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="M.onnx", help="Model of `train assign` (default: the one that ships).")
    ] = None,
    models: DetectorFolder = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Worker processes (default: one per core).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write to a folder that is not empty.")] = False,
    language: LanguageOption = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Propose how a fallen tower stood. Ranks towers by probability, and lets each of them fall again in simulation.

    Writes two films (the fall, forwards and backwards, and the rebuilding), pictures, a report (report.html), all results
    (reconstruction.json) and a table with one line per block (blocks.csv). The same input, options and seed give the same
    files, with any number of workers.
    """
    from anastylosis.episode import FRICTION_LEVELS
    from anastylosis.reconstruction import Knowledge, ReconstructionConfig, Toolset
    from anastylosis.report import list_findings

    check_out_folder(out)
    begin = time.perf_counter()
    if are_pictures(inputs):
        refuse({"--units": units, "--error": error}, "a survey; here are pictures, whose errors the detector tells")
        photographs = read_photographs(inputs, camera, points, origin, heading)
        source: Source = replace(photographs, corners_files=tuple(corners or ()), block=parse_block(block))
    else:
        refuse({"--camera": camera, "--points": points, "--corners": corners, "--models": models}, "pictures; here is a survey")
        source = read_survey_file(inputs[0], units, origin, heading, error)
    request = Request(
        inputs=inputs, source=source, out=out, films=films, language=language, force=force,
        read=[*(camera or []), *(points or []), *(corners or [])],
        known=Knowledge(
            layers=layers, friction=friction, complete=complete, block=parse_block(block),
            fit_frame=fit_frame,
        ),
        config=ReconstructionConfig(hypotheses=hypotheses, seed=seed, lookup=lookup),
        tools=Toolset(model=model, models=models, library=library),
        options={
            "layers": layers, "friction": friction, "complete": complete, "lookup": lookup, "units": units, "origin": origin,
            "heading": heading, "error": error, "block": block, "fit_frame": fit_frame, "hypotheses": hypotheses, "seed": seed,
        },
    )  # fmt: skip
    request.known.parse_friction(FRICTION_LEVELS)  # a typing error is said before the work begins
    with open_worker_pool(workers) as pool:
        outcome = reconstruct_heap(pool, request)
    print_survey_warnings(inputs[0], outcome.found.survey, outcome.found.warnings)
    if as_json:
        print_json(outcome.as_document())
    else:
        print(*inputs)
        for line in list_findings(outcome.found, outcome.document):
            print(translate_line(line, language))
        print(f"{out}: {', '.join(file.name for file in outcome.files)}", file=sys.stderr)
        print(f"{time.perf_counter() - begin:.1f} s", file=sys.stderr)


def translate_line(line: str, language: Language) -> str:
    """Translate a line of a table on the screen: a label, some space, and what it says."""
    row = TABLE_LINE.fullmatch(line)
    if row is None:
        return translate(line, language)
    margin, label, space, said = row.groups()
    return f"{margin}{translate(label, language):<{len(label) + len(space)}}{translate(said, language)}"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One heap to reconstruct, and the folder for the results."""

    inputs: Sequence[Path]
    source: "Source"
    out: Path
    known: "Knowledge"
    config: "ReconstructionConfig"
    tools: "Toolset"
    options: Mapping[str, Any]  # as they were typed; those that decide what comes of it
    films: bool = True
    language: Language = "en"
    force: bool = False
    read: Sequence[Path] = field(default_factory=list)  # other files that are read


class Outcome(NamedTuple):
    """A reconstruction and its files."""

    found: "Reconstruction"
    document: dict[str, Any]  # of reconstruction.json
    files: list[Path]

    def as_document(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {"files": {file.name: str(file) for file in self.files}} | self.document


class WorkerPool(NamedTuple):
    """Processes that work, and the line that shows progress."""

    execute: "Execute"
    progress: Callable[..., None]  # `Progress`, and after its words which of several heaps it is


@contextmanager
def open_worker_pool(workers: int | None, *, plain: bool = False) -> Iterator[WorkerPool]:
    """Start processes while inputs and models are read; compile kernels that are not compiled yet.

    `plain`: show progress in lines on a terminal, too.
    """
    from anastylosis.executors import open_pool

    with open_pool(workers or count_cores(), ready=READY) as execute, show_count("", plain=plain) as count_up:

        def progress(what: str, done: int, total: int, label: str = "") -> None:
            count_up(done, total, ", ".join(filter(None, (THINGS[what], label))))

        yield WorkerPool(execute, progress)


def reconstruct_heap(pool: WorkerPool, request: Request) -> Outcome:
    """Reconstruct one heap, and write all that there is to look at."""
    from anastylosis.reconstruction import open_folder, run_pipeline
    from anastylosis.report import refuse_inputs, write_results

    refuse_inputs((*request.inputs, *request.read), request.out)
    with open_folder(request.out, force=request.force):
        compile_kernels(pool.execute)
        found = run_pipeline(
            request.source, request.known, request.config, request.tools, options=request.options, execute=pool.execute,
            progress=pool.progress,
        )  # fmt: skip
        title = f"{show_text(request.inputs[0].name)}: how it stood"
        files = write_results(
            found,
            request.out,
            title,
            execute=pool.execute,
            progress=pool.progress,
            films=request.films,
            language=request.language,
        )
    return Outcome(found, found.as_document(), files)


def are_pictures(inputs: Sequence[Path]) -> bool:
    """Return True for pictures, False for one survey; refuse what is neither."""
    from anastylosis.survey import SURVEY_ENDINGS

    surveys = [path for path in inputs if path.suffix.lower() in SURVEY_ENDINGS]
    if surveys and len(inputs) > 1:
        raise InvalidInput(f"{surveys[0]} is a survey; one survey is reconstructed at a time, or pictures of one heap")
    if not surveys:
        refuse_others(inputs)
    return not surveys


def refuse_others(inputs: Sequence[Path]) -> None:
    """Raise where a file is no picture, or not there."""
    from anastylosis.models import FORMATS, is_image
    from anastylosis.survey import SURVEY_ENDINGS

    for path in inputs:
        if not path.exists():
            raise InvalidInput(f"there is no file {path}; give pictures of one heap, or a survey")
        if path.is_file() and path.stat().st_size and not is_image(path):
            raise InvalidInput(
                f"{path} is neither a picture ({', '.join(FORMATS)}) nor a survey ({', '.join(SURVEY_ENDINGS)}); give one of them"
            )


def refuse(given: Mapping[str, object], of: str) -> None:
    """Raise where an option is given that means nothing here."""
    for option, value in given.items():
        if value is not None:
            raise InvalidInput(f"{option} is an option for {of}")


def read_survey_file(path: Path, units: str | None, origin: str | None, heading: float | None, error: str | None) -> "Source":
    """Return a survey on disk as the options say that it is to be read."""
    from anastylosis.reconstruction import SurveyFile

    return SurveyFile(path=path, **parse_reading(units, origin, heading, error))


def read_photographs(
    inputs: Sequence[Path], camera: list[Path] | None, points: list[Path] | None, origin: str | None, heading: float | None
) -> "Photographs":
    """Return pictures and the files that tell their cameras."""
    from anastylosis.reconstruction import Photographs

    x, y = parse_numbers("--origin", origin or "0,0", "xy")
    return Photographs(
        pictures=tuple(inputs), camera_files=tuple(camera or ()), points_files=tuple(points or ()), origin=(x, y),
        heading=None if heading is None else math.radians(heading),
    )  # fmt: skip
