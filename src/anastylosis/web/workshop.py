"""Workshop: long work for visitors, so much at a time. Others wait in line and are told where they are in it."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from anastylosis.executors import open_pool
from anastylosis.reconstruction.case import Execute, Tell

__all__ = ["WAITING", "Order", "VisitorLeft", "Workshop"]

WAITING = "waiting"  # what an order is told while it waits: its place in the line, and how long the line is
PATIENCE = 5.0  # [s] for work to end when the workshop is closed
LOGGER = logging.getLogger(__name__)


class VisitorLeft(Exception):
    """Nobody waits for this work any more."""


@dataclass(eq=False, kw_only=True)
class Order:
    """Work to be done, and who is told of it. All but `do` are called from threads of the workshop."""

    do: Callable[[Execute, Tell], Any]
    progress: Tell = lambda what, done, total: None
    finish: Callable[[Any], None] = lambda result: None
    fail: Callable[[Exception], None] = lambda error: None
    left: threading.Event = field(default_factory=threading.Event)  # set it, and the work ends at its next word

    def tell(self, what: str, done: int, total: int) -> None:
        if self.left.is_set():
            raise VisitorLeft
        self.progress(what, done, total)


class Workshop:
    """Threads that take orders one after the other, each with worker processes of its own that stay."""

    def __init__(self, places: int, workers: int, name: str) -> None:
        """`places` orders at a time, each by `workers` processes; 1: by the thread itself."""
        self.workers = workers
        self.line: list[Order] = []
        self.news = threading.Condition()
        self.telling = threading.Lock()
        self.open = True
        self.threads = [threading.Thread(target=self.work, name=f"{name}-{n}", daemon=True) for n in range(places)]
        for thread in self.threads:
            thread.start()

    def ask(self, order: Order) -> None:
        """Put an order at the end of the line."""
        with self.news:
            self.line.append(order)
            self.news.notify()
        self.tell_line()

    def close(self) -> bool:
        """Take no more, and end what is being done at its next word. False: something is still being done after a while."""
        with self.news:
            self.open = False
            for order in self.line:
                order.left.set()
            self.line.clear()
            self.news.notify_all()
        end = time.monotonic() + PATIENCE
        for thread in self.threads:
            thread.join(timeout=max(end - time.monotonic(), 0.0))
        return not any(thread.is_alive() for thread in self.threads)

    def work(self) -> None:
        """The life of a place."""
        with open_pool(self.workers) as execute:
            while (order := self.take()) is not None:
                self.tell_line()
                self.serve(order, execute)

    def take(self) -> Order | None:
        """The next order, waited for; None: the workshop is closed."""
        with self.news:
            self.news.wait_for(lambda: self.line or not self.open)
            return self.line.pop(0) if self.open else None

    def serve(self, order: Order, execute: Execute) -> None:
        try:
            order.tell(WAITING, 0, 0)
            order.finish(order.do(execute, order.tell))
        except VisitorLeft:
            LOGGER.info("a visitor left; the work for them was given up")
        except Exception as error:
            try:
                order.fail(error)
            except Exception:
                LOGGER.exception("a visitor could not be told what went wrong")

    def tell_line(self) -> None:
        """Tell everyone in the line where they are; who has left is let go.

        One thread at a time, and each place of the workshop before it begins: nobody hears of the line after their work began.
        """
        with self.telling:
            with self.news:
                self.line = [order for order in self.line if not order.left.is_set()]
                waiting = list(self.line)
            for place, order in enumerate(waiting, 1):
                try:
                    order.progress(WAITING, place, len(waiting))
                except Exception:  # a page that is just being built anew, or is gone; the others wait on
                    LOGGER.info("a visitor could not be told their place in the line", exc_info=True)
