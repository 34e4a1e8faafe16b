"""Fit the score of unlikeness of a picture net that was trained without one, and write it into the file.

python tools/fit_unlikeness.py MODEL.onnx DATASET... [--known FILE] [--out FILE]

`train picture` does the same for every new net. Heads keep their bits: nodes are added, none is changed. Of each DATASET the
validation split is read. Known pictures are of the training split in `--known`, a dataset or a library of falls.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from anastylosis.dataset import Dataset, Recipe, plan_shot
from anastylosis.dataset.shots import DebrisPose, draw_shot
from anastylosis.models.card import HISTORY_KEY
from anastylosis.models.picture_model import PictureModel, write_picture_card
from anastylosis.models.shipped import SHIPPED
from anastylosis.reconstruction.falls import SHIPPED_LIBRARY, Fall, read_falls
from anastylosis.training.model_file import store_model
from anastylosis.training.picture.job import KNOWN_VIEWS
from anastylosis.training.picture.unlikeness import add_unlikeness


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--known", type=Path, default=SHIPPED_LIBRARY)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    asked = parser.parse_args(words)
    card = PictureModel.from_file(asked.model).card
    recipe = Recipe(**card.config["pictures"])
    views = [1] if card.config["views"] == 1 else range(1, 1 + KNOWN_VIEWS)
    known = read_falls(Dataset(asked.known) if asked.known.is_dir() else asked.known, ["train"])
    judged = [fall for folder in asked.datasets for fall in read_falls(Dataset(folder), ["val"])]
    graph = onnx.load(asked.model)
    history = next((each.value for each in graph.metadata_props if each.key == HISTORY_KEY), "[]")
    if card.unlikeness is not None:
        raise SystemExit(f"{asked.model} has a score of unlikeness already; start from the net as it was trained")
    measured, about = add_unlikeness(graph, *([draw_view(falls, recipe, view) for view in views] for falls in (known, judged)))
    store_model(asked.out, measured, write_picture_card(replace(card, unlikeness=about)), json.loads(history))
    print(f"{asked.out}: {len(known):,} falls known, {len(judged):,} judged, limits {about.limits}")


def draw_view(falls: Sequence[Fall], recipe: Recipe, number: int) -> NDArray[np.uint8]:
    """Draw picture `number` of each fall as training does; the library's turns are rounded."""
    pictures = []
    for fall in falls:
        scene = DebrisPose(fall.size, unit(fall.stood), unit(fall.lies))
        pictures.append(draw_shot(scene, plan_shot(recipe, fall.seed, number)))
    return np.stack(pictures)


def unit(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return poses whose quaternions have the length 1."""
    return np.concatenate([poses[:, :3], poses[:, 3:] / np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)], axis=1)


if __name__ == "__main__":
    main()
