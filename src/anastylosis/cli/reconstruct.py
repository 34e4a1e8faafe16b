"""`anastylosis reconstruct`: how the tower stood, in ranked proposals that physics has replayed."""

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from anastylosis.cli.findings import show_findings
from anastylosis.cli.kernels import compile_kernels
from anastylosis.cli.photographs import Cameras, DetectorFolder, Points, find_cameras, open_detector
from anastylosis.cli.progress import show_count
from anastylosis.cli.surveys import Complete, Deviations, Heading, Layers, Units, parse_reading, print_survey_warnings
from anastylosis.cli.table import print_json
from anastylosis.cli.words import parse_numbers
from anastylosis.errors import InvalidInput
from anastylosis.machine import count_cores

if TYPE_CHECKING:
    from anastylosis.reconstruction.case import Execute, Friction, ReconstructionConfig
    from anastylosis.reconstruction.observation import Observation
    from anastylosis.reconstruction.reconstruction import Reconstruction
    from anastylosis.reconstruction.reconstructor import Reconstructor

__all__ = ["Outcome", "Request", "Workshop", "carry_out", "look", "open_workshop", "read", "reconstruct_command"]

SURVEYS = (".csv", ".json")
THINGS = {"moves": "pulls tried", "hypotheses": "towers let fall", "steps": "building steps checked", "pictures": "frames drawn"}
READY = "anastylosis.report.reconstruction.results"  # imports all that processes are asked to do
SEED_MAX = 2**32 - 1


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
    seed: Annotated[int, typer.Option(min=0, max=SEED_MAX, metavar="S", help="Same seed, same answer.")] = 0,
    lookup: Annotated[
        bool, typer.Option("--lookup/--no-lookup", help="Look for the episode of the input's name in the library.")
    ] = True,
    library: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Falls to retrieve from: a library or a dataset; the one that ships.")
    ] = None,
    films: Annotated[
        bool, typer.Option("--films/--no-films", help="Make the films; they take about a third of the time.")
    ] = True,
    camera: Cameras = None,
    points: Points = None,
    units: Units = None,
    origin: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y[,Z]", help="Middle of the tower's foot on the site [m]; of pictures X,Y, for their floor is at 0."
        ),
    ] = None,
    heading: Heading = None,
    error: Deviations = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="M.onnx", help="Model of `train assign` (default: the one that ships).")
    ] = None,
    models: DetectorFolder = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; one a core if not given.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write to a folder that is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Propose how a fallen tower stood. Ranked towers with probabilities, each let fall again and compared with what lies there.

    Writes two films (the fall and its undoing, and the rebuilding), pictures, report.html to keep, reconstruction.json with
    everything and blocks.csv, a line a block. The same input, options and seed give the same files, with any number of workers.
    """
    from anastylosis.reconstruction.case import ReconstructionConfig

    begin = time.perf_counter()
    pictures = are_pictures(inputs)
    if pictures:
        refuse({"--units": units, "--error": error}, "a survey; here are pictures, whose errors the eye tells")
    else:
        refuse({"--camera": camera, "--points": points, "--models": models}, "pictures; here is a survey")
    request = Request(
        inputs=inputs, out=out, layers=layers, friction=friction, complete=complete, lookup=lookup, films=films, force=force,
        config=ReconstructionConfig(hypotheses=hypotheses, seed=seed), units=units, origin=origin, heading=heading, error=error,
        cameras=[*(camera or []), *(points or [])], models=models,
    )  # fmt: skip
    with open_workshop(workers, model, library) as workshop:
        observation = (
            look(inputs, camera, points, origin, heading, models) if pictures else read(inputs, units, origin, heading, error)
        )
        outcome = carry_out(workshop, request, observation)
    print_survey_warnings(inputs[0], observation.survey, outcome.found.warnings)
    if as_json:
        print_json(outcome.as_document())
    else:
        show_findings(inputs, outcome.found, outcome.document)
        print(f"{out}: {', '.join(file.name for file in outcome.files)}", file=sys.stderr)
        print(f"{time.perf_counter() - begin:.1f} s", file=sys.stderr)


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked for one heap; as the options say it."""

    inputs: Sequence[Path]
    out: Path
    config: "ReconstructionConfig"
    layers: int | None = None
    friction: str = "unknown"
    complete: bool = False
    lookup: bool = True
    films: bool = True
    force: bool = False
    units: str | None = None
    origin: str | None = None
    heading: float | None = None
    error: str | None = None
    cameras: Sequence[Path] = ()  # files that say where pictures were taken from
    models: Path | None = None  # of the eye

    def list_options(self) -> dict[str, Any]:
        """Those that decide what comes of it."""
        names = ("layers", "friction", "complete", "lookup", "units", "origin", "heading", "error")
        return {name: getattr(self, name) for name in names} | {
            "hypotheses": self.config.hypotheses, "seed": self.config.seed,
        }  # fmt: skip


