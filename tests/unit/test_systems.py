"""What differs between systems stands in `machine.py`, and each of its branches works; Windows is played by what it lacks."""

import gc
import io
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from anastylosis import machine
from anastylosis.dataset import store
from anastylosis.errors import FolderBusy
from anastylosis.executors import pool
from anastylosis.models import foreign_session
from anastylosis.whole_file import delete_abandoned, write_whole

SYSTEM_WORDS = re.compile(
    r"\b(fcntl|msvcrt|import resource|pthread_sigmask|SIGKILL|SIGXCPU|sysconf|getuid|os\.name|sys\.platform)\b"
)


class Msvcrt(SimpleNamespace):
    """Windows' locks of bytes, as far as they are used here: one holder a file and byte, refused at once."""

    LK_LOCK, LK_NBLCK = 1, 2

    def __init__(self) -> None:
        super().__init__(held=set(), places=[])

    def locking(self, number: int, mode: int, count: int) -> None:
        import os

        key = os.fstat(number).st_ino
        self.places.append(os.lseek(number, 0, os.SEEK_CUR))
        if key in self.held:
            raise PermissionError(13, "Permission denied")
        self.held.add(key)


@pytest.fixture
def windows() -> Iterator[Msvcrt]:
    """A system without the modules, functions and signals that Windows lacks."""
    locks = Msvcrt()
    gc.collect()  # to end a process takes SIGKILL: none of an earlier test ends meanwhile
    gc.disable()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "WINDOWS", True)
        patch.setattr("anastylosis.whole_file.WINDOWS", True)
        patch.setattr(machine, "fcntl", None)
        patch.setattr(machine, "resource", None)
        patch.setattr(machine, "msvcrt", locks)
        for name in ("pthread_sigmask", "SIGKILL", "SIGXCPU", "SIGHUP"):
            patch.delattr(signal, name)
        for name in ("sysconf", "getuid", "sched_getaffinity"):
            patch.delattr(f"os.{name}", raising=False)
        yield locks
    gc.enable()


def test_only_one_file_asks_which_system_it_is(project: Path) -> None:
    """`serve` looks whether a signal is there; a record of a benchmark names the system and decides nothing by it."""
    found = {path.name: SYSTEM_WORDS.findall(path.read_text(encoding="utf-8")) for path in (project / "src").rglob("*.py")}
    assert {name: words for name, words in found.items() if words and name != "machine.py"} == {}


def test_a_lock_keeps_others_out(tmp_path: Path) -> None:
    assert machine.has_locks()
    with (tmp_path / "a").open("wb") as first, (tmp_path / "a").open("rb") as second:
        machine.lock_file(first, wait=False)
        with pytest.raises(BlockingIOError):
            machine.lock_file(second, wait=False)
    with (tmp_path / "a").open("rb") as third:  # closed is free
        machine.lock_file(third, wait=True)


def test_a_lock_of_windows_is_on_a_byte_that_no_file_reaches(windows: Msvcrt, tmp_path: Path) -> None:
    assert machine.has_locks()
    with (tmp_path / "a").open("wb") as file:
        file.write(b"begun")
        machine.lock_file(file, wait=True)
        assert file.tell() == 5
        with (tmp_path / "a").open("rb") as other:
            with pytest.raises(PermissionError):
                machine.lock_file(other, wait=False)
            assert other.tell() == 0
    assert windows.places == [2**31 - 2] * 2


def test_without_any_locks_nothing_is_locked(windows: Msvcrt, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "msvcrt", None)
    assert not machine.has_locks()
    with (tmp_path / "a").open("wb") as file:
        machine.lock_file(file, wait=False)


def test_a_dataset_has_one_writer_on_windows_too(windows: Msvcrt, tmp_path: Path) -> None:
    with store.lock(tmp_path), pytest.raises(FolderBusy, match="another process writes"), store.lock(tmp_path):
        pass


