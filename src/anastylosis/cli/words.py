"""Words: numbers with their nouns, and what more than one command says."""

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.dataset import Dataset


def count(number: int, thing: str) -> str:
    """Return a count in words: `1 episode`, `2,000 episodes`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def parse_numbers(option: str, text: str, names: Sequence[str]) -> list[float]:
    """Parse a number for each name, with commas between."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(names) or not all(map(math.isfinite, numbers)):
        raise InvalidInput(f"{option} is {text!r}; give {len(names)} numbers with commas between: {','.join(names)}")
    return numbers


def print_missing(dataset: "Dataset") -> None:
    """Say on stderr that a dataset is not whole, if so."""
    if dataset.missing > 0:
        there = len(dataset.names)
        print(
            f"{there:,} of {count(there + dataset.missing, 'episode')} are there; `anastylosis simulate` goes on, "
            "`anastylosis verify` tells what is missing",
            file=sys.stderr,
        )
