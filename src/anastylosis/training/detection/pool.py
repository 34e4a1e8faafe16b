"""Pools of pictures: samples of several pictures are mixed into batches, so that each batch has many pictures."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Parts = tuple[NDArray[np.generic], ...]  # what is cut from one picture: arrays (N, ...)


def mix_batches(draw: Callable[[], Parts], pictures: int, pool: int, size: int, rng: np.random.Generator) -> Iterator[Parts]:
    """Yield batches of `size` from so many pictures, `pool` of which are mixed at a time.

    Samples that do not fill a batch are left out, unless the pool does not fill one.
    """
    for begin in range(0, pictures, pool):
        drawn = [draw() for _ in range(min(pool, pictures - begin))]
        mixed = tuple(np.concatenate(part) for part in zip(*drawn, strict=True))
        order = rng.permutation(len(mixed[0]))
        for first in range(0, max(1, len(order) - size + 1), size):
            rows = order[first : first + size]
            yield tuple(part[rows] for part in mixed)


def count_batches(pictures: int, pool: int, size: int, each: int) -> int:
    """Count the batches that `mix_batches` gives when `each` samples come from a picture."""
    pools, rest = divmod(pictures, pool)
    return pools * max(1, pool * each // size) + (max(1, rest * each // size) if rest else 0)
