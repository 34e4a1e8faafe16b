"""Job queue: a limited number of long jobs at a time. Visitors who wait are told their place."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from anastylosis.executors import open_pool
from anastylosis.progress import Execute, Progress

WAITING = "waiting"  # what an job is told while it waits: its place in the line, and how long the line is
PATIENCE = 5.0  # [s] for work to end when the queue is closed
LOGGER = logging.getLogger(__name__)


class VisitorLeft(Exception):
    """Nobody waits for this work any more."""


@dataclass(eq=False, kw_only=True)
class QueuedJob:
    """Work to be done, and who is told of it. All but `do` are called from threads of the queue."""

    do: Callable[[Execute, Progress], Any]
    progress: Progress = lambda what, done, total: None
    finish: Callable[[Any], None] = lambda result: None
    fail: Callable[[Exception], None] = lambda error: None
    left: threading.Event = field(default_factory=threading.Event)  # set it, and the work ends at its next word

    def report(self, what: str, done: int, total: int) -> None:
        if self.left.is_set():
            raise VisitorLeft
        self.progress(what, done, total)


class JobQueue:
    """Threads that take jobs one after the other, each with worker processes of its own that stay."""

    def __init__(self, places: int, workers: int, name: str) -> None:
        """Take `places` jobs at a time, each by `workers` processes; 1: by the thread itself."""
        self.workers = workers
        self.line: list[QueuedJob] = []
        self.news = threading.Condition()
        self.telling = threading.Lock()
        self.open = True
        self.threads = [threading.Thread(target=self.work, name=f"{name}-{n}", daemon=True) for n in range(places)]
        for thread in self.threads:
            thread.start()

    def ask(self, job: QueuedJob) -> None:
        """Put a job at the end of the line."""
        with self.news:
            self.line.append(job)
            self.news.notify()
        self.report_places()

    def close(self) -> bool:
        """Take no more, and end what is being done at its next word. False: something is still being done after a while."""
        with self.news:
            self.open = False
            for job in self.line:
                job.left.set()
            self.line.clear()
            self.news.notify_all()
        end = time.monotonic() + PATIENCE
        for thread in self.threads:
            thread.join(timeout=max(end - time.monotonic(), 0.0))
        return not any(thread.is_alive() for thread in self.threads)

    def work(self) -> None:
        """Do one job after another, until the queue is closed: the life of a place."""
        with open_pool(self.workers) as execute:
            while (job := self.take()) is not None:
                self.report_places()
                self.serve(job, execute)
                del job  # it holds all that its visitor had, who may leave while this place waits

    def take(self) -> QueuedJob | None:
        """Wait for the next job and take it; None: the queue is closed."""
        with self.news:
            self.news.wait_for(lambda: self.line or not self.open)
            return self.line.pop(0) if self.open else None

    def serve(self, job: QueuedJob, execute: Execute) -> None:
        try:
            job.report(WAITING, 0, 0)
            job.finish(job.do(execute, job.report))
        except VisitorLeft:
            LOGGER.info("a visitor left; the work for them was given up")
        except Exception as error:
            try:
                job.fail(error)
            except Exception:
                LOGGER.exception("a visitor could not be told what went wrong")

    def report_places(self) -> None:
        """Report to everyone in the line where they are; who has left is let go.

        One thread at a time, and each place of the queue before it begins: nobody hears of the line after their work began.
        """
        with self.telling:
            with self.news:
                self.line = [job for job in self.line if not job.left.is_set()]
                waiting = list(self.line)
            for place, job in enumerate(waiting, 1):
                try:
                    job.progress(WAITING, place, len(waiting))
                except Exception:  # a page that is just being built anew, or is gone; the others wait on
                    LOGGER.info("a visitor could not be told their place in the line", exc_info=True)
