"""`torchrun` with the real command: two processes, gloo, this machine alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anastylosis.predict.model import Model


@pytest.mark.slow
def test_two_processes_train_one_model(project: Path, debris: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.onnx"
    line = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "anastylosis", "train"]
    words = f"--preset fast --width 0.125 --size 32 --epochs 2 --workers 1 --out {out} --json".split()
    there = {"PYTHONPATH": str(project / "src"), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = subprocess.run([*line, debris, *words], env=os.environ | there, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)  # one document: the first process alone speaks
    assert said["model"] == str(out)
    assert Model.from_file(out).card.dataset["episodes"] == {"train": 12, "val": 8}
    assert done.stderr.count("epoch 2 of 2") == 1
    assert len((out.with_suffix(".run") / "metrics.jsonl").read_text().splitlines()) == 2
