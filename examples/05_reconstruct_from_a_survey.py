"""Propose how the tower of a surveyed heap stood: a few proposals, each let fall again, and the order of building.

    python examples/05_reconstruct_from_a_survey.py [FOLDER]

Reads examples/survey. Writes a report, pictures and tables. Four proposals and no films, to be quick; `anastylosis reconstruct`
takes 32, and makes films of them.
"""

import sys
from pathlib import Path

from anastylosis import read_survey, reconstruct

SURVEY = Path(__file__).parent / "survey" / "fallen-tower.csv"
FILES = {
    "report.html": "all of it on one page", "panel.png": "the predictions", "hypotheses.png": "the proposals",
    "blocks.csv": "a line a block", "reconstruction.json": "everything",
}  # fmt: skip


def main(folder: Path) -> None:
    survey = read_survey(SURVEY, position_sd=0.005, orientation_sd=0.087)  # measured to 5 mm and 5 degrees
    found = reconstruct(survey, layers=18, hypotheses=4)

    document = found.as_document()
    left = [block["id"] for block in document["blocks"] if block["basis"] == "left out"]
    print(f"{len(survey)} stones: {sum(found.pinned >= 0)} still stand; left out: {', '.join(left)}")
    for rank, each in enumerate(found.hypotheses, 1):
        empty = ", ".join(found.name_slots(~each.state.filled))
        fell = f"fell again, its heap {1e3 * each.distance:.0f} mm off" if each.fell else "did not fall again"
        print(f"  {rank}. {each.probability:4.0%}  empty: {empty}; {fell}")
    stand = sum(step.stands for step in found.steps)
    print(f"The first, block by block: {len(found.steps)} steps, {stand} of which stand by statics; the first five:")
    print("  " + ", ".join(step.slot for step in found.steps[1:6]))
    for file in found.save(folder, films=False, force=True):
        print(f"{file}: {FILES[file.name]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
