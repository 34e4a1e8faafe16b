"""Jobs that tests give to executors: in a module of its own, where worker processes find them."""

import os
import signal
import sys
import time
from pathlib import Path

CONTEXT: str | None = None  # what a process has that did not inherit it


def read_context(_: object) -> str | None:
    return CONTEXT


def square(number: int) -> int:
    return number * number


def fail_at_three(number: int) -> int:
    if number == 3:
        raise OSError(28, "No space left on device")
    return number


def die_once(folder: str) -> str:
    """Kill this process the first time; the second time, give its number."""
    mark = Path(folder) / "died"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return folder


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def process_number(_: object) -> int:
    time.sleep(0.05)
    return os.getpid()


def has_module(name: str) -> bool:
    """Whether this process has imported it."""
    time.sleep(0.05)
    return name in sys.modules


def sleep_long(_: object) -> None:
    time.sleep(600)


class Stubborn(Exception):
    """Goes into a pickle, and does not come out."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def raise_stubborn(_: object) -> None:
    raise Stubborn("this", "that")


def give_lambda(_: object) -> object:
    return lambda: None
