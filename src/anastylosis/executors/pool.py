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
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

from anastylosis.errors import WorkerDied

__all__ = ["run_pool"]

Job = TypeVar("Job")
Result = TypeVar("Result")

TRIES = 3  # workers that one job may take down
PATIENCE = 2.0  # [s] for a worker to leave when it is told to


def run_pool(do: Callable[[Job], Result], jobs: Iterable[Job], *, workers: int) -> Iterator[tuple[Job, Result]]:
    """Each job and its result, from `workers` processes. `do`, jobs and results go through pickle."""
    crew = Crew(do, jobs)
    try:
        for _ in range(workers):
            crew.employ(None)
        while crew.at_work:
            for worker in crew.wait():
                job = worker.job
                try:
                    done, answer = worker.connection.recv()
                except (EOFError, OSError):
                    crew.replace(worker)
                    continue
                if not done:
                    raise answer
                crew.employ(worker)
                yield job, answer
    finally:
        crew.dismiss()


class Crew:
    """The workers, and the jobs that are left."""

    def __init__(self, do: Callable[[Any], Any], jobs: Iterable[Any]) -> None:
        self.do, self.waiting = do, enumerate(jobs)
        self.lost: list[tuple[int, Any]] = []
        self.deaths: Counter[int] = Counter()  # of workers at a job
        self.at_work: dict[Connection, Worker] = {}

    def wait(self) -> list["Worker"]:
        """Workers that have something to say, or are dead."""
        return [self.at_work[connection] for connection in wait(list(self.at_work))]  # type: ignore[index]

    def employ(self, worker: "Worker | None") -> None:
        """Give a worker, a new one if None, the next job; with no job left, let it go."""
        following = self.lost.pop() if self.lost else next(self.waiting, None)
        if following is not None:
            if worker is None:
                with deaf_children():  # Ctrl-C that comes within finds the new one among those to dismiss
                    worker = Worker(self.do)
                    self.at_work[worker.connection] = worker
            worker.begin(*following)
        elif worker is not None:
            del self.at_work[worker.connection]
            worker.stop()

    def replace(self, worker: "Worker") -> None:
        """A worker is dead: give its job to a new one, unless it has taken too many down."""
        del self.at_work[worker.connection]
        code = worker.stop()
        self.deaths[worker.number] += 1
        if self.deaths[worker.number] == TRIES:
            raise WorkerDied(f"{TRIES} workers died, the last with exit code {code}, each at {worker.job}")
        self.lost.append((worker.number, worker.job))
        self.employ(None)

    def dismiss(self) -> None:
        """End every process."""
        for worker in self.at_work.values():
            worker.stop()


class Worker:
    """One process, and the job it has."""

    number: int
    job: Any

    def __init__(self, do: Callable[[Any], Any]) -> None:
        spawn = get_context("spawn")
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(do, theirs), daemon=True)
        self.process.start()
        theirs.close()  # or a dead worker's pipe would stay open

    def begin(self, number: int, job: Any) -> None:
        """Hand over a job; a worker that is dead by now is noticed when its answer is due."""
        self.number, self.job = number, job
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(job)

    def stop(self) -> int | None:
        """End the process, whatever it is doing; its exit code."""
        self.connection.close()
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        return self.process.exitcode


def serve(do: Callable[[Any], Any], connection: Connection) -> None:
    """The life of a worker: do what comes through the pipe, until it is closed."""
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            connection.send_bytes(answer(do, connection.recv()))


def answer(do: Callable[[Any], Any], job: Any) -> bytes:
    """The result of a job, or what it raised, packed; what cannot be packed and unpacked again is told in words."""
    try:
        return pack((True, do(job)))
    except Exception as error:
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        try:
            return pack((False, error))
        except Exception:
            return pack((False, RuntimeError(f"{type(error).__name__}: {error}")))


def pack(answer: tuple[bool, Any]) -> bytes:
    """As `Connection.recv` unpacks it; raises for errors that it could not unpack."""
    packed = bytes(ForkingPickler.dumps(answer))
    if not answer[0]:
        ForkingPickler.loads(packed)
    return packed


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that are started within never hear Ctrl-C, not even while they import.

    A process inherits which signals are held back. The resource tracker, which multiprocessing starts beside the first
    process, would let them through again: it is started before.
    """
    with put_off_interrupt():
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def put_off_interrupt() -> Iterator[None]:
    """Ctrl-C that comes within takes effect at the end: a process that is started by half leaves a traceback."""
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
