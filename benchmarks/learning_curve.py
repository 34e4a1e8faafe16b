"""How much more debris is worth: the assignment net, trained from 1,500, 3,000, 6,000 and 12,000 episodes; and what assignment is
worth: the same net without it.

    python benchmarks/learning_curve.py DATASET --out benchmarks/learn/curve.json --runs FOLDER

The same settings each time; four in five episodes are in the training split. Judged on the towers of 18 layers
of the validation split (the test split is for `evaluate`), surveyed exactly and as in the field, and on debris of another engine.
An hour and a half of one core; what is finished is kept, in FOLDER, and what was cut goes on.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from anastylosis.assignment.model import AssignmentModel
from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import read_examples
from anastylosis.training.assignment.config import ASSIGNMENT_PRESETS, assign_config
from anastylosis.training.assignment.debris import gather_debris
from anastylosis.training.assignment.evaluation import SurveyTrial, answer_trial
from anastylosis.training.assignment.job import FIELD_NOISE, AssignmentJob, train_assignment_net
from anastylosis.training.assignment.scores import score_answers
from anastylosis.whole_file import write_whole

TRAININGS = (("assign", 1500), ("assign", 3000), ("assign", 6000), ("assign", 12000), ("direct", 1500))
TRAIN_SHARE, LAYERS = 0.8, 18
DEBRIS = Path(__file__).parent / "mujoco_debris.parquet"
METRICS = (
    ("placed", "top1"), ("placed", "said"), ("placed", "layer_error"), ("removed_locs", "auc"),
    ("removed_locs", "auc_within_collapsed"), ("failure_layer", "top1"),
)  # fmt: skip
DIRECT_METRICS = METRICS[3:]  # of nets that place no block


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=assign_config().epochs)
    words = parser.parse_args()
    words.runs.mkdir(parents=True, exist_ok=True)
    source = Dataset(words.dataset)
    examples = read_examples(source).of("val")
    usual = examples.take(gather_debris(examples).courses == LAYERS)
    trials = [
        SurveyTrial(name="val-18", examples=usual),
        SurveyTrial(name="val-18-field", examples=usual, noise=FIELD_NOISE),
        SurveyTrial(name="test-mujoco", examples=read_examples(DEBRIS)),
    ]
    rows: list[dict[str, object]] = []
    for preset, episodes in TRAININGS:
        out = words.runs / f"{preset}-{episodes}-{words.epochs}.onnx"
        job = AssignmentJob.open(source, episodes=round(TRAIN_SHARE * episodes))
        if not out.exists():
            config = replace(ASSIGNMENT_PRESETS[preset](), epochs=words.epochs)
            for epoch in train_assignment_net(config, job, out):
                print(
                    f"{preset}, {episodes:,} episodes: epoch {epoch.number}, {epoch.losses['val']:.4f}",
                    file=sys.stderr,
                    flush=True,
                )
        model = AssignmentModel.from_file(out)
        for trial in trials:
            scores = {(score.head, score.metric): score for score in score_answers(answer_trial(model.run, trial.open_cases()))}
            about = {"preset": preset, "episodes": episodes, "learned_from": len(job.train), "split": trial.name}
            rows += [about | scores[key]._asdict() for key in (METRICS if preset == "assign" else DIRECT_METRICS)]
        with write_whole(words.out) as part:
            part.write_text(json.dumps({"epochs": words.epochs, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
