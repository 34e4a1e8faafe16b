"""From a photograph to the tower: find the camera by the printed target, the blocks, and how they stood; beside the truth.

    python examples/06_reconstruct_from_a_picture.py [FOLDER]

The photograph in examples/photograph shows a heap and the sheet of `anastylosis target`. The tape says how far the tower stood
from corner 0 of the sheet, and the compass how its bottom blocks lay. Not all that fell is detected, so this is less sure than a
survey; how much: docs/explanation/evaluation-detection.md. Needs the extra `photo`. Writes pictures, a report and tables.
"""

import json
import sys
from pathlib import Path

from anastylosis import detect_blocks, reconstruct

HEAP = Path(__file__).parent / "photograph"


def main(folder: Path) -> None:
    truth = json.loads((HEAP / "truth.json").read_text(encoding="utf-8"))
    foot = {"origin": truth["origin"], "heading": truth["heading"]}  # metres and radians, in the frame of the target

    survey = detect_blocks(HEAP / "heap.jpg", **foot)
    doubtful = sum(survey.certainty < 0.5)
    print(f"{len(survey)} blocks are detected, {doubtful} of them with less than 50 %")

    found = reconstruct(HEAP / "heap.jpg", layers=truth["layers"], hypotheses=4, **foot)
    for rank, each in enumerate(found.hypotheses, 1):
        print(f"  {rank}. {each.probability:4.0%}  empty: {', '.join(found.name_slots(~each.state.filled)) or 'none'}")
    print("  in truth, empty:", ", ".join(truth["empty"]))
    for file in found.save(folder, films=False, force=True):
        print(f"{file}: written")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
