"""The pool: every job once, whatever happens to the workers, and nothing left behind."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from anastylosis.errors import WorkerDied
from anastylosis.executors import open_pool, run_pool, run_serial
from anastylosis.report.reconstruction.each import run_each
from support import work
from support.processes import group_is_gone

TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def no_worker_is_left() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []


def test_every_job_once_with_its_result() -> None:
    expected = [(number, number * number) for number in range(20)]
    assert list(run_serial(work.square, range(20))) == expected
    for workers in (1, 3):
        assert sorted(run_pool(work.square, range(20), workers=workers)) == expected


def test_no_jobs_no_workers() -> None:
    assert list(run_pool(work.square, [], workers=2)) == []


def test_all_workers_work_and_no_more_than_there_are_jobs() -> None:
    assert len({number for _, number in run_pool(work.process_number, range(40), workers=2)}) == 2
    assert len({number for _, number in run_pool(work.process_number, range(1), workers=8)}) == 1


def test_an_open_pool_keeps_its_workers_from_call_to_call() -> None:
    with open_pool(2) as run:
        first = {number for _, number in run(work.process_number, range(40))}
        assert sorted(run(work.square, range(5))) == [(number, number * number) for number in range(5)]
        assert {number for _, number in run(work.process_number, range(40))} == first
        broken_off = run(work.process_number, range(40))
        next(broken_off)
        broken_off.close()  # what was begun is not waited for, and its answer belongs to no later call
        assert sorted(run(work.square, range(5))) == [(number, number * number) for number in range(5)]


def test_workers_that_are_ready_before_the_first_job_are_those_that_do_it() -> None:
    with open_pool(2, ready="colorsys") as run:
        waiting = {child.pid for child in multiprocessing.active_children()}
        assert len(waiting) == 2
        assert {number for _, number in run(work.process_number, range(40))} == waiting
        assert all(loaded for _, loaded in run(work.has_module, ["colorsys"] * 4))
        assert not any(loaded for _, loaded in run(work.has_module, ["chunk"] * 4))
        assert sorted(run(work.square, range(5))) == [(number, number * number) for number in range(5)]
    with open_pool(2, ready="colorsys"):
        pass  # nothing was asked of them


def test_an_open_pool_of_one_is_this_process() -> None:
    with open_pool(1) as run:
        assert list(run(work.process_number, [0])) == [(0, os.getpid())]


def test_functions_side_by_side_answer_in_their_order() -> None:
    asked = [partial(work.square, 3), partial(work.process_number, None), partial(work.square, 5)]
    assert run_each(run_serial, asked) == [9, os.getpid(), 25]
    with open_pool(2) as execute:
        nine, other, more = run_each(execute, asked)
    assert (nine, more) == (9, 25)
    assert other != os.getpid()
    assert run_each(run_serial, []) == []
    done: list[int] = []
    assert run_each(run_serial, asked, done.append) == [9, os.getpid(), 25]
    assert done == [0, 1, 2]


def test_jobs_are_taken_as_they_are_needed() -> None:
    """A generator of jobs without end: memory does not grow with what is not begun."""
    taken = 0

    def jobs() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken

    running = run_pool(work.square, jobs(), workers=2)
    assert len(list(islice(running, 10))) == 10
    running.close()
    assert taken <= 10 + 2


def test_the_job_of_a_dead_worker_is_done_by_another(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(4)]
    for folder in folders:
        folder.mkdir()
    done = sorted(job for job, _ in run_pool(work.die_once, [str(folder) for folder in folders], workers=2))
    assert done == sorted(map(str, folders))


def test_a_job_that_kills_every_worker_is_named() -> None:
    with pytest.raises(WorkerDied, match=r"3 workers died, the last with exit code -9, each at 3; most often memory ran out"):
        list(run_pool(work.die_at_three, range(8), workers=2))


def test_what_a_job_raises_is_raised_with_where_it_was() -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        list(run_pool(work.fail_at_three, range(8), workers=2))
    assert "fail_at_three" in caught.value.__notes__[0]


def test_ctrl_c_while_a_worker_starts_leaves_none(monkeypatch) -> None:
    start = SpawnProcess.start

    def start_and_interrupt(process: SpawnProcess) -> None:
        start(process)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(SpawnProcess, "start", start_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(run_pool(work.sleep_long, range(4), workers=2))
    assert multiprocessing.active_children() == []


def test_what_cannot_be_sent_home_is_told_in_words() -> None:
    with pytest.raises(RuntimeError, match="Stubborn: this and that"):
        list(run_pool(work.raise_stubborn, range(2), workers=1))
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError), match="lambda"):
        list(run_pool(work.give_lambda, range(2), workers=1))


SLEEPER = """
import sys
sys.path.insert(0, {tests!r})
from support import work
from anastylosis.executors import run_pool
if __name__ == "__main__":
    print("starting", flush=True)
    list(run_pool(work.{job}, range(4), workers=2))
"""


def start_sleeper(folder: Path) -> subprocess.Popen[str]:
    script = folder / "sleeper.py"
    script.write_text(SLEEPER.format(tests=str(TESTS), job="sleep_long"))
    return subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.3, 1.5])
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_all_at_any_time_without_a_word_of_the_workers(tmp_path: Path, delay: float, times: int) -> None:
    """As a terminal sends it: to the whole group; once, or by an impatient person twice."""
    process = start_sleeper(tmp_path)
    process.stdout.readline()
    time.sleep(delay)
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.02)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert errors.count("Traceback") <= 1 + (times - 1) * 2, errors  # of the parent's own interruption
    assert "spawn_main" not in errors
    assert group_is_gone(process.pid)
