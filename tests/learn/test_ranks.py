"""Several processes train one net: as two CPU processes here, by gloo on loopback, with what `torchrun` would tell them."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from anastylosis.learn.ranks import Ranks, join_ranks, leader_first, map_tensors, share_rows
from two_ranks import Points, train

# Sums of gradients in another order, in single precision (6e-8), over 20 steps.
TOLERANCE = 1e-4


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(line: list, words: dict[str, str]) -> subprocess.Popen:
    return subprocess.Popen(line, env=os.environ | words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_learn_as_one_does(project: Path, tmp_path: Path) -> None:
    alone = train(tmp_path / "alone")
    words = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
    words |= {"PYTHONPATH": os.pathsep.join(map(str, (project / "src", project / "tests"))), "OMP_NUM_THREADS": "1"}
    script, folder = project / "tests" / "two_ranks.py", tmp_path / "together"
    pair = [start([sys.executable, script, folder], words | {"RANK": rank, "LOCAL_RANK": rank}) for rank in ("0", "1")]
    ends = [process.communicate(timeout=300) for process in pair]
    assert [process.returncode for process in pair] == [0, 0], ends[0][1] + ends[1][1]
    first, second = (json.loads(out) for out, _ in ends)
    assert (first["rank"], second["rank"], first["size"]) == (0, 1, 2)
    assert first["losses"] == second["losses"]
    assert first["weights"] == second["weights"]
    assert first["weights"] == pytest.approx(alone["weights"], rel=TOLERANCE, abs=TOLERANCE)
    for together, single in zip(first["losses"], alone["losses"], strict=True):
        assert together == pytest.approx(single, rel=TOLERANCE)
    assert sorted(path.name for path in folder.iterdir()) == ["best.pt", "checkpoint.pt", "metrics.jsonl"]
    assert len((folder / "metrics.jsonl").read_text().splitlines()) == 4  # written by one


def test_one_process_needs_no_others() -> None:
    assert join_ranks() == Ranks(0, 1, 0)
    with leader_first():
        pass
    batch = Points(torch.ones(3, 2), torch.ones(3, 1))
    assert share_rows(batch, Ranks(0, 1, 0)) == (batch, 1.0)


def test_rows_are_shared_out() -> None:
    batch = Points(torch.arange(10.0).reshape(5, 2), torch.arange(5.0)[:, None])
    shares = [share_rows(batch, Ranks(rank, 2, rank)) for rank in (0, 1)]
    assert [part.y.flatten().tolist() for part, _ in shares] == [[0, 2, 4], [1, 3]]
    assert [weight for _, weight in shares] == pytest.approx([1.2, 0.8])


def test_tensors_in_tuples_of_tuples_are_all_changed() -> None:
    pair = Points(Points(torch.ones(1), torch.ones(2)), torch.ones(3))  # type: ignore[arg-type]
    doubled = map_tensors(pair, lambda part: 2 * part)
    assert doubled.x.y.tolist() == [2, 2]
    assert doubled.y.tolist() == [2, 2, 2]
