"""What each part of a training is worth: one small net, trained again and again with one thing changed.

    python benchmarks/ablation.py DATASET --out benchmarks/learn/ablation.json

A net of a quarter of the width on pictures of 128 pixels, from the first 800 collapses of the training split, 15 epochs;
judged on the validation split (the test split is for `evaluate`) as it is, in other light, and from a camera a few degrees
beside. Ten minutes of two cores; finished variants are kept.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import read_examples
from anastylosis.dataset.pictures import draw_pictures
from anastylosis.models.picture_model import PictureModel
from anastylosis.structure.tower import BLOCKS_PER_COURSE
from anastylosis.training.picture.config import PictureConfig, fast_config
from anastylosis.training.picture.evaluation import PictureTrial, run_model
from anastylosis.training.picture.job import PictureJob
from anastylosis.training.picture.scores import score_answers
from anastylosis.training.picture.train import train_picture_net
from anastylosis.whole_file import write_whole

EPISODES, EPOCHS, VIEWS = 800, 15, 4
METRICS = (("num_removed", "mae"), ("removed_locs", "auc_standing"), ("removed_locs", "auc_collapsed"))


def list_variants() -> dict[str, PictureConfig]:
    """Each differs from `plain`, or from the one before it, in one thing; mirrors need several pictures of an episode."""
    plain = fast_config().change(width=0.25, epochs=EPOCHS)
    return {
        "plain": plain,
        "pooled slots, as in the paper": plain.change(slot_head="pooled"),
        "the paper's turns and flips": replace(plain, turns=True),
        "mirrors": plain.change(mirror=True, views=VIEWS),
        "mirrors, near cameras": plain.change(mirror=True, camera="near", views=VIEWS),
        "mirrors, near cameras, half in other light": plain.change(mirror=True, camera="near", domain=0.5, views=VIEWS),
    }


def judge(path: Path, trials: list[PictureTrial], cache: Path) -> list[dict[str, object]]:
    """The scores of a model, all told."""
    model, rows = PictureModel.from_file(path, threads=2), []
    for trial in trials:
        view = model.card.view
        recipe = trial.recipe(model.card.size, view.layers, view.reach)
        pictures = draw_pictures(trial.examples, recipe, 0, cache=cache)
        truth = pictures.truth.cut(BLOCKS_PER_COURSE * model.card.layers)
        answers = run_model(model, pictures, truth.friction_level, trial.examples.layers, with_facts=True)
        scores = {(score.head, score.metric): score for score in score_answers(truth, answers)}
        rows += [{"split": trial.name, **scores[key]._asdict()} for key in METRICS]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    dataset = Dataset(given.dataset)
    val = PictureTrial("val", read_examples(dataset).of("val"))
    trials = [val, replace(val, name="val-light", domain=1.0), replace(val, name="val-camera-near", camera="near")]
    done = json.loads(given.out.read_text()) if given.out.exists() else {}
    for name, config in list_variants().items():
        if name in done:
            continue
        job = PictureJob.open(dataset, config.pictures, config.views, episodes=EPISODES, progress=lambda *_: None)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            for epoch in train_picture_net(config, job, path):
                print(f"{name}: epoch {epoch.number}, {epoch.losses['val']:.4f}", file=sys.stderr, flush=True)
            done[name] = judge(path, trials, dataset.cache)
        with write_whole(given.out) as part:
            part.write_text(json.dumps(done, indent=1) + "\n")


if __name__ == "__main__":
    main()