class Outcome(NamedTuple):
    """What came of it."""

    found: "Reconstruction"
    document: dict[str, Any]  # of reconstruction.json
    files: list[Path]

    def as_document(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {"files": {file.name: str(file) for file in self.files}} | self.document


class Workshop(NamedTuple):
    """What is there for all heaps: models, library, processes."""

    model: Path | None  # the assignment net; the one that ships for what is reconstructed
    library: Path | None
    execute: "Execute"
    tell: Callable[..., None]  # `Tell`, and after its words which of several heaps it is


@contextmanager
def open_workshop(
    workers: int | None, model: Path | None = None, library: Path | None = None, *, plain: bool = False
) -> Iterator[Workshop]:
    """Processes start while pictures and models are read; kernels that are not compiled yet are compiled.

    `plain`: progress is told in lines on a terminal, too.
    """
    from anastylosis.executors import open_pool

    with open_pool(workers or count_cores(), ready=READY) as execute, show_count("", plain=plain) as count_up:

        def tell(what: str, done: int, total: int, label: str = "") -> None:
            count_up(done, total, ", ".join(filter(None, (THINGS[what], label))))

        yield Workshop(model, library, execute, tell)


def carry_out(workshop: Workshop, request: Request, observation: "Observation") -> Outcome:
    """Reconstruct one heap, and write all that there is to look at."""
    from anastylosis.assignment.assigner import Assigner
    from anastylosis.models.shipped import choose_assigner
    from anastylosis.reconstruction.folder import open_folder
    from anastylosis.reconstruction.library import read_library
    from anastylosis.reconstruction.reconstructor import Reconstructor
    from anastylosis.report.reconstruction.results import NAMES

    model = workshop.model or choose_assigner(observation.survey, request.models)
    worker = Reconstructor(assigner=Assigner.from_file(model), library=read_library(workshop.library))
    known = parse_friction(request.friction, worker.assigner.card.frictions)
    for path in (*request.inputs, *request.cameras):
        if path.resolve().parent == request.out.resolve() and path.name in NAMES:
            raise InvalidInput(f"{path} is read, and would be written over; name another folder with --out")
    with open_folder(request.out, force=request.force):
        return work_out(workshop, request, observation, worker, model, known)


def work_out(
    workshop: Workshop,
    request: Request,
    observation: "Observation",
    worker: "Reconstructor",
    model: Path,
    known: "Friction | None",
) -> Outcome:
    """The reconstruction, with this assignment net and what is known of the friction, and its files."""
    from anastylosis.models.shipped import list_detector
    from anastylosis.reconstruction.paradata import describe_making
    from anastylosis.report.reconstruction.results import Results, write_results

    execute, tell = workshop.execute, workshop.tell
    compile_kernels(execute)
    found = worker.reconstruct(
        observation.survey, layers=request.layers, friction=known, complete=request.complete,
        name=observation.name if request.lookup else None, config=replace(request.config, assembly=False), execute=execute,
        tell=tell,
    )  # fmt: skip
    eye = list_detector(request.models) if observation.photos else ()
    document = describe_making(
        request.inputs, request.list_options(), worker, model=model, eye=eye, library=workshop.library,
        photos=observation.photos, cameras=request.cameras,
    )  # fmt: skip
    results = Results(
        folder=request.out, execute=execute, tell=tell, photos=observation.photos, films=request.films,
        assembly=request.config.assembly,
    )  # fmt: skip
    files = write_results(results, found, document, f"{request.inputs[0].name}: how it stood")
    return Outcome(found, document, files)


def are_pictures(inputs: Sequence[Path]) -> bool:
    """True of pictures, False of one survey; what is neither is refused."""
    surveys = [path for path in inputs if path.suffix.lower() in SURVEYS]
    if surveys and len(inputs) > 1:
        raise InvalidInput(f"{surveys[0]} is a survey; one survey is reconstructed at a time, or pictures of one heap")
    if not surveys:
        refuse_others(inputs)
    return not surveys


def refuse_others(inputs: Sequence[Path]) -> None:
    """Raise where a file is no picture, or not there."""
    from anastylosis.models.image_file import FORMATS, is_image

    for path in inputs:
        if not path.exists():
            raise InvalidInput(f"there is no file {path}; give pictures of one heap, or a survey")
        if path.is_file() and path.stat().st_size and not is_image(path):
            raise InvalidInput(
                f"{path} is neither a picture ({', '.join(FORMATS)}) nor a survey ({', '.join(SURVEYS)}); give one of these"
            )


def refuse(given: Mapping[str, object], of: str) -> None:
    """Raise where an option is given that means nothing here."""
    for option, value in given.items():
        if value is not None:
            raise InvalidInput(f"{option} is an option for {of}")


def read(
    inputs: Sequence[Path],
    units: str | None = None,
    origin: str | None = None,
    heading: float | None = None,
    error: str | None = None,
) -> "Observation":
    """What is in a survey."""
    from anastylosis.reconstruction.observation import observe_survey

    return observe_survey(inputs[0], **parse_reading(units, origin, heading, error))


def look(
    inputs: Sequence[Path],
    camera: list[Path] | None = None,
    points: list[Path] | None = None,
    origin: str | None = None,
    heading: float | None = None,
    models: Path | None = None,
) -> "Observation":
    """What the eye finds in pictures."""
    from anastylosis.detection.camera.solved import make_ground
    from anastylosis.detection.view import straighten_photo
    from anastylosis.reconstruction.observation import observe_photos

    place = parse_numbers("--origin", origin or "0,0", "xy")
    turn = math.radians(heading or 0.0)
    cameras = find_cameras(list(inputs), camera, points, place, turn)
    photos = [straighten_photo(image, solved) for image, solved in zip(inputs, cameras, strict=True)]
    return observe_photos(photos, inputs[0].stem, open_detector(models), make_ground(place, turn))


def parse_friction(words: str, levels: dict[str, float]) -> "Friction | None":
    """The range that is known; None: nothing is."""
    from anastylosis.models.coefficient import find_coefficient
    from anastylosis.reconstruction.case import FRICTION_MAX, Friction

    wrong = InvalidInput(
        f"--friction is {words!r}; give low, nominal, high, unknown, a coefficient above 0 and {FRICTION_MAX:g} at most, or two "
        "with .. between, the smaller first"
    )
    try:
        ends = [find_coefficient(word.strip(), levels) for word in words.split("..")]
    except InvalidInput as problem:
        raise wrong from problem
    if ends == [None]:
        return None
    known = [end for end in ends if end is not None]
    if len(known) < len(ends) or len(known) > 2:
        raise wrong
    low, high = known[0], known[-1]
    if not 0 < low <= high <= FRICTION_MAX:
        raise wrong
    return Friction(low, high)
