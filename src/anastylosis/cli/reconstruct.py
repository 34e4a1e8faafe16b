"""`anastylosis reconstruct`: how the tower stood, in ranked proposals that physics has replayed."""

import math
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.photographs import Cameras, EyeFolder, Points, find_cameras, straighten_photo
from anastylosis.cli.progress import show_count
from anastylosis.cli.surveys import Complete, Deviations, Heading, Layers, Origin, Units, parse_reading, tell_warnings
from anastylosis.cli.table import print_json
from anastylosis.cli.words import count, parse_numbers
from anastylosis.errors import InvalidInput
from anastylosis.machine import count_cores

if TYPE_CHECKING:
    from anastylosis.reconstruct.case import Friction
    from anastylosis.reconstruct.observation import Observation
    from anastylosis.reconstruct.reconstruction import Reconstruction

__all__ = ["reconstruct_command"]

SURVEYS = (".csv", ".json")
SHOWN = 5  # proposals on the screen
SLOTS_SHOWN = 8
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
    origin: Origin = None,
    heading: Heading = None,
    error: Deviations = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="M.onnx", help="Of `train --preset assign`; the one that ships.")
    ] = None,
    models: EyeFolder = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; one a core if not given.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write to a folder that is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Propose how a fallen tower stood. Ranked towers with probabilities, each let fall again and compared with what lies there.

    Writes two films (the fall and its undoing, and the rebuilding), pictures, report.html to keep, reconstruction.json with
    everything and blocks.csv, a line a block. The same input, options and seed give the same files, with any number of workers.
    """
    from anastylosis.executors import open_pool
    from anastylosis.predict.assignment.assigner import Assigner
    from anastylosis.predict.shipped import SHIPPED_ASSIGNMENT, list_eye
    from anastylosis.reconstruct.case import ReconstructionConfig
    from anastylosis.reconstruct.folder import check_folder
    from anastylosis.reconstruct.library import read_library
    from anastylosis.reconstruct.paradata import describe_making
    from anastylosis.reconstruct.reconstructor import Reconstructor
    from anastylosis.report.reconstruction.results import Results, write_results

    begin = time.perf_counter()
    if are_pictures(inputs):
        refuse({"--units": units, "--error": error}, "a survey; here are pictures, whose errors the eye tells")
        observation = look(inputs, camera, points, origin, heading, models)
    else:
        refuse({"--camera": camera, "--points": points, "--models": models}, "pictures; here is a survey")
        observation = read(inputs, units, origin, heading, error)
    assigner = Assigner.from_file(model or SHIPPED_ASSIGNMENT)
    known = parse_friction(friction, assigner.card.frictions)
    worker = Reconstructor(assigner=assigner, library=read_library(library))
    check_folder(out, force=force)
    config = ReconstructionConfig(hypotheses=hypotheses, seed=seed)
    options: dict[str, Any] = {
        "layers": layers, "friction": friction, "complete": complete, "lookup": lookup, "hypotheses": hypotheses, "seed": seed,
        "units": units, "origin": origin, "heading": heading, "error": error,
    }  # fmt: skip
    with open_pool(workers or count_cores()) as execute, show_count("jobs") as count_up:

        def tell(what: str, done: int, total: int) -> None:
            count_up(done, total, what)

        found = worker.reconstruct(
            observation.survey, layers=layers, friction=known, complete=complete, name=observation.name if lookup else None,
            config=config, execute=execute, tell=tell,
        )  # fmt: skip
        tell_warnings(inputs[0], observation.survey, found.warnings)
        eye = list_eye(models) if observation.photos else ()
        making = describe_making(inputs, options, worker, model=model or SHIPPED_ASSIGNMENT, eye=eye, library=library)
        document = making | found.as_document()
        results = Results(folder=out, execute=execute, tell=tell, photos=observation.photos, films=films)
        files = write_results(results, found, document, f"{inputs[0].name}: how it stood")
    if as_json:
        print_json({"files": {file.name: str(file) for file in files}} | document)
    else:
        show(inputs, found, document)
        print(f"{out}: {', '.join(file.name for file in files)}", file=sys.stderr)
        print(f"{time.perf_counter() - begin:.1f} s", file=sys.stderr)


def are_pictures(inputs: Sequence[Path]) -> bool:
    """True of pictures, False of one survey."""
    surveys = [path for path in inputs if path.suffix.lower() in SURVEYS]
    if surveys and len(inputs) > 1:
        raise InvalidInput(f"{surveys[0]} is a survey; one survey is reconstructed at a time, or pictures of one heap")
    return not surveys


def refuse(given: Mapping[str, object], of: str) -> None:
    """Raise where an option is given that means nothing here."""
    for option, value in given.items():
        if value is not None:
            raise InvalidInput(f"{option} is an option for {of}")


def read(
    inputs: Sequence[Path], units: str | None, origin: str | None, heading: float | None, error: str | None
) -> "Observation":
    from anastylosis.reconstruct.observation import observe_survey

    return observe_survey(inputs[0], **parse_reading(units, origin, heading, error))


def look(
    inputs: Sequence[Path],
    camera: list[Path] | None,
    points: list[Path] | None,
    origin: str | None,
    heading: float | None,
    models: Path | None,
) -> "Observation":
    """What the eye finds in pictures."""
    from anastylosis.predict.camera.solved import make_ground
    from anastylosis.predict.eye.eye import Eye
    from anastylosis.predict.shipped import list_eye
    from anastylosis.reconstruct.observation import observe_photos

    place = parse_numbers("--origin", origin or "0,0", "xy")
    turn = math.radians(heading or 0.0)
    cameras = find_cameras(list(inputs), camera, points, place, turn)
    photos = [straighten_photo(image, solved) for image, solved in zip(inputs, cameras, strict=True)]
    return observe_photos(photos, inputs[0].stem, Eye.from_files(*list_eye(models)), make_ground(place, turn))


def parse_friction(words: str, levels: dict[str, float]) -> "Friction | None":
    """The range that is known; None: nothing is."""
    from anastylosis.predict.coefficient import find_coefficient
    from anastylosis.reconstruct.case import FRICTION_MAX, Friction

    ends = [find_coefficient(word.strip(), levels) for word in words.split("..")]
    if ends == [None]:
        return None
    if len(ends) > 2 or None in ends:
        raise InvalidInput(f"--friction is {words!r}; give a level, a coefficient, or two with .. between")
    low, high = ends[0], ends[-1]
    assert low is not None
    assert high is not None
    if not 0 < low <= high <= FRICTION_MAX:
        raise InvalidInput(f"--friction is {words!r}; coefficients are above 0 and {FRICTION_MAX:g} at most, the smaller first")
    return Friction(low, high)


def show(inputs: Sequence[Path], found: "Reconstruction", document: dict[str, Any]) -> None:
    """As people read it."""
    from anastylosis.report.reconstruction.retrieved import tell_retrieval

    assignment = found.assignment
    blocks = document["blocks"]
    stand, back, left = (sum(block["basis"] == kind for block in blocks) for kind in ("evidence", "inference", "left out"))
    print(*inputs)
    print(f"  blocks        {len(blocks)}: {stand} still stand, {back} are put back, {left} left out")
    print(f"  tower         {count(assignment.courses, 'layer')} ({'told' if assignment.courses_given else 'inferred'})")
    print(f"  gave way      layer {assignment.failure_course} ({assignment.failure[assignment.failure_course]:.0%})")
    for rank, each in enumerate(document["hypotheses"][:SHOWN], 1):
        empty = ", ".join(each["removed"][:SLOTS_SHOWN]) + (" .." if len(each["removed"]) > SLOTS_SHOWN else "")
        if each["pull"] is None:
            print(f"  {rank}.            empty: {empty or 'none'}")
            continue
        fell = f"{each['distance_mm']:.0f} mm from the heap" if each["fell"] else "did not fall"
        pull = f"pulled {each['pull']['slot']} along {each['pull']['axis']}"
        print(f"  {rank}. {each['probability']:8.0%}   empty: {empty or 'none'}; {pull}, {fell}")
    print(f"  all agree     {len(document['agree_standing'])} slots filled, {len(document['agree_empty'])} empty")
    differ = document["differ"]
    print(f"  they differ   {', '.join(differ[:SLOTS_SHOWN]) or 'nowhere'}{' ..' if len(differ) > SLOTS_SHOWN else ''}")
    show_assembly(document)
    if document["check_next"]:
        first = document["check_next"][0]
        slots = ", ".join(f"{each['slot']} {each['probability']:.0%}" for each in first["alternatives"])
        print(f"  check next    {first['id']}: {slots}")
    print(f"  retrieved     {tell_retrieval(document)}")


def show_assembly(document: dict[str, Any]) -> None:
    """How the best proposal is built."""
    steps = [step for step in document["assembly"] if step["slot"]]
    if not steps:
        return
    loose = sum(not step["stands"] for step in steps)
    least = min(steps, key=lambda step: (step["stands"], step["safety_g"] or 0.0))
    held = f"{count(loose, 'step')} of them with a prop" if loose else "every step stands"
    safety = f"{least['safety_g'] or 0:.3f} g"
    print(f"  building      {count(len(steps), 'block')}; {held}, the least safe with {least['slot']}: {safety}")