def test_files_are_whole_on_windows_too(windows: Msvcrt, tmp_path: Path) -> None:
    with write_whole(tmp_path / "a.txt") as part:
        part.write_text("all of it")
    assert (tmp_path / "a.txt").read_text() == "all of it"
    left = tmp_path / ".b.txt.0123.anastylosis.part"
    left.write_text("half")
    delete_abandoned(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.usefixtures("windows")
def test_workers_of_windows_ignore_ctrl_c_themselves() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        with machine.start_deaf():
            assert signal.getsignal(signal.SIGINT) == before
        machine.ignore_interrupt()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    other = threading.Thread(target=machine.ignore_interrupt)  # only the main thread may set a handler
    other.start()
    other.join()


def test_processes_are_started_deaf_where_signals_can_be_held_back() -> None:
    with machine.start_deaf():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    before = signal.getsignal(signal.SIGINT)
    machine.ignore_interrupt()
    assert signal.getsignal(signal.SIGINT) == before


@pytest.mark.parametrize("system", [False, True])
def test_waiting_gives_the_next_item(monkeypatch, system: bool) -> None:
    monkeypatch.setattr(machine, "WINDOWS", system)
    queue: SimpleQueue[int] = SimpleQueue()
    timer = threading.Timer(0.4, queue.put, (7,))  # longer than a glance
    timer.start()
    assert machine.wait_for(queue) == 7


def test_what_ended_a_process() -> None:
    assert machine.was_killed(-signal.SIGKILL)
    assert not machine.was_killed(1)
    assert not machine.was_killed(None)
    assert machine.was_stopped_for_time(-signal.SIGXCPU)
    assert machine.describe_signal(-signal.SIGSEGV) == "SIGSEGV"
    assert machine.describe_signal(-99) == "signal 99"
    assert machine.describe_signal(1) is None
    assert "memory ran out" in pool.suggest_remedy(-signal.SIGKILL)


@pytest.mark.usefixtures("windows")
def test_what_ended_a_process_of_windows() -> None:
    assert not machine.was_killed(1)
    assert not machine.was_stopped_for_time(1)
    assert machine.describe_signal(0xC0000005) is None  # a number of Windows for a crash
    assert pool.suggest_remedy(15).startswith("see what they printed")
    assert machine.interrupt_group() is None


@pytest.mark.usefixtures("windows")
def test_what_windows_does_not_tell_is_unknown() -> None:
    assert machine.measure_memory() is None
    assert machine.own_user() is None
    assert machine.count_cores() >= 1
    machine.limit_process(1, 1.0, files=False)  # there is nothing to limit with: nothing happens


def test_what_linux_tells() -> None:
    assert machine.measure_memory() > 1e8
    assert machine.measure_address_space() > 1e6
    assert machine.own_user() is not None
    assert machine.interrupt_group() == 0


def test_a_process_has_the_limits_it_was_given() -> None:
    code = (
        "import resource as r, time; from anastylosis.machine import limit_process as limit\n"
        "limit(None, None, files=False); limit(3_000_000_000, time.process_time() + 100)\n"
        "limit(5_000_000_000, None)  # never more than before\n"
        "print([r.getrlimit(k)[0] for k in (r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_AS)], r.getrlimit(r.RLIMIT_CPU)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("]")[0] in ("[0, 0, 5000000000", "[0, 0, 3000000000")
    assert 100 <= int(done.stdout.split()[-1]) <= 110


def test_a_model_from_elsewhere_is_opened_without_limits_of_the_system(windows: Msvcrt) -> None:
    """The owner's clock is what is left on Windows; a process of its own is there all the same."""
    windows.process = foreign_session.ForeignProcess()  # it ends with the system, which has SIGKILL again by then
    with pytest.raises(RuntimeError, match=r"protobuf|parsing|model"):
        foreign_session.ForeignSession(b"no model", 1, windows.process)


def test_the_line_that_installs_an_extra_is_quoted_for_the_shell_that_reads_it(monkeypatch) -> None:
    words = (r"C:\My Programs\python.exe", "-m", "pip", "install", "anastylosis[train]")
    assert machine.quote_words(*words) == r"'C:\My Programs\python.exe' -m pip install 'anastylosis[train]'"
    monkeypatch.setattr(machine, "WINDOWS", True)
    assert machine.quote_words(*words) == r'"C:\My Programs\python.exe" -m pip install anastylosis[train]'


def test_a_console_without_a_character_shows_its_number(monkeypatch) -> None:
    poor = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", write_through=True)
    monkeypatch.setattr(sys, "stdout", poor)
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    machine.free_standard_streams()
    print("0.4 ± 0.1 ≤ 1")
    assert poor.buffer.getvalue() == b"0.4 \xb1 0.1 \\u2264 1\n"
