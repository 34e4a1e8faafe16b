"""Propose how the tower of a surveyed heap stood: a few proposals, each let fall again, and the order of building.

    python examples/05_reconstruct_from_a_survey.py [FOLDER]

Reads examples/survey. Writes blocks.csv, a line a block, and reconstruction.json, everything. Four proposals, to be quick;
`anastylosis reconstruct` takes 32, and makes films and a report of them.
"""

import sys
from pathlib import Path

from anastylosis import Assigner
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT
from anastylosis.reconstruction.case import ReconstructionConfig
from anastylosis.reconstruction.folder import write_folder
from anastylosis.reconstruction.reconstructor import Reconstructor
from anastylosis.survey import read_survey

SURVEY = Path(__file__).parent / "survey" / "fallen-tower.csv"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    survey = read_survey(SURVEY, position_sd=0.005, orientation_sd=0.087)  # measured to 5 mm and 5 degrees
    worker = Reconstructor(assigner=Assigner.from_file(SHIPPED_ASSIGNMENT))
    found = worker.reconstruct(survey, layers=18, config=ReconstructionConfig(hypotheses=4, moves=3))

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
    for file in write_folder(folder, found, document):
        print(f"{file}: {'a line a block' if file.suffix == '.csv' else 'everything'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
