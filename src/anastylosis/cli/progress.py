"""What is being worked on, on stderr: a spinner or a bar on a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["show_bar", "show_progress"]


@contextmanager
def show_progress() -> Iterator[Callable[[str], None]]:
    """A function to call with the name of each piece of work as it starts."""
    if not sys.stderr.isatty():
        yield lambda message: print(message, file=sys.stderr, flush=True)
        return
    with Console(stderr=True, markup=False).status("starting") as status:
        yield status.update


@contextmanager
def show_bar(label: str, total: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """A function to call with the name of each piece of work as it is done; `done` of `total` are at the start."""
    if not sys.stderr.isatty():
        count = done

        def tell(name: str) -> None:
            nonlocal count
            count += 1
            print(f"{label} {count} of {total}: {name}", file=sys.stderr, flush=True)

        yield tell
        return
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[name]}"))
    with Progress(*columns, console=Console(stderr=True, markup=False)) as progress:
        task = progress.add_task(label, total=total, completed=done, name="")
        yield lambda name: progress.update(task, advance=1, name=name)
