"""A head is added in at most four files: the changes that docs/how-to/add-a-head.md shows make a copy train and evaluate it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FILES_MAX = 4
DIFF = re.compile(r"^```diff\n--- (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Two epochs on made-up pictures, and every score of the file that is written and of the prior.
WORK = """
import json, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from anastylosis.models.picture_model import PictureModel
from anastylosis.training.picture.baselines import fit_prior
from anastylosis.training.picture.config import fast_config
from anastylosis.training.picture.job import PictureJob
from anastylosis.training.picture.train import train_picture_net
from anastylosis.training.picture.scores import score_answers
from support.truths import LEVELS, make_pictures
dataset = {"fingerprint": "made up", "episodes": {"train": 24, "val": 8}}
train, val = make_pictures(24), make_pictures(8, seed=1)
job = PictureJob(train=[train], val=val, layers=6, dataset=dataset)
out = Path(sys.argv[1])
config = fast_config().change(size=32, layers=6, epochs=2, batch=8, width=0.1)
epochs = list(train_picture_net(config, job, out))
model, truth = PictureModel.from_file(out), val.truth
prior = fit_prior(train.truth, LEVELS).answer(truth.friction_level, 6)
answers = {"net": model.run(val.grey, truth.friction_level, 6), "prior": prior}
scores = {name: [score[:3] for score in score_answers(truth, said, resamples=2)] for name, said in answers.items()}
from anastylosis.report.evaluation import PICTURE_PAGE
best = torch.load(out.with_suffix(".run") / "best.pt", weights_only=True)["net"]
print(json.dumps({
    "heads": model.card.heads, "losses": epochs[-1].losses, "scores": scores, "weights": list(best),
    "shown": {head: [row[0] for row in rows] for head, rows in PICTURE_PAGE.shown.items()},
}))
"""


def read_changes(page: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the changes that the page shows: for each file, texts and what replaces them."""
    changes = {}
    for path, diff in DIFF.findall(page.read_text(encoding="utf-8")):
        hunks = [hunk.splitlines() for hunk in diff.split("@@\n")[1:]]
        changes[path] = [
            tuple("".join(f"{line[1:]}\n" for line in hunk if not line.startswith(sign)) for sign in ("+", "-")) for hunk in hunks
        ]
    return changes


def apply(project: Path, copy: Path, changes: dict[str, list[tuple[str, str]]]) -> None:
    """Write the changed files into the copy; each hunk has one place."""
    for path, hunks in changes.items():
        text = (project / path).read_text(encoding="utf-8") if (project / path).exists() else ""
        for old, new in hunks:
            assert text.count(old) == 1 or not text, f"{path} does not have this once:\n{old}"
            text = text.replace(old, new) if text else new
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(text, encoding="utf-8")


def run_work(project: Path, src: Path, out: Path) -> dict:
    environment = os.environ | {"PYTHONPATH": f"{src}{os.pathsep}{project / 'tests'}"}
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(out)], env=environment, capture_output=True, text=True, check=False, cwd=out.parent
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_head_is_added_in_at_most_four_files(project: Path, tmp_path: Path) -> None:
    changes = read_changes(project / "docs" / "how-to" / "add-a-head.md")
    assert 0 < len(changes) <= FILES_MAX
    shutil.copytree(project / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    apply(project, tmp_path, changes)
    before, after = (
        run_work(project, project / "src", tmp_path / "before.onnx"),
        run_work(project, tmp_path / "src", tmp_path / "m.onnx"),
    )
    # It is trained, written, answered, scored beside the prior, and shown.
    assert after["heads"] == [*before["heads"][:-1], "middle", "embedding"]
    assert after["losses"]["val_middle"] > 0
    for name, scores in before["scores"].items():
        assert [score[:2] for score in after["scores"][name]] == [*(score[:2] for score in scores), ["middle", "mae_mm"]]
    assert after["shown"] == before["shown"] | {"middle": ["mae_mm"]}
    # Its layer comes last, and the prior answers all other heads as before.
    assert after["weights"] == [*before["weights"], "own.middle.linear.weight", "own.middle.linear.bias"]
    assert after["scores"]["prior"][:-1] == before["scores"]["prior"]
