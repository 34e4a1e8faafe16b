"""Types of those who run jobs and of those who hear how far work is."""

from collections.abc import Callable, Iterator
from typing import Any

Execute = Callable[..., Iterator[tuple[Any, Any]]]  # of `executors`: a function and jobs in, jobs and results out
Progress = Callable[[str, int, int], None]  # what is worked on, how many are done, how many there are


def no_progress(what: str, done: int, total: int) -> None:
    """Report no progress."""
