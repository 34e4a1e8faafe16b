"""The plan of a dataset, as jobs. Pure: the same plan and the same store give the same jobs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anastylosis.dataset.level import Level
from anastylosis.dataset.split import Shares, split_of
from anastylosis.episode import episode_seed
from anastylosis.errors import InvalidConfig
from anastylosis.number import SEED_MAX, is_whole

SHARD = 8  # episodes a file: about ten seconds of work, which is what a kill can cost
SHARD_MAX = 1000
RUNS_MAX = 12  # stretches of episodes in a shard: its file is named after them, and names may have 255 letters

Runs = tuple[tuple[int, int], ...]  # first and last of each stretch of episodes, rising


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Settings that decide which episodes a dataset holds, and what each is."""

    levels: tuple[Level, ...]
    seed: int = 0
    shares: Shares = field(default_factory=Shares)
    shard: int = SHARD
    splits: tuple[str, ...] = ()  # that are played; all, if none is named

    def __post_init__(self) -> None:
        if not is_whole(self.seed) or not 0 <= self.seed <= SEED_MAX:
            raise InvalidConfig(f"seed is {self.seed!r}; it must be a whole number, 0..{SEED_MAX}")
        if not is_whole(self.shard) or not 1 <= self.shard <= SHARD_MAX:
            raise InvalidConfig(f"shard is {self.shard!r}; it must be a whole number of episodes, 1..{SHARD_MAX}")
        names = [level.name for level in self.levels]
        if not names or len(set(names)) < len(names):
            raise InvalidConfig(f"levels are {', '.join(names) or 'none'}; name at least one, each once")
        known = ["train", "val", "test", *(level.split for level in self.levels if level.split)]
        for split in self.splits:
            if split not in known:
                raise InvalidConfig(f"there is no split {split!r}; choose among {', '.join(known)}")
        if not self.episodes:
            raise InvalidConfig(f"no episode of the plan is in {' or '.join(self.splits)}; plan more of them")

    @property
    def episodes(self) -> int:
        """The number of episodes that are to be played."""
        return sum(len(self.list_wanted(level)) for level in self.levels)

    def list_wanted(self, level: Level) -> Sequence[int]:
        """List the episodes of a level that are to be played."""
        everything = range(level.episodes)
        return [index for index in everything if self.wants(level, index)] if self.splits else everything

    def wants(self, level: Level, index: int) -> bool:
        """Return whether an episode is to be played. Its split is known before it is: it follows from the seed."""
        if index >= level.episodes:
            return False
        return not self.splits or split_of(level, episode_seed(self.seed, index, level.stream), self.shares) in self.splits

    def count_finished(self, folder: Path) -> int:
        """Count the episodes of this plan that are in a folder."""
        from anastylosis.dataset.store import list_places  # which has the stretches of `Runs` from here

        levels = {level.name: level for level in self.levels}
        places = [place for place in list_places(folder) if place.level in levels]
        return sum(self.wants(levels[place.level], index) for place in places for index in place.indices)


@dataclass(frozen=True, kw_only=True)
class Job:
    """The episodes of one shard."""

    level: Level
    runs: Runs
    seed: int  # of the dataset
    shares: Shares
    code: str  # fingerprint of the code that is to play them

    @property
    def first(self) -> int:
        return self.runs[0][0]

    @property
    def indices(self) -> list[int]:
        return list_indices(self.runs)

    def __str__(self) -> str:
        return f"episode{'s' * (len(self.indices) > 1)} {describe_runs(self.runs)} of {self.level.name!r}"


def plan_jobs(plan: Plan, stored: dict[str, set[int]], code: str) -> Iterator[Job]:
    """Plan the episodes that the store lacks, in shards; `stored` has the episodes of each level that are there.

    The wanted episodes of a level are shared out in order, `plan.shard` at a time, whether they are there or not, so an
    interrupted run and an unbroken one make the same files; and all levels grow together, so an unfinished dataset is a
    smaller one. Where only some splits are wanted, the episodes of a shard have gaps between them.
    """
    wanted = [(level, plan.list_wanted(level)) for level in plan.levels]
    for start in range(0, max(len(indices) for _, indices in wanted), plan.shard):
        for level, indices in wanted:
            there = stored.get(level.name, set())
            runs = find_runs([index for index in indices[start : start + plan.shard] if index not in there])
            for begin in range(0, len(runs), RUNS_MAX):
                part = tuple(runs[begin : begin + RUNS_MAX])
                yield Job(level=level, runs=part, seed=plan.seed, shares=plan.shares, code=code)


def find_runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Return the first and last of each stretch of rising numbers without a gap."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def list_indices(runs: Runs) -> list[int]:
    """List every number of these stretches."""
    return [index for first, last in runs for index in range(first, last + 1)]


def describe_runs(runs: Runs) -> str:
    """Write stretches as people read them: `0 to 7`; `3, 11 to 12, 24`."""
    return ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in runs)
