"""kill -9, of the parent, of all, and of a Dask worker: every episode once, the same bits as an unbroken run."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.executors import cluster, run_cluster
from anastylosis.whole_file import hash_file
from support.processes import group_is_gone

COMMAND = [str(Path(sys.executable).with_name("anastylosis")), "simulate"]
WORDS = ["--episodes", "24", "--layers", "5", "--friction", "low,high", "--vary"]
EARLY_AND_LATE = ((0.2, 1.5), (1.5, 3.0), (3.0, 5.0))  # [s] while it starts, at the first games, later: the parent, then all


def hashes(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in sorted(folder.rglob("*.parquet"))}


def simulate(folder: Path, *words: str) -> None:
    subprocess.run([*COMMAND, str(folder), *WORDS, *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("unbroken")
    simulate(folder, "--workers", "1")
    assert len(Dataset(folder).names) == 48
    return hashes(folder)


@pytest.mark.slow
def test_kills_at_any_moment(unbroken: dict[str, str], tmp_path: Path) -> None:
    """Alternately of the parent alone, whose workers find out and leave, and of the whole group."""
    folder, dice = tmp_path / "killed", random.Random(0)
    for number in range(2 * len(EARLY_AND_LATE)):
        process = subprocess.Popen(
            [*COMMAND, str(folder), *WORDS, "--workers", "2"], stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(dice.uniform(*EARLY_AND_LATE[number // 2]))
        with_group = number % 2 == 1 and process.poll() is None
        os.killpg(process.pid, signal.SIGKILL) if with_group else process.kill()
        process.wait()
        there = hashes(folder) if folder.exists() else {}
        assert all(unbroken[path] == found for path, found in there.items())  # finished files are whole
        assert group_is_gone(process.pid)
    simulate(folder, "--workers", "2")
    assert hashes(folder) == unbroken
    assert len(set(Dataset(folder).names)) == 48
    assert Dataset(folder).manifest.files == unbroken  # also of those that nobody had time to note


@contextmanager
def start(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-m", "dask", *words], stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(process: subprocess.Popen[str], pattern: str) -> str:
    """The first group of what a process says on stderr."""
    for line in process.stderr:
        if match := re.search(pattern, line):
            return match[1]
    raise AssertionError(f"{process.args} ended")


def wait_for_shard(folder: Path, process: subprocess.Popen[str]) -> None:
    """Until the first shard of a dataset is finished."""
    while not list(folder.glob("episodes/*.parquet")):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


@pytest.mark.slow
def test_a_dask_worker_is_killed(unbroken: dict[str, str], tmp_path: Path) -> None:
    """A real scheduler and two real workers on loopback; one dies in the middle."""
    folder = tmp_path / "cluster"
    with ExitStack() as running:
        scheduler = running.enter_context(start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"))
        address = read_until(scheduler, r"Scheduler at:\s+(tcp://\S+)")
        words = ("worker", address, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1", "--no-dashboard")
        workers = [running.enter_context(start(*words)) for _ in range(2)]
        playing = subprocess.Popen(
            [*COMMAND, str(folder), *WORDS, "--engine", "dask", "--scheduler", address], stderr=subprocess.PIPE, text=True
        )
        wait_for_shard(folder, playing)
        workers[0].kill()
        _, errors = playing.communicate(timeout=120)
    assert playing.returncode == 0, errors
    assert hashes(folder) == unbroken


@pytest.mark.slow
def test_the_scheduler_is_killed(tmp_path: Path) -> None:
    """One line says so, and what is finished is kept."""
    folder = tmp_path / "cluster"
    with ExitStack() as running:
        scheduler = running.enter_context(start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"))
        address = read_until(scheduler, r"Scheduler at:\s+(tcp://\S+)")
        running.enter_context(start("worker", address, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1", "--no-dashboard"))
        playing = subprocess.Popen(
            [*COMMAND, str(folder), *WORDS, "--engine", "dask", "--scheduler", address], stderr=subprocess.PIPE, text=True
        )
        wait_for_shard(folder, playing)
        scheduler.kill()
        _, errors = playing.communicate(timeout=120)
    assert playing.returncode == 1
    assert errors.splitlines()[-1].startswith("anastylosis: the scheduler is gone, at episodes "), errors
    assert "Traceback" not in errors
    assert len(Dataset(folder).names) >= 8


@pytest.mark.slow
def test_a_local_cluster_is_started_for_you(tmp_path: Path) -> None:
    words = ["--episodes", "3", "--layers", "4", "--engine", "dask", "--workers", "2"]
    done = subprocess.run([*COMMAND, str(tmp_path), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert len(Dataset(tmp_path).names) == 3


@pytest.mark.slow
def test_a_scheduler_without_workers(monkeypatch) -> None:
    monkeypatch.setattr(cluster, "JOIN_TIME", 0.5)  # [s]
    with start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard") as scheduler:
        address = read_until(scheduler, r"Scheduler at:\s+(tcp://\S+)")
        with pytest.raises(InvalidInput, match=rf"{address} has no workers; start some with `dask worker {address}`"):
            list(run_cluster(str, [1], workers=1, scheduler=address))


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer(tmp_path: Path) -> None:
    words = ["--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"]
    done = subprocess.run([*COMMAND, str(tmp_path), *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no scheduler answers at tcp://127.0.0.1:9" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
