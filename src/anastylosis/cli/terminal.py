"""Terminal: text that anybody wrote, shown so that it commands nothing; and streams that somebody closed."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from anastylosis.text_file import show_text


class PlainStream:
    """A stream that writes control characters, and what is no Unicode, as escapes: names of files come from anywhere.

    Rich, which draws with control characters of its own, writes to the stream beneath.
    """

    def __init__(self, beneath: TextIO) -> None:
        self.rich_proxied_file = beneath  # rich asks for the stream beneath by this name

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)

    def write(self, text: str) -> int:
        encoding = self.rich_proxied_file.encoding or "utf-8"
        self.rich_proxied_file.write(show_text(text).encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


@contextmanager
def plain_streams() -> Iterator[None]:
    """Make stdout and stderr plain for a while. One that the caller has closed swallows what is written."""
    before = sys.stdout, sys.stderr
    for name in ("stdout", "stderr"):  # opened even so, or the next file would take its number and get what is printed
        setattr(sys, name, PlainStream(getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")))  # noqa: SIM115, PTH123
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def flush_stdout() -> bool:
    """Write out what was printed; False: nobody reads it any more, as after `| head`."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), sys.stdout.fileno())  # Python flushes again at its end, and would complain
        return False
    return True
