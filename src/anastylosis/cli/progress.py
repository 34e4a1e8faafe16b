"""Progress on stderr: a spinner or a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from anastylosis.text_file import show_text

LINE_EVERY = 5.0  # [s] between two lines of long work, where there is no terminal


@contextmanager
def show_progress() -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of each piece of work as it starts."""
    if not sys.stderr.isatty():
        yield lambda message: print(message, file=sys.stderr, flush=True)
        return
    with Console(stderr=True, markup=False).status("starting") as status:
        yield lambda message: status.update(show_text(message))


@contextmanager
def show_bar(label: str, total: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of each finished piece of work; `done` of `total` are done at the start."""
    if not sys.stderr.isatty():
        count = done

        def begin(name: str) -> None:
            nonlocal count
            count += 1
            print(f"{label} {count} of {total}: {name}", file=sys.stderr, flush=True)

        yield begin
        return
    name_column = TextColumn("{task.fields[name]}", markup=False)
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), name_column)
    with Progress(*columns, console=Console(stderr=True, markup=False)) as progress:
        task = progress.add_task(label, total=total, completed=done, name="")
        yield lambda name: progress.update(task, advance=1, name=show_text(name))


@contextmanager
def show_count(things: str, *, plain: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function to call with the counts of done and total, and a note. It adds the rate and the time left.

    If fewer are done than before, other work has begun. With no name for `things` the note names them. `plain`: lines
    on a terminal, too, for one that others write to as well.
    """
    begin, start, last, printed = time.monotonic(), -1, -1, -LINE_EVERY

    def describe(done: int, total: int, note: str) -> str:
        nonlocal begin, start, last
        if start < 0 or done < last:
            begin, start = time.monotonic(), done  # what was there before is not this run's speed
        last = done
        rate = (done - start) / max(time.monotonic() - begin, 1e-9)
        speed = f", {rate:.2g} a second, {format_time((total - done) / rate)} left" if rate > 0 and done < total else ""
        return f"{done:,} of {total:,} {', '.join(filter(None, (things, note)))}{speed}"

    def say(done: int, total: int, note: str) -> None:
        nonlocal printed
        line = describe(done, total, note)
        if done == total or time.monotonic() - printed >= LINE_EVERY:
            printed = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    if plain or not sys.stderr.isatty():
        yield say
        return
    with Progress(BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True, markup=False)) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda done, total, note: progress.update(
            task, completed=done, total=total, description=show_text(describe(done, total, note))
        )


def format_time(seconds: float) -> str:
    """Format a time as people say it: 40 s, 12 min, 3.5 h."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
