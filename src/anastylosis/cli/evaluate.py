"""`anastylosis evaluate`: every answer of a model beside every baseline."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.new_file import check_out_file
from anastylosis.cli.photographs import open_detector
from anastylosis.cli.progress import show_bar, show_count
from anastylosis.cli.table import print_json, print_rows
from anastylosis.cli.training import check_torch
from anastylosis.cli.words import print_missing
from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.assignment import AssignmentModel
    from anastylosis.dataset import Dataset
    from anastylosis.models import PictureModel
    from anastylosis.validation import ScoreRow

QUICK = 40  # scenes of each trial of the detector


def evaluate_command(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="File that `anastylosis train` has written, folder with the four nets of the detector, or .csv file of answers.",
        ),
    ],
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    beside: Annotated[
        list[Path] | None, typer.Option("--with", metavar="MODEL", help="Another model to compare with; may be repeated.")
    ] = None,
    debris: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Parquet file of more debris to evaluate on, such as debris from another engine."),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Use only the test split, nothing out of the range of training; for the detector, 40 scenes a row.",
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="PAGE.md", help="Also write the tables to this page.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes that draw pictures (default: one per core).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Evaluate models on the test splits of a dataset. Compares them with baselines that need no net.

    No training has seen these splits. Intervals are 95 %, over episodes. The baselines learn from the training split of DATASET.

    Picture models are evaluated on the test split, whole and by friction level, then out of the range of training (other
    heights, frictions, policies, cameras, light and engines), then on pictures of other kinds, which the model should say it
    does not know. The baselines are the prior, nearest neighbours and ridge regression.

    Assignment models are evaluated on surveys of the same splits: exact ones, and ones with errors as in the field and larger.
    Then on surveys of the test split with a mistake of the user, which should be refused or said.

    A detector, a folder with vote_net, slot_classifier, refiner and rescorer (.onnx), is evaluated on pictures of the test
    split: the blocks detected in them, and their assignment.

    A file of answers, .csv, is a submission to the benchmark. It has a row for each tower of the test split that fell, and the
    probability of each slot that it was empty. It is scored beside the baselines.
    """
    from anastylosis.dataset import Dataset
    from anastylosis.report import write_evaluation

    if out:
        check_out_file(out, ".md")
    source = Dataset(dataset)
    if model.suffix == ".csv":
        options = {"--debris": bool(debris), "--quick": quick, "--out": out is not None}
        evaluate_submission(model, source, beside or [], options, workers=workers, as_json=as_json)
        return
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
    print_missing(source)
    if model.is_dir():
        if workers is not None:
            raise InvalidInput("--workers is for model files; a folder with the detector is evaluated in one process")
        evaluate_folder(model, source, beside or [], debris or [], out, quick=quick, as_json=as_json)
        return
    pictures, assigners = open_models([model, *(beside or [])])
    names: dict[str, PictureModel | AssignmentModel] = {**pictures, **assigners}
    for name, opened in names.items():
        if opened.card.dataset.get("fingerprint") != source.manifest.fingerprint:
            print(f"{name} was trained on another dataset than the baselines, or on this one before it grew", file=sys.stderr)
    score = score_surveys if assigners else score_pictures
    rows: list[ScoreRow] = []
    for part in score(pictures, assigners, source, debris or [], quick=quick, workers=workers):
        rows += part
    if out:
        words = ["anastylosis", "evaluate", model.name, dataset.name]
        words += [word for other in beside or [] for word in ("--with", other.name)]
        words += [word for other in debris or [] for word in ("--debris", other.name)]
        words += ["--quick"] * quick
        cards = {name: opened.card for name, opened in names.items()}
        write_evaluation(out, "surveys" if assigners else "pictures", rows, cards, [*words, "--out", out.name])
        print(f"{out} is written", file=sys.stderr)
    show_rows(rows, as_json)


def evaluate_submission(
    path: Path,
    source: "Dataset",
    beside: Sequence[Path],
    options: Mapping[str, bool],
    *,
    workers: int | None,
    as_json: bool,
) -> None:
    """Score a file of answers beside the baselines, and picture models if asked for."""
    given = [name for name, used in options.items() if used]
    if given:
        raise InvalidInput(f"{', '.join(given)} is for models; {path} has answers, which are to the split test alone")
    from anastylosis.training import PictureTest, Submission

    pictures, assigners = open_models(beside)
    if assigners:
        raise InvalidInput(f"{next(iter(assigners))} reads surveys; beside a file of answers stand picture models")
    trial = PictureTest.list_trials(source)[0]
    submission = Submission.from_file(path, trial.examples)  # refused before pictures are drawn
    print_missing(source)
    with show_count("pictures") as progress:
        test = PictureTest.open(
            pictures, source, workers=workers, progress=lambda which, done, total: progress(done, total, which)
        )
    show_rows([row for part in submission.score(test, trial) for row in part], as_json)


