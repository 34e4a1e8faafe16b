"""What is being worked on, on stderr: a spinner on a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

__all__ = ["show_progress"]


@contextmanager
def show_progress() -> Iterator[Callable[[str], None]]:
    """A function to call with the name of each piece of work as it starts."""
    if not sys.stderr.isatty():
        yield lambda message: print(message, file=sys.stderr, flush=True)
        return
    with Console(stderr=True, markup=False).status("starting") as status:
        yield status.update
