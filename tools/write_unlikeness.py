"""Write docs/explanation/evaluation-unlikeness.md: how often a picture net says that it does not know a picture, kind by kind.

python tools/write_unlikeness.py DATASET [--model FILE.onnx] [--debris FILE] [--photographs FOLDER] [--out PAGE.md]

`evaluate` gives the same rows of every picture net, but for photographs, figures and other debris. Of each photograph there are
square crops, too. DATASET is read for its test split alone.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from anastylosis.dataset import Dataset, read_examples
from anastylosis.models.picture import read_picture
from anastylosis.models.picture_model import PictureModel
from anastylosis.models.shipped import SHIPPED
from anastylosis.report import write_evaluation
from anastylosis.training.picture.unlikeness_evaluation import UnlikenessTest

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "evaluation-unlikeness.md"
CROPS = 50  # of each photograph, 30 to 100 % of its shorter side


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--debris", type=Path, default=PROJECT / "benchmarks" / "mujoco_debris.parquet")
    parser.add_argument("--photographs", type=Path)
    parser.add_argument("--out", type=Path, default=PAGE)
    asked = parser.parse_args(words)
    model, name = PictureModel.from_file(asked.model, threads=2), asked.model.stem
    size = model.card.size
    others = {"figures": np.stack([read_picture(path, size).grey for path in sorted((PROJECT / "docs").rglob("*.png"))])}
    if asked.photographs:
        others["photographs"] = cut_photographs(asked.photographs, size)
    test = UnlikenessTest(examples=read_examples(Dataset(asked.dataset)).of("test"), workers=1)
    rows = test.evaluate(name, model, others)
    debris = UnlikenessTest(examples=read_examples(asked.debris), workers=1)
    rows.insert(1, debris.score("unlike-known", "mujoco", name, model, debris.draw_known(model)["plain"]))
    command = ["python", "tools/write_unlikeness.py", asked.dataset.name]
    command += ["--photographs", asked.photographs.name] if asked.photographs else []
    write_evaluation(asked.out, "unlike", rows, {name: model.card}, command)
    for row in rows:
        print(f"{row.split:14} {row.metric:18} {row.value:.3f} of {row.count}")


def cut_photographs(folder: Path, size: int) -> NDArray[np.uint8]:
    """Return every photograph of a folder, whole and in crops, as a net is shown them."""
    rng, pictures = np.random.default_rng(0), []
    for path in sorted(folder.glob("*color*.png")):  # the others are depths
        with Image.open(path) as opened:
            photograph = opened.convert("RGB")
        boxes = [(0, 0, *photograph.size)]
        for _ in range(CROPS):
            side = round(min(photograph.size) * rng.uniform(0.3, 1))
            left, top = (int(rng.integers(0, length - side + 1)) for length in photograph.size)
            boxes.append((left, top, left + side, top + side))
        pictures += [read_picture(photograph.crop(box), size).grey for box in boxes]
    return np.stack(pictures)


if __name__ == "__main__":
    main()
