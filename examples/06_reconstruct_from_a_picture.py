"""From one picture to the tower: find the blocks, put them back, let a few proposals fall again; beside the truth.

    python examples/06_reconstruct_from_a_picture.py [PICTURE] [FOLDER]

The picture that ships was drawn here and says its camera itself, as those of `anastylosis render` do. A photograph needs the
printed target in it: docs/how-to/photograph-debris.md. Writes seen.png, the blocks that were found, and hypotheses.png, the first
proposals. The eye does not find all that fell, so this is far less sure than a survey; how much: docs/explanation/detection.md.
"""

import json
import sys
from pathlib import Path

from anastylosis import Assigner
from anastylosis.cli.demo import EXAMPLES, PICTURE, TRUTH
from anastylosis.detection.camera.photograph import find_camera, read_photograph
from anastylosis.detection.detector import BlockDetector
from anastylosis.detection.view import Photo
from anastylosis.executors import run_serial
from anastylosis.models.shipped import find_assigner, list_detector
from anastylosis.reconstruction.case import ReconstructionConfig
from anastylosis.reconstruction.reconstructor import Reconstructor
from anastylosis.rendering import write_png
from anastylosis.report.detection_overlay import draw_survey
from anastylosis.report.reconstruction.proposals import draw_proposals


def main(picture: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    photo = Photo(read_photograph(picture), find_camera(picture).camera)
    survey = BlockDetector.from_files(*list_detector()).survey([photo])
    write_png(folder / "seen.png", draw_survey([photo], survey))
    print(f"{folder / 'seen.png'}: the {len(survey)} blocks that were found")
    worker = Reconstructor(assigner=Assigner.from_file(find_assigner()))
    found = worker.reconstruct(survey, layers=18, config=ReconstructionConfig(hypotheses=4, moves=2, assembly=False))
    for rank, each in enumerate(found.hypotheses, 1):
        print(f"  {rank}. {each.probability:4.0%}  empty: {', '.join(found.name_slots(~each.state.filled))}")
    if picture == EXAMPLES / PICTURE:
        print("  in truth, empty:", ", ".join(json.loads((EXAMPLES / TRUTH).read_text(encoding="utf-8"))["empty"]))
    write_png(folder / "hypotheses.png", draw_proposals(found, run_serial, lambda *_: None))
    print(f"{folder / 'hypotheses.png'}: the proposals")


if __name__ == "__main__":
    words = [Path(word) for word in sys.argv[1:]]
    main(words[0] if words else EXAMPLES / PICTURE, words[1] if len(words) > 1 else Path("out"))
