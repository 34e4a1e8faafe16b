"""Put the blocks of a surveyed heap back: which stood where, how sure that is, and, as the truth is known here, what is right.

    python examples/04_put_the_blocks_back.py [FOLDER]

Reads examples/survey. Writes assignment.csv, and assignment.png: the heap and the tower, each block in the colour of its layer;
then the tower in the colour of how sure the model is, and of what is right.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from anastylosis import Assigner
from anastylosis.predict.assignment.table import BLOCK_COLUMNS, list_blocks, write_rows
from anastylosis.predict.shipped import SHIPPED_ASSIGNMENT
from anastylosis.render import write_png
from anastylosis.report import draw_shaded
from anastylosis.survey import read_survey

SURVEY = Path(__file__).parent / "survey"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    survey = read_survey(SURVEY / "fallen-tower.csv")
    found = Assigner.from_file(SHIPPED_ASSIGNMENT).assign(survey, layers=18)
    tower, back = found.structure, np.flatnonzero(found.slot >= 0)
    slots = found.slot[back]

    with (SURVEY / "truth.csv").open(newline="", encoding="utf-8") as file:
        truth = {row["stone"]: row["slot"] for row in csv.DictReader(file)}
    right = np.array([tower.ids[slot] == truth[survey.ids[block]] for block, slot in zip(back, slots, strict=True)])
    own = sum(slot != "foreign" for slot in truth.values())
    gone = [name for name, chance in zip(tower.ids, found.removed, strict=True) if chance >= 0.5]
    print(f"{len(survey)} stones measured to 5 mm and 5 degrees, some not found, some foreign:")
    print(f"  {right.sum()} of the {own} that belong to the tower are put back into the slot they stood in")
    print(f"  {len(survey) - len(back)} are left out; said to have been empty before the fall: {', '.join(gone) or 'none'}")
    write_rows(folder / "assignment.csv", BLOCK_COLUMNS, list_blocks(found))

    heap = survey.size, survey.position, survey.orientation
    stood = survey.size[back], tower.position[slots], tower.orientation[slots]
    layer = np.where(found.slot >= 0, tower.course[found.slot] / 17, np.nan)
    panels = [
        draw_shaded(heap, layer, "As surveyed", ends=("layer 0", "layer 17")),
        draw_shaded(stood, layer[back], "Put back", ends=("layer 0", "layer 17")),
        draw_shaded(stood, found.placed[back, slots], "How sure"),
        draw_shaded(stood, right, "Right or wrong", ends=("wrong", "right")),
    ]
    write_png(folder / "assignment.png", np.concatenate(panels, axis=1))
    print(f"{folder / 'assignment.csv'}: a line a block; {folder / 'assignment.png'}: the heap, and the tower put back")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
