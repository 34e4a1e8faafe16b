"""Serial: one job after the other, in this process."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_serial(do: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[tuple[Job, Result]]:
    """Yield each job and its result, in order."""
    for job in jobs:
        yield job, do(job)
