"""Datasets that tests read: episodes that were played elsewhere, written as `generate` writes them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from anastylosis.dataset import Plan, friction_levels
from anastylosis.dataset.manifest import plan_manifest
from anastylosis.dataset.shard import encode_shard
from anastylosis.dataset.store import ShardPlace, open_writer
from anastylosis.dataset.tables import tabulate
from anastylosis.episode import Episode

LEVEL = friction_levels([(0.4, 0.4)], 1, 6)[0]


def write_dataset(
    folder: Path, *episodes: Episode, level: str = LEVEL.name, shard: int | None = None, split: str | Sequence[str] = "train"
) -> Path:
    """A finished dataset of these episodes, so many a shard (or all in one), in a folder that is made.

    `split`: of all episodes, or one for each.
    """
    size = shard or len(episodes)
    splits = [split] * len(episodes) if isinstance(split, str) else split
    plan = Plan(levels=(replace(LEVEL, episodes=len(episodes)),), shard=size)
    rows = [
        tabulate(episode, level=level, index=index, split=part)
        for index, (episode, part) in enumerate(zip(episodes, splits, strict=True))
    ]
    with open_writer(folder, plan_manifest(plan, "of tests")) as writer:
        for first in range(0, len(rows), size):
            part = rows[first : first + size]
            writer.write_shard(ShardPlace(level, ((first, first + len(part) - 1),)), encode_shard(part))
    return folder
