"""`torchrun` with the real command: two processes, gloo, this machine alone."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anastylosis.detection.nets import DETECTOR_MODELS
from anastylosis.models.picture_model import PictureModel


def start_two(project: Path, words: list) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *words]
    there = {"PYTHONPATH": str(project / "src"), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = subprocess.run(line, env=os.environ | there, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_two_processes_train_one_model(project: Path, debris: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.onnx"
    words = f"--preset fast --width 0.125 --size 32 --epochs 2 --workers 1 --out {out} --json".split()
    done = start_two(project, ["-m", "anastylosis", "train", "picture", debris, *words])
    said = json.loads(done.stdout)  # one document: the first process alone speaks
    assert said["model"] == str(out)
    assert PictureModel.from_file(out).card.dataset["episodes"] == {"train": 12, "val": 8}
    assert done.stderr.count("epoch 2 of 2") == 1
    assert len((out.with_suffix(".run") / "metrics.jsonl").read_text().splitlines()) == 2


@pytest.mark.slow
def test_two_processes_train_a_vote_net_and_its_refiner(project: Path, debris: Path, tmp_path: Path) -> None:
    """The refiner is trained on proposals of the vote net that ships: one of two pictures would give none."""
    for preset in ("vote_net", "refiner"):
        out = tmp_path / f"{preset}.onnx"
        words = f"--net {preset} --epochs 2 --out {out} --json".split()
        done = start_two(
            project, [project / "tests" / "support" / "tiny_detector_training.py", "train", "detector", debris, *words]
        )
        assert json.loads(done.stdout)["model"] == str(out)
        assert done.stderr.count("epoch 2 of 2") == 1
        lines = (out.with_suffix(".run") / "metrics.jsonl").read_text().splitlines()
        assert len(lines) == 2
        assert all(math.isfinite(value) for line in lines for value in json.loads(line).values())
        model = DETECTOR_MODELS[preset].from_file(out)
        assert model.card.dataset["episodes"] == {"train": 12, "val": 8}
