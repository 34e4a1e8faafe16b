"""Each: a few functions that do not need each other, run side by side by an executor of jobs."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def run_each(
    execute: Callable[..., Iterator[tuple[Any, Any]]],
    functions: Iterable[Callable[[], Any]],
    done: Callable[[int], None] | None = None,
) -> list[Any]:
    """Return the result of each call, in order; with processes they and their answers go through pickle. `done` is told the
    number of each that is."""
    jobs, answers = list(enumerate(functions)), {}
    for (number, _), answer in execute(call, jobs):
        answers[number] = answer
        if done is not None:
            done(number)
    return [answers[number] for number, _ in jobs]


def call(job: tuple[int, Callable[[], Any]]) -> Any:
    return job[1]()