def show_rows(rows: "Sequence[ScoreRow]", as_json: bool) -> None:
    """Print the rows of scores."""
    if as_json:
        print_json({"rows": [row._asdict() for row in rows]})
    else:
        print_rows([row._asdict() for row in rows], decimals={"value": 3, "low": 3, "high": 3})


def evaluate_folder(
    folder: Path,
    source: "Dataset",
    beside: Sequence[Path],
    debris: Sequence[Path],
    out: Path | None,
    *,
    quick: bool,
    as_json: bool,
) -> None:
    """Evaluate the detector in a folder, and the assignment of its detections."""
    check_torch()
    from anastylosis.assignment import Assigner
    from anastylosis.models import find_assigner
    from anastylosis.report import write_evaluation
    from anastylosis.training import DetectorTest

    if len(beside) > 1:
        raise InvalidInput("beside the detector stands one model of `train assign`, which reads its surveys")
    detector, assigner = open_detector(folder), Assigner.from_file(beside[0] if beside else find_assigner(folder))
    trials = DetectorTest.list_trials(source, debris, most=QUICK if quick else None)
    test = DetectorTest(detector=detector, assigner=assigner)
    rows: list[ScoreRow] = []
    with show_bar("scored", len(trials)) as advance:
        for part in test.evaluate(trials):
            advance(part[0].split)
            rows += part
    if out:
        words = ["anastylosis", "evaluate", folder.name, source.folder.name, *(["--with", beside[0].name] if beside else [])]
        words += [word for other in debris for word in ("--debris", other.name)] + ["--quick"] * quick
        nets = detector.proposal_nets._asdict() | {"rescorer": detector.rescorer}
        cards = {name: net.card for name, net in nets.items()} | {"assign": assigner.card}
        write_evaluation(out, "detector", rows, cards, [*words, "--out", out.name])
        print(f"{out} is written", file=sys.stderr)
    show_rows(rows, as_json)


def open_models(paths: Sequence[Path]) -> "tuple[dict[str, PictureModel], dict[str, AssignmentModel]]":
    """Open picture models and assignment models, by name."""
    from anastylosis.assignment import AssignmentModel
    from anastylosis.models import ModelCard, OnnxModel, PictureModel
    from anastylosis.training import PictureTest, name_model

    baselines = set(PictureTest.BASELINES)
    if any(OnnxModel.read_kind(path) == ModelCard.ASSIGNMENT for path in paths):
        check_torch()  # picture models are evaluated without
        from anastylosis.training import SurveyTest

        baselines |= set(SurveyTest.BASELINES)
    pictures: dict[str, PictureModel] = {}
    assigners: dict[str, AssignmentModel] = {}
    for path in paths:
        taken = {*baselines, *pictures, *assigners}
        if OnnxModel.read_kind(path) == ModelCard.ASSIGNMENT:
            assigner = AssignmentModel.from_file(path)
            assigners[name_model(assigner.card.preset, path, taken)] = assigner
        else:
            picture = PictureModel.from_file(path, threads=2)
            pictures[name_model(picture.card.preset, path, taken)] = picture
    return pictures, assigners


def score_pictures(
    models: "Mapping[str, PictureModel]", _: Any, source: "Dataset", debris: Sequence[Path], *, quick: bool, workers: int | None
) -> "Iterator[list[ScoreRow]]":
    """Yield the scores of picture models, one model on one trial after another."""
    from anastylosis.training import PictureTest

    trials = PictureTest.list_trials(source, debris)
    trials = trials[:1] if quick else trials
    with show_count("pictures") as progress:
        test = PictureTest.open(models, source, workers=workers, progress=lambda which, done, total: progress(done, total, which))
    with show_bar("scored", test.count_answers(trials)) as advance:
        for part in test.evaluate(trials):
            advance(f"{part[0].model} on {part[0].split}" if part else "nothing")
            yield part


def score_surveys(
    picture_models: "Mapping[str, PictureModel]",
    models: "Mapping[str, AssignmentModel]",
    source: "Dataset",
    debris: Sequence[Path],
    *,
    quick: bool,
    workers: int | None,
) -> "Iterator[list[ScoreRow]]":
    """Yield the scores of assignment models and of picture models beside them."""
    from anastylosis.training import SurveyTest

    trials = SurveyTest.list_trials(source, debris)
    trials = trials[:2] if quick else trials
    test = SurveyTest.open(models, picture_models, source, workers=workers)
    parts = chain(test.evaluate(trials), () if quick else test.evaluate_doubt(trials))
    with show_bar("scored", test.count_answers(trials) + (0 if quick else test.count_doubts())) as advance:
        for part in parts:
            advance(f"{part[0].model} on {part[0].split}" if part else "nothing")
            yield part
