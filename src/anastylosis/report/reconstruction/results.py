"""Everything that a reconstruction leaves in its folder. Each file is there whole or not at all, the document last."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.executors import open_pool, run_serial
from anastylosis.models import Prediction
from anastylosis.progress import Execute, Progress, no_progress
from anastylosis.reconstruction import Reconstruction, open_folder
from anastylosis.rendering import Overlay, Picture, draw_overlay, frame_points, write_png
from anastylosis.report.detection_overlay import draw_survey
from anastylosis.report.reconstruction.each import run_each
from anastylosis.report.reconstruction.film import film_reconstruction
from anastylosis.report.reconstruction.lines import list_lines
from anastylosis.report.reconstruction.page import render_report
from anastylosis.report.reconstruction.proposals import draw_proposals
from anastylosis.report.reconstruction.rebuilding import film_rebuilding
from anastylosis.report.reconstruction.scene import BlockScene, ViewSettings, draw_scene
from anastylosis.report.reconstruction.shades import HEAP_LEGEND, shade_given
from anastylosis.report.reconstruction.speaking import speak_overlay
from anastylosis.report.reconstruction.story import Story, build_story
from anastylosis.report.reconstruction.view import LENS, choose_azimuth, light_from
from anastylosis.survey import write_survey
from anastylosis.translation import Language, translate
from anastylosis.whole_file import write_whole

RESULT_FILES = (
    "reconstruction.json", "blocks.csv", "report.html", "hypotheses.png", "panel.png", "seen.png", "survey.csv", "rebuild.mp4",
    "reconstruction.mp4",
)  # fmt: skip
SEEN_WORDS = "evidence: the blocks that were found"
HEAP, FREE = (880, 640), 0.06  # [pixels] of the picture of a surveyed heap; share of it that is left free on each side


@dataclass(frozen=True, kw_only=True)
class Results:
    """A folder of results, and how they are made."""

    folder: Path
    execute: Execute
    progress: Progress
    films: bool
    language: Language = "en"
    files: list[Path] = field(default_factory=list)  # so far

    def add(self, name: str) -> Path:
        self.files.append(self.folder / name)
        return self.files[-1]


def refuse_inputs(paths: Iterable[Path], folder: Path) -> None:
    """Raise where a file that was read would be written over."""
    for path in paths:
        if Path(os.path.realpath(path)).parent == Path(os.path.realpath(folder)) and path.name in RESULT_FILES:
            raise InvalidInput(f"{path} is read, and would be written over; name another folder (--out)")


def save_reconstruction(found: Reconstruction, folder: Path, *, films: bool, force: bool, workers: int) -> list[Path]:
    """Write all of it into a folder that is new or empty, unless forced."""
    refuse_inputs(found.inputs, folder)
    with open_folder(folder, force=force), open_pool(workers) as execute:
        inputs = found.making.get("inputs")
        title = f"{inputs[0]['file']}: how it stood" if inputs else "How it stood"
        return write_results(found, folder, title, execute=execute, films=films)


def write_results(
    found: Reconstruction,
    folder: Path,
    title: str,
    *,
    execute: Execute = run_serial,
    progress: Progress = no_progress,
    films: bool = True,
    language: Language = "en",
) -> list[Path]:
    """Write all of it into a folder; return the files, the most telling first."""
    results = Results(folder=folder, execute=execute, progress=progress, films=films, language=language)
    delete_old(results.folder)
    document = found.as_document()
    panel, proposals = results.folder / "panel.png", results.folder / "hypotheses.png"
    prediction, heap, story = begin(results, found, panel, title)
    names = write_films(results, found, prediction, story) if results.films else []
    if found.photos:
        write_survey(results.add("survey.csv"), found.survey)
        write_png(results.add("seen.png"), heap)
    write_png(proposals, draw_proposals(found, results.execute, results.progress, language))
    results.files.extend([panel, proposals])
    pictures = {"What was given, and what is predicted": panel, "The first proposals": proposals}
    page = render_report(document, list_lines(found, prediction), pictures, names, language)
    with write_whole(results.add("report.html")) as part:
        part.write_text(page, encoding="utf-8")
    return [*results.files, *found.write_tables(results.folder)]


def begin(results: Results, found: Reconstruction, panel: Path, title: str) -> tuple[Prediction, Picture, Story | None]:
    """Draw the panel and build the story of the film, side by side."""
    prediction = found.predict_by_picture()
    asked: list[Callable[[], Any]] = [partial(write_panel, panel, found, prediction, title, results.language)]
    asked += [partial(build_story, found)] * results.films
    heap, *others = run_each(results.execute, asked)
    return prediction, heap, others[0] if others else None


def delete_old(folder: Path) -> None:
    """Delete what an earlier run has left, the document first: where it is, all files are of one run."""
    for name in RESULT_FILES:
        (folder / name).unlink(missing_ok=True)


def write_films(results: Results, found: Reconstruction, prediction: Prediction, story: Story | None) -> list[str]:
    """Write both films, or that of the rebuilding alone where nothing is known of the fall; return their names."""
    if story is not None:
        film_reconstruction(
            results.add("reconstruction.mp4"), found, prediction, story, results.execute, results.progress, results.language
        )
    film_rebuilding(results.add("rebuild.mp4"), found, results.execute, results.progress, results.language)
    return [path.name for path in results.files]


def write_panel(path: Path, found: Reconstruction, prediction: Prediction, title: str, language: Language) -> Picture:
    """Write the panel; return the picture of what was given."""
    from anastylosis.report.figure_page import write_figure  # matplotlib: for the process that draws
    from anastylosis.report.reconstruction.panel import draw_panel

    heap = (
        draw_survey(found.photos, found.survey, translate(SEEN_WORDS, language)) if found.photos else draw_heap(found, language)
    )
    write_figure(draw_panel(found, prediction, heap, title, language), path)
    return heap


def draw_heap(found: Reconstruction, language: Language) -> Picture:
    """Draw the blocks as they were surveyed: evidence, with nothing that is inferred."""
    survey = found.survey
    scene = BlockScene.from_survey(survey, shade_given(found))
    azimuth = choose_azimuth(survey)
    camera = frame_points(
        scene.surround(), azimuth=azimuth, field_of_view=LENS, width=HEAP[0],
        height=HEAP[1], margin=FREE,
    )  # fmt: skip
    picture = draw_scene(ViewSettings(camera, light_from(azimuth), "soft"), scene)
    return draw_overlay(picture, speak_overlay(Overlay(legend=HEAP_LEGEND), language))
