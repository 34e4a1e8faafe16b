"""Pool: worker processes of this machine, each with a pipe of its own.

Nothing is shared between workers, so one that is killed at any instant holds no lock and takes down no other: its job goes to
its successor. A worker whose parent is gone finds its pipe closed, and leaves. Ctrl-C, which a terminal sends to all
processes, is for the parent alone; it ends the workers.
"""

import signal
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, TypeVar

from anastylosis.errors import WorkerDied
from anastylosis.executors.serial import run_serial
from anastylosis.machine import ignore_interrupt, start_deaf, was_killed
from anastylosis.progress import Execute

Job = TypeVar("Job")
Result = TypeVar("Result")

TRIES = 3  # workers that one job may take down
PATIENCE = 2.0  # [s] for a worker to leave when it is told to


def run_pool(do: Callable[[Job], Result], jobs: Iterable[Job], *, workers: int) -> Iterator[tuple[Job, Result]]:
    """Yield each job and its result, from `workers` processes. `do`, jobs and results go through pickle."""
    crew = Crew(workers)
    try:
        yield from crew.run(do, jobs)
    finally:
        crew.dismiss(crew.idle)


@contextmanager
def open_pool(workers: int, ready: str | None = None) -> Iterator[Execute]:
    """Open processes that stay for one `run_pool` after another: to start one takes seconds. One worker: this process.

    `ready`: the module of what will be done; processes are started at once and import it while the caller is busy with other
    things. By its name, for else the caller would have to import it before they can begin.
    """
    if workers == 1:
        yield run_serial
        return
    crew = Crew(workers)
    try:
        if ready is not None:
            crew.gather(ready)
        yield crew.run
    finally:
        crew.dismiss(crew.idle)


class Crew:
    """The workers, and the jobs that are left."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.idle: list[Worker] = []

    def gather(self, module: str) -> None:
        """Start all of them, and tell them where it is that they will be asked to do."""
        for _ in range(self.workers - len(self.idle)):
            with deaf_children():
                self.idle.append(Worker())
        for worker in self.idle:
            worker.fetch(module)

    def run(self, do: Callable[[Any], Any], jobs: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield each job and its result; one call at a time."""
        shift = Shift(do, jobs, self.idle)
        try:
            for _ in range(self.workers):
                shift.employ(None)
            while shift.at_work:
                for worker in shift.wait():
                    job = worker.job
                    try:
                        done, answer = worker.connection.recv()
                    except (EOFError, OSError):
                        shift.replace(worker)
                        continue
                    if not done:
                        raise answer
                    shift.employ(worker)
                    yield job, answer
        finally:
            self.dismiss(shift.at_work.values())

    def dismiss(self, workers: Iterable["Worker"]) -> None:
        """End processes."""
        for worker in workers:
            worker.stop()


class Shift:
    """Jobs of one kind, and who is at them."""

    def __init__(self, do: Callable[[Any], Any], jobs: Iterable[Any], idle: list["Worker"]) -> None:
        self.do, self.waiting, self.idle = do, enumerate(jobs), idle
        self.lost: list[tuple[int, Any]] = []
        self.deaths: Counter[int] = Counter()  # of workers at a job
        self.at_work: dict[Connection, Worker] = {}

    def wait(self) -> list["Worker"]:
        """Wait for workers that have something to say, or are dead."""
        return [self.at_work[connection] for connection in wait(list(self.at_work))]  # type: ignore[index]

    def employ(self, worker: "Worker | None") -> None:
        """Give a worker, an idle or a new one if None, the next job; with no job left it is idle."""
        following = self.lost.pop() if self.lost else next(self.waiting, None)
        if following is not None:
            if worker is None:
                with deaf_children():  # Ctrl-C that comes within finds the new one among those to dismiss
                    worker = self.idle.pop() if self.idle else Worker()
                    self.at_work[worker.connection] = worker
            worker.begin(self.do, *following)
        elif worker is not None:
            del self.at_work[worker.connection]
            self.idle.append(worker)

    def replace(self, worker: "Worker") -> None:
        """Give the job of a dead worker to another one, unless it has taken too many down."""
        del self.at_work[worker.connection]
        code = worker.stop()
        self.deaths[worker.number] += 1
        if self.deaths[worker.number] == TRIES:
            raise WorkerDied(
                f"{TRIES} workers died, the last with exit code {code}, each at {worker.job!s:.200}; {suggest_remedy(code)}"
            )
        self.lost.append((worker.number, worker.job))
        self.employ(None)


