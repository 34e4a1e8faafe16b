"""Draw a contact sheet of photographs, as the detector's training draws them: docs/explanation/photographs.jpg.

python tools/draw_photographs.py [--count 40] [--held-out] [--seed 0] [--out SHEET.jpg]
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from anastylosis.arrays import Pixels
from anastylosis.detection.detections import BoxProposals
from anastylosis.geometry import make_matrices
from anastylosis.reconstruction.falls import Fall, read_library
from anastylosis.rendering import draw_photograph, frame_points, random_photograph
from anastylosis.training.detection.photos import WIDE_ELEVATION, WIDE_FIELD
from anastylosis.training.detection.scenes import find_circles, list_corners

SHEET = Path(__file__).parents[1] / "docs" / "explanation" / "photographs.jpg"
SIDE, ACROSS = 192, 8  # [pixels] of a tile; tiles in a line
REACH = 0.6  # [m]


def draw_tile(fall: Fall, held_out: bool, rng: np.random.Generator) -> Pixels:
    """Draw what lies there after a fall, from any side."""
    there = np.isfinite(fall.lies[:, 0]) & (np.hypot(fall.lies[:, 0], fall.lies[:, 1]) < REACH)
    turned = fall.lies[there, 3:] / np.linalg.norm(fall.lies[there, 3:], axis=1, keepdims=True)  # they are rounded
    blocks = BoxProposals(fall.size[there], fall.lies[there, :3], make_matrices(turned))
    camera = frame_points(
        list_corners(blocks), elevation=rng.uniform(*WIDE_ELEVATION), azimuth=rng.uniform(0, 2 * math.pi),
        field_of_view=rng.uniform(*WIDE_FIELD), width=SIDE, height=SIDE,
    )  # fmt: skip
    photograph = random_photograph(rng, find_circles(blocks), held_out=held_out, distance=math.dist(camera.eye, camera.target))
    return draw_photograph(blocks.size, blocks.position, turned, camera, photograph).rgb


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=SHEET)
    asked = parser.parse_args(words)
    falls, tiles = read_library(), []
    for number in range(asked.count):
        rng = np.random.default_rng((asked.seed, number))
        tiles.append(draw_tile(falls[int(rng.integers(len(falls)))], asked.held_out, rng))
    tiles += [np.full_like(tiles[0], 255)] * (-len(tiles) % ACROSS)
    lines = [np.concatenate(tiles[begin : begin + ACROSS], axis=1) for begin in range(0, len(tiles), ACROSS)]
    PillowImage.fromarray(np.concatenate(lines)).save(asked.out, quality=82)
    print(f"{asked.out}: {asked.count} photographs")


if __name__ == "__main__":
    main()
