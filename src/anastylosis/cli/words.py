"""Words: numbers with their nouns, and what more than one command says."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anastylosis.dataset import Dataset

__all__ = ["count", "tell_missing"]


def count(number: int, thing: str) -> str:
    """`1 episode`, `2,000 episodes`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def tell_missing(dataset: "Dataset") -> None:
    """Say on stderr that a dataset is not whole, if so."""
    if dataset.missing > 0:
        there = len(dataset.names)
        print(
            f"{there:,} of {count(there + dataset.missing, 'episode')} are there; `anastylosis simulate` goes on, "
            "`anastylosis verify` tells what is missing",
            file=sys.stderr,
        )