def suggest_remedy(code: int | None) -> str:
    """Say what to do about workers that end with this exit code. Below 0 it is the signal that killed them."""
    if was_killed(code):
        return "most often memory ran out: take fewer workers"
    if code is not None and code < 0:
        return "see what they printed"
    return 'see what they printed; what a script of your own does must be below `if __name__ == "__main__":`'


class Worker:
    """One process, and the job it has."""

    number: int
    job: Any

    def __init__(self) -> None:
        spawn = get_context("spawn")
        self.do: Callable[[Any], Any] | None = None  # what it was last told to do
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()  # or a dead worker's pipe would stay open

    def begin(self, do: Callable[[Any], Any], number: int, job: Any) -> None:
        """Hand over a job, and what to do if that is new; a worker that is dead by now is noticed when its answer is due."""
        self.number, self.job = number, job
        self.prepare(do)
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(job)

    def fetch(self, module: str) -> None:
        """Have it import a module."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(ImportModule(module))

    def prepare(self, do: Callable[[Any], Any]) -> None:
        """Say what to do with the jobs that follow, if that is new: it imports what it needs for that."""
        with suppress(BrokenPipeError, ConnectionResetError):
            if do is not self.do:
                self.connection.send(UseFunction(do))
                self.do = do

    def stop(self) -> int | None:
        """End the process, whatever it is doing; its exit code."""
        self.connection.close()
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        return self.process.exitcode


class UseFunction(NamedTuple):
    """Tell a worker which function to call with the jobs that follow."""

    do: Callable[[Any], Any]


class ImportModule(NamedTuple):
    """Tell a worker which module the jobs will need, so that it is imported early."""

    module: str


def serve(connection: Connection) -> None:
    """Do the jobs that come through the pipe, until it is closed: the life of a worker."""
    ignore_interrupt()
    do: Callable[[Any], Any] | None = None
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            come = connection.recv()
            if isinstance(come, ImportModule):
                import_module(come.module)
                continue
            if isinstance(come, UseFunction):
                do = come.do
                continue
            assert do is not None
            connection.send_bytes(answer(do, come))


def answer(do: Callable[[Any], Any], job: Any) -> bytes:
    """Pack the result of a job, or what it raised; what cannot be packed and unpacked again is described in words."""
    try:
        return pack((True, do(job)))
    except Exception as error:
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        try:
            return pack((False, error))
        except Exception:
            return pack((False, RuntimeError(f"{type(error).__name__}: {error}")))


def pack(answer: tuple[bool, Any]) -> bytes:
    """Pickle an object so that `Connection.recv` can unpack it; raise for errors that it could not unpack."""
    packed = bytes(ForkingPickler.dumps(answer))
    if not answer[0]:
        ForkingPickler.loads(packed)
    return packed


@contextmanager
def deaf_children() -> Iterator[None]:
    """Start processes within that never hear Ctrl-C; one that comes meanwhile is put off."""
    with put_off_interrupt(), start_deaf():
        yield


@contextmanager
def put_off_interrupt() -> Iterator[None]:
    """Put off a Ctrl-C that comes within to the end: a process that is started by half leaves a traceback."""
    if threading.current_thread() is not threading.main_thread():  # which alone is interrupted
        yield
        return
    came: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *signals: came.append(signals))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
