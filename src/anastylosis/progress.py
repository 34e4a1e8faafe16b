"""Progress of work, and executors of jobs: the types of their functions."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

# Of `executors`: a function and jobs in, jobs and results out.
Execute = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[tuple[Any, Any]]]
Progress = Callable[[str, int, int], None]  # what is worked on, how many are done, how many there are
CountProgress = Callable[[int, int], None]  # how many are done, how many there are


def no_progress(what: str, done: int, total: int) -> None:
    """Report no progress."""
