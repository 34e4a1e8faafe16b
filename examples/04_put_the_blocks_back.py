"""Put the blocks of a surveyed heap back: which stood where, how sure that is, and, as the truth is known here, what is right.

    python examples/04_put_the_blocks_back.py [FOLDER]

Reads examples/survey. Writes assignment.csv, and assignment.png: the heap in the colours of its layers, how sure, what is right.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from anastylosis import assign, read_survey
from anastylosis.report import draw_shaded


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    given = Path(__file__).parent / "survey"
    survey = read_survey(given / "fallen-tower.csv")
    found = assign(survey, layers=18)
    found.save(folder / "assignment.csv")
    print(f"{folder / 'assignment.csv'}: a line for each of {len(survey)} stones, measured to 5 mm and 5 degrees")
    truth = {row["stone"]: row["slot"] for row in csv.DictReader((given / "truth.csv").read_text(encoding="utf-8").splitlines())}
    tower, back = found.structure, np.flatnonzero(found.slot >= 0)  # the others are left out
    slots = found.slot[back]
    right = np.array([tower.ids[slot] == truth[survey.ids[block]] for block, slot in zip(back, slots, strict=True)])
    own = sum(slot != "foreign" for slot in truth.values())
    print(f"  {len(back)} are put back; {right.sum()} of the {own} that belong stand where they stood")
    layer = np.where(found.slot >= 0, tower.course[found.slot] / 17, np.nan)
    heap = draw_shaded((survey.size, survey.position, survey.orientation), layer, "As surveyed", ends=("layer 0", "layer 17"))
    stood = survey.size[back], tower.position[slots], tower.orientation[slots]
    sure = draw_shaded(stood, found.placed[back, slots], "Put back: how sure")
    judged = draw_shaded(stood, right, "Right or wrong", ends=("wrong", "right"))
    Image.fromarray(np.concatenate([heap, sure, judged], axis=1)).save(folder / "assignment.png")
    print(f"{folder / 'assignment.png'}: the heap, and the tower put back")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
