"""Draw how the detector learned and how it fails: detection-learning.png and detection-misses.png of docs/explanation.

python tools/draw_detection.py DATASET [--rows 18 79 25 87]
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageDraw
from scipy.special import expit

from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import Examples, read_examples
from anastylosis.detection.detections import PROBABILITY_MIN, BoxProposals
from anastylosis.detection.detector import BlockDetector
from anastylosis.detection.nets import DETECTOR_MODELS
from anastylosis.detection.view import Photo
from anastylosis.geometry.box import CORNERS
from anastylosis.models.shipped import list_detector
from anastylosis.training.detection.photos import take_photos
from anastylosis.training.detection.scenes import open_scene
from anastylosis.training.detection.scores import match_blocks

PAGES = Path(__file__).parents[1] / "docs" / "explanation"
RIGHT, WRONG, MISSED = (30, 110, 220), (240, 180, 0), (220, 40, 40)
EDGES = [(i, j) for i in range(8) for j in range(i) if np.count_nonzero(CORNERS[i] != CORNERS[j]) == 1]
FINE, SIDE = 2, 512  # lines are drawn twice as large; [pixels] of a tile


def draw_learning(path: Path) -> None:
    """Draw the validation loss of each net, as the shipped files remember it."""
    figure, axes = plt.subplots(1, len(DETECTOR_MODELS), figsize=(11, 3.2), layout="constrained")
    for axis, (kind, model), file in zip(axes, DETECTOR_MODELS.items(), list_detector(), strict=True):
        history = model.from_file(file).history
        axis.plot([row["val"] for row in history], color="tab:blue", linewidth=1)
        axis.set(title=kind.replace("_", " "), xlabel="epochs that were kept")
    axes[0].set_ylabel("loss on the validation split")
    figure.savefig(path, dpi=110)


def draw_misses(detector: BlockDetector, examples: Examples, row: int) -> Image.Image:
    """Draw one picture with fallen blocks that are found, found where there are none, and missed."""
    scene = open_scene(examples, row)
    photos, visible = take_photos(scene, 1, np.random.default_rng((0, row)))
    found = detector.detect(photos)
    kept = found.take(np.flatnonzero(~found.stands & (expit(found.logit) >= PROBABILITY_MIN))).blocks
    fallen = np.flatnonzero(scene.fell)
    matches = match_blocks(kept, scene.blocks.take(fallen))
    missed = np.setdiff1d(fallen[visible[fallen]], fallen[matches.true])
    wrong = np.setdiff1d(np.arange(len(kept.size)), matches.found)
    image = Image.fromarray(photos[0].picture).resize((FINE * SIDE, FINE * SIDE))
    outline(image, photos[0], scene.blocks.take(missed), MISSED)
    outline(image, photos[0], kept.take(wrong), WRONG)
    outline(image, photos[0], kept.take(matches.found), RIGHT)
    print(f"row {row}: {len(matches.found)} found, {len(wrong)} wrong, {len(missed)} missed")
    return image.resize((SIDE, SIDE))


def outline(image: Image.Image, photo: Photo, blocks: BoxProposals, colour: tuple[int, int, int]) -> None:
    draw = ImageDraw.Draw(image)
    for size, position, axes in zip(*blocks, strict=True):
        pixels, _ = photo.camera.project(position + (CORNERS * size) @ axes.T)
        for i, j in EDGES:
            draw.line([*(FINE * pixels[i]).tolist(), *(FINE * pixels[j]).tolist()], fill=colour, width=3)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--rows", type=int, nargs=4, default=[18, 79, 25, 87], help="collapses of the validation split")
    asked = parser.parse_args(words)
    draw_learning(PAGES / "detection-learning.png")
    examples, detector = read_examples(Dataset(asked.dataset)).of("val"), BlockDetector.from_files(*list_detector())
    sheet = Image.new("RGB", (2 * SIDE, 2 * SIDE))
    for number, row in enumerate(asked.rows):
        sheet.paste(draw_misses(detector, examples, row), (number % 2 * SIDE, number // 2 * SIDE))
    sheet.save(PAGES / "detection-misses.png", optimize=True)


if __name__ == "__main__":
    main()
