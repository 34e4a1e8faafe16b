"""Splits: train, val and test, by the seed of an episode, before anything is looked at."""

from dataclasses import dataclass

from anastylosis.dataset.level import Level
from anastylosis.errors import InvalidConfig

__all__ = ["Shares", "split_of"]

SEEDS = 2**64  # of episodes: all equally likely


@dataclass(frozen=True, kw_only=True)
class Shares:
    """The share of episodes in each split; the rest is for training."""

    val: float = 0.1
    test: float = 0.1

    def __post_init__(self) -> None:
        if min(self.val, self.test) < 0 or not self.val + self.test < 1:
            raise InvalidConfig(f"val is {self.val!r} and test {self.test!r}; shares of 0 or more that leave some for training")


def split_of(level: Level, seed: int, shares: Shares) -> str:
    """Return the split of an episode. Episodes of one seed at two levels, whose towers are alike, are in one split."""
    if level.split is not None:
        return level.split
    place = seed / SEEDS
    return "test" if place < shares.test else "val" if place < shares.test + shares.val else "train"
