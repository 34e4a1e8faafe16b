"""Several processes train one net: as two CPU processes here, by gloo on loopback, with what `torchrun` would tell them."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from anastylosis.errors import InvalidInput
from anastylosis.training import ranks
from anastylosis.training.detection.export import export_detector_net
from anastylosis.training.detection.votes import VoteNet
from anastylosis.training.ranks import Ranks, join_ranks, leader_first, map_tensors, share_rows
from anastylosis.training.tensors import read_tensors
from support.two_ranks import Curve, Net, Points, measure, train

# Sums of gradients in another order, in single precision (6e-8), over 20 steps.
TOLERANCE = 1e-4


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(line: list, words: dict[str, str]) -> subprocess.Popen:
    return subprocess.Popen(line, env=os.environ | words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def train_two(project: Path, folder: Path, norm: str) -> list[dict]:
    """What each of two processes says of `two_ranks`."""
    words = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
    words |= {"PYTHONPATH": os.pathsep.join(map(str, (project / "src", project / "tests"))), "OMP_NUM_THREADS": "1"}
    line = [sys.executable, project / "tests" / "support" / "two_ranks.py", folder, norm]
    pair = [start(line, words | {"RANK": rank, "LOCAL_RANK": rank}) for rank in ("0", "1")]
    ends = [process.communicate(timeout=300) for process in pair]
    assert [process.returncode for process in pair] == [0, 0], ends[0][1] + ends[1][1]
    return [json.loads(out) for out, _ in ends]


def test_two_processes_learn_as_one_does(project: Path, tmp_path: Path) -> None:
    alone = train(tmp_path / "alone")
    folder = tmp_path / "together"
    first, second = train_two(project, folder, "LayerNorm")
    assert (first["rank"], second["rank"], first["size"]) == (0, 1, 2)
    assert first["losses"] == second["losses"]
    assert first["weights"] == second["weights"]
    assert first["weights"] == pytest.approx(alone["weights"], rel=TOLERANCE, abs=TOLERANCE)
    for together, single in zip(first["losses"], alone["losses"], strict=True):
        assert together == pytest.approx(single, rel=TOLERANCE)
    assert sorted(path.name for path in folder.iterdir()) == ["best.pt", "checkpoint.pt", "metrics.jsonl"]
    assert len((folder / "metrics.jsonl").read_text().splitlines()) == 4  # written by one


def test_what_is_judged_is_what_is_stored(project: Path, tmp_path: Path) -> None:
    """Batch norms keep other means and variances in each process; both judge with those of the first, which are in the file."""
    first, second = train_two(project, tmp_path, "BatchNorm1d")
    assert first["losses"] == second["losses"]
    net = Net(torch.nn.BatchNorm1d)
    net.load_state_dict(read_tensors(tmp_path / "best.pt")["net"])
    with torch.no_grad():
        terms = [measure(net.eval(), batch) for batch in Curve().in_order()]
    mean = sum(float(sum(part.values())) for part in terms) / len(terms)
    assert mean == pytest.approx(min(losses["val"] for losses in first["losses"]), rel=1e-6)


def test_on_gpus_batch_norms_see_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net itself is changed, with the weights that it had, and works as before when it has learned."""
    monkeypatch.setattr(ranks, "DistributedDataParallel", lambda net, **options: net)
    net, x = Net(torch.nn.BatchNorm1d).eval(), torch.rand(4, 2)
    before, weights, names = net(x), list(net.parameters()), list(net.state_dict())
    wrapped = Ranks(0, 2, 0).wrap(net, torch.device("cuda", 0))
    assert wrapped is net
    assert isinstance(net.used[1], torch.nn.SyncBatchNorm)
    assert all(one is other for one, other in zip(net.parameters(), weights, strict=True))
    assert list(net.state_dict()) == names
    assert net.eval()(x).equal(before)
    norms = Ranks(0, 2, 0).wrap(Net(torch.nn.BatchNorm1d), torch.device("cpu")).used[1]
    assert isinstance(norms, torch.nn.BatchNorm1d)


def test_a_net_with_norms_of_all_ranks_is_exported_as_any_other() -> None:
    torch.manual_seed(1)
    net = VoteNet()
    plain, other = (
        export_detector_net(net, "vote_net"),
        export_detector_net(torch.nn.SyncBatchNorm.convert_sync_batchnorm(net), "vote_net"),
    )
    assert [node.op_type for node in other.graph.node] == [node.op_type for node in plain.graph.node]
    assert [part.raw_data for part in other.graph.initializer] == [part.raw_data for part in plain.graph.initializer]


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


def test_a_batch_with_fewer_rows_than_ranks_is_learned_by_all() -> None:
    batch = Points(torch.ones(1, 2), torch.ones(1, 1))
    assert [share_rows(batch, Ranks(rank, 2, rank)) for rank in (0, 1)] == [(batch, 1.0)] * 2


def test_more_processes_than_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"WORLD_SIZE": "2", "RANK": "1", "LOCAL_RANK": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(InvalidInput, match="more processes than there are GPUs; pass --nproc-per-node 1, or less"):
        join_ranks()


def test_tensors_in_tuples_of_tuples_are_all_changed() -> None:
    pair = Points(Points(torch.ones(1), torch.ones(2)), torch.ones(3))  # type: ignore[arg-type]
    doubled = map_tensors(pair, lambda part: 2 * part)
    assert doubled.x.y.tolist() == [2, 2]
    assert doubled.y.tolist() == [2, 2, 2]
