"""Everything that a reconstruction leaves in its folder. Each file is there whole or not at all, the document last."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.detection.view import Photo
from anastylosis.executors import run_each
from anastylosis.models.prediction import Prediction
from anastylosis.models.predictor import Predictor
from anastylosis.models.shipped import SHIPPED
from anastylosis.reconstruction.assembly import measure_step
from anastylosis.reconstruction.case import Execute, Tell
from anastylosis.reconstruction.folder import write_folder
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.reconstructor import list_assembly
from anastylosis.rendering import Overlay, draw_overlay, frame_points, render_image, still_camera, wood_look, write_png
from anastylosis.rendering.picture import Picture
from anastylosis.report.detection_overlay import draw_survey
from anastylosis.report.reconstruction.film import film_reconstruction
from anastylosis.report.reconstruction.lines import list_lines
from anastylosis.report.reconstruction.page import render_report
from anastylosis.report.reconstruction.proposals import draw_proposals
from anastylosis.report.reconstruction.rebuilding import film_rebuilding
from anastylosis.report.reconstruction.scene import BlockScene, ViewSettings, draw_scene, surround
from anastylosis.report.reconstruction.shades import HEAP_LEGEND, shade_given
from anastylosis.report.reconstruction.story import Story, build_story
from anastylosis.report.reconstruction.view import LENS, choose_azimuth, light_from
from anastylosis.survey import Survey, write_survey
from anastylosis.whole_file import write_whole

__all__ = ["NAMES", "Results", "ask_picture_net", "write_results"]

NAMES = (
    "reconstruction.json", "blocks.csv", "report.html", "hypotheses.png", "panel.png", "seen.png", "survey.csv", "rebuild.mp4",
    "reconstruction.mp4",
)  # fmt: skip
SEEN_WORDS = "evidence: the blocks that were found"
SEEN = 256  # [pixels] of what the picture net is shown
HEAP, FREE = (880, 640), 0.06  # [pixels] of the picture of a surveyed heap; share of it that is left free on each side


@dataclass(frozen=True, kw_only=True)
class Results:
    """What is written, and how."""

    folder: Path
    execute: Execute
    tell: Tell
    photos: Sequence[Photo] = ()  # that the blocks were found in
    films: bool = True
    assembly: bool = False  # work out the steps of building, where they are not known yet
    files: list[Path] = field(default_factory=list)  # so far

    def add(self, name: str) -> Path:
        self.files.append(self.folder / name)
        return self.files[-1]


def write_results(results: Results, found: Reconstruction, document: dict[str, Any], title: str) -> list[Path]:
    """Write all of it; the files, the most telling first. `document`: how it was made; what was found is added to it."""
    delete_old(results.folder)
    panel, proposals = results.folder / "panel.png", results.folder / "hypotheses.png"
    found, prediction, given, story = begin(results, found, panel, title)
    document |= found.as_document() | {"picture_net": prediction.as_document()}
    films = write_films(results, found, prediction, story) if results.films else []
    if results.photos:
        write_survey(results.add("survey.csv"), found.survey)
        write_png(results.add("seen.png"), given)
    write_png(proposals, draw_proposals(found, results.execute, results.tell))
    results.files.extend([panel, proposals])
    pictures = {"What was given, and what is predicted": panel, "The first proposals": proposals}
    page = render_report(document, list_lines(found, prediction), pictures, films)
    with write_whole(results.add("report.html")) as part:
        part.write_text(page, encoding="utf-8")
    return [*results.files, *write_folder(results.folder, found, document)]


def begin(
    results: Results, found: Reconstruction, panel: Path, title: str
) -> tuple[Reconstruction, Prediction, Picture, Story | None]:
    """What waits for nothing else, side by side: the panel, the story of the film, the steps of building; what takes longest
    first, so that no core is left without work."""
    steps = list_assembly(found) if results.assembly and not found.steps else []
    asked: list[Callable[[], Any]] = [partial(write_panel, panel, found, results.photos, title)]
    asked += [partial(build_story, found)] * results.films
    waiting = set(range(len(asked), len(asked) + len(steps)))

    def count_up(number: int) -> None:
        if number in waiting:
            waiting.remove(number)
            results.tell("steps", len(steps) - len(waiting), len(steps))

    (prediction, given), *others = run_each(results.execute, [*asked, *(partial(measure_step, job) for job in steps)], count_up)
    story = others.pop(0) if results.films else None
    return replace(found, steps=tuple(others) or found.steps), prediction, given, story


def delete_old(folder: Path) -> None:
    """What an earlier run has left: the document first, so that where it is, all files are of one run."""
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)


def write_films(results: Results, found: Reconstruction, prediction: Prediction, story: Story | None) -> list[str]:
    """Both films, or that of the rebuilding alone where there is no story to tell; their names."""
    if story is not None:
        film_reconstruction(results.add("reconstruction.mp4"), found, prediction, story, results.execute, results.tell)
    film_rebuilding(results.add("rebuild.mp4"), found, results.execute, results.tell)
    return [path.name for path in results.files]


def write_panel(path: Path, found: Reconstruction, photos: Sequence[Photo], title: str) -> tuple[Prediction, Picture]:
    """The panel; and what is on it: what the picture net says, and the picture of what was given."""
    from anastylosis.report.figure_page import write_figure  # matplotlib: for the process that draws
    from anastylosis.report.reconstruction.panel import draw_panel

    prediction = ask_picture_net(found.survey)
    given = draw_survey(photos, found.survey, SEEN_WORDS) if photos else draw_heap(found)
    write_figure(draw_panel(found, prediction, given, title), path)
    return prediction, given


def ask_picture_net(survey: Survey) -> Prediction:
    """What the paper's net says of the heap, drawn as its camera would see it: imbalance and torque risk are its own."""
    predictor = Predictor.from_file(SHIPPED)
    camera = still_camera(SEEN, **vars(predictor.card.view))
    picture = render_image(survey.size, survey.position, survey.orientation, camera, wood_look(0), antialias=2, shadows="soft")
    return predictor.predict(picture.rgb)


def draw_heap(found: Reconstruction) -> Picture:
    """The blocks as they were surveyed: evidence, with nothing that is inferred."""
    survey = found.survey
    scene = BlockScene(survey.size, survey.position, survey.orientation, np.ones(len(survey), bool), shade_given(found))
    azimuth = choose_azimuth(survey)
    camera = frame_points(
        surround(survey.size, survey.position, survey.orientation), azimuth=azimuth, field_of_view=LENS, width=HEAP[0],
        height=HEAP[1], margin=FREE,
    )  # fmt: skip
    picture = draw_scene(ViewSettings(camera, light_from(azimuth), "soft"), scene)
    return draw_overlay(picture, Overlay(legend=HEAP_LEGEND))
