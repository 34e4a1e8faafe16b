"""Put the blocks of a surveyed heap back: which stood where, how sure that is, and, as the truth is known here, what is right.

    python examples/04_put_the_blocks_back.py [FOLDER]

Reads examples/survey. Writes assignment.csv, and assignment.png: the heap and the tower, each block in the colour of its layer;
then the tower in the colour of how sure the model is, and of what is right.
"""

import csv
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from anastylosis import Assigner
from anastylosis.predict.assignment.assignment import Assignment
from anastylosis.predict.assignment.table import BLOCK_COLUMNS, list_blocks, write_rows
from anastylosis.predict.shipped import SHIPPED_ASSIGNMENT
from anastylosis.render import (
    ColourScale,
    Overlay,
    draw_overlay,
    frame_points,
    probability_colours,
    probability_legend,
    render_image,
    wood_look,
    write_png,
)
from anastylosis.survey import read_survey

SURVEY = Path(__file__).parent / "survey"
SIZE, LAYERS = 512, 18
GREY = (0.6, 0.6, 0.6)  # a block that is left out


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    survey = read_survey(SURVEY / "fallen-tower.csv")
    with (SURVEY / "truth.csv").open(newline="", encoding="utf-8") as file:
        truth = {row["stone"]: row["slot"] for row in csv.DictReader(file)}
    assignment = Assigner.from_file(SHIPPED_ASSIGNMENT).assign(survey, layers=LAYERS)
    tell(assignment, truth)
    write_rows(folder / "assignment.csv", BLOCK_COLUMNS, list_blocks(assignment))
    write_png(folder / "assignment.png", draw(assignment, truth))
    print(f"{folder / 'assignment.csv'}: a line a block; {folder / 'assignment.png'}: the heap, and the tower put back")


def tell(assignment: Assignment, truth: Mapping[str, str]) -> None:
    """What was found, beside what is true."""
    own = [name for name in assignment.survey.ids if truth[name] != "foreign"]
    right = count_right(assignment, truth)
    out = [name for name, slot in zip(assignment.survey.ids, assignment.slot, strict=True) if slot < 0]
    foreign = sum(truth[name] == "foreign" for name in out)
    print(f"{len(assignment.survey)} stones measured to 5 mm and 5 degrees, some not found, some foreign:")
    print(f"  {right} of the {len(own)} that belong to the tower are put back into the slot they stood in")
    print(f"  {len(out)} are left out, {foreign} of them foreign")
    gone = [name for name, chance in zip(assignment.structure.ids, assignment.removed, strict=True) if chance >= 0.5]
    print(f"  said to have been empty before the fall: {', '.join(gone) or 'none'}")
    print(f"  gave way: layer {assignment.failure_course}; friction about {assignment.friction.value:.2f}")


def count_right(assignment: Assignment, truth: Mapping[str, str]) -> int:
    pairs = zip(assignment.survey.ids, assignment.slot, strict=True)
    return sum(slot >= 0 and assignment.structure.ids[slot] == truth[name] for name, slot in pairs)


def draw(assignment: Assignment, truth: Mapping[str, str]) -> np.ndarray:
    """Four panels side by side."""
    survey, tower = assignment.survey, assignment.structure
    back = np.flatnonzero(assignment.slot >= 0)
    slots = assignment.slot[back]
    layer = np.where(assignment.slot >= 0, tower.course[assignment.slot] / (LAYERS - 1), np.nan)
    sure = assignment.placed[back, slots]
    right = np.array([float(tower.ids[slot] == truth[survey.ids[block]]) for block, slot in zip(back, slots, strict=True)])
    heap = survey.size, survey.position, survey.orientation
    stood = survey.size[back], tower.position[slots], tower.orientation[slots]
    panels = [
        draw_blocks(heap, layer, "As surveyed", ("layer 0", f"layer {LAYERS - 1}")),
        draw_blocks(stood, layer[back], "Put back", ("layer 0", f"layer {LAYERS - 1}")),
        draw_blocks(stood, sure, "How sure", ("0 %", "100 %")),
        draw_blocks(stood, right, "Right or wrong", ("wrong", "right")),
    ]
    return np.ascontiguousarray(np.concatenate(panels, axis=1))


def draw_blocks(
    blocks: tuple[np.ndarray, np.ndarray, np.ndarray], shade: np.ndarray, title: str, ends: tuple[str, str]
) -> np.ndarray:
    """Boxes in the colours of a scale; grey where there is none."""
    size, position, orientation = blocks
    around = np.concatenate([position - size.max() / 2, position + size.max() / 2])
    camera = frame_points(around, width=SIZE, height=SIZE, margin=0.12)
    known = np.isfinite(shade)
    colours = dict(enumerate(probability_colours(np.where(known, shade, 0.0))))
    colours |= {int(row): GREY for row in np.flatnonzero(~known)}
    image = render_image(size, position, orientation, camera, wood_look(0), colours=colours, antialias=2, shadows="soft")
    scale = ColourScale(colours=[entry.colour for entry in probability_legend()], low=ends[0], high=ends[1], label="")
    return draw_overlay(image.rgb, Overlay(title=title, scale=scale))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
