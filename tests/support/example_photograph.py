"""Make the photograph of example 06: a heap whose truth is known, with the printed target on its floor, through a bent lens.

PYTHONPATH=tests .venv/bin/python tests/support/example_photograph.py
"""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from anastylosis.episode import EpisodeConfig, run_episode
from anastylosis.rendering import Camera
from support.photographs import draw_target, lay_sheet, take_photograph
from support.scenes import Scene

FOLDER = Path(__file__).parents[2] / "examples" / "photograph"
SEED = 5
CAMERA = Camera(eye=(0.35, -1.25, 0.9), target=(-0.13, -0.15, 0.03), field_of_view=0.56, width=1280, height=960)
PLACE, TURN = (-0.32, -0.56), 0.12  # corner 0 of the sheet in the tower's frame [m], and its turn [rad]


def main() -> None:
    episode = run_episode(EpisodeConfig(layers=18), SEED)
    assert episode.collapsed
    labels = episode.labels
    there = labels.lies.present
    size = episode.structure.blocks.size[there]
    scene = Scene(size, labels.lies.position[there], labels.lies.orientation[there])
    with TemporaryDirectory() as folder:
        page = Path(folder) / "a4.pdf"
        sheet = lay_sheet(page, draw_target(page), PLACE, TURN)
    picture, _ = take_photograph(scene, CAMERA, sheet, k1=-0.1, seed=SEED)
    FOLDER.mkdir(exist_ok=True)
    Image.fromarray(picture).save(FOLDER / "heap.jpg", quality=90)
    origin = sheet.to_sheet(np.zeros(2)).round(4).tolist()
    empty = [name for name, gone in zip(episode.structure.ids, labels.removed, strict=True) if gone]
    truth = {"seed": SEED, "layers": 18, "origin": origin, "heading": -TURN, "empty": empty, "gave_way": labels.failure_course}
    (FOLDER / "truth.json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    print(origin, math.degrees(-TURN), truth)


if __name__ == "__main__":
    main()
