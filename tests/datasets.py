"""Datasets that tests read: episodes that were played elsewhere, written as `generate` writes them."""

from pathlib import Path

from anastylosis.dataset import Plan, friction_levels
from anastylosis.dataset.manifest import plan_manifest
from anastylosis.dataset.shard import encode_shard
from anastylosis.dataset.store import Place, open_writer
from anastylosis.dataset.tables import tabulate
from anastylosis.episode import Episode

LEVEL = friction_levels([(0.4, 0.4)], 1, 6)[0]


def write_dataset(folder: Path, *episodes: Episode, level: str = LEVEL.name) -> Path:
    """One shard with these episodes, in a folder that is made."""
    plan = Plan(levels=(LEVEL,))
    rows = [tabulate(episode, level=level, index=index, split="train") for index, episode in enumerate(episodes)]
    with open_writer(folder, plan_manifest(plan, "of tests")) as writer:
        writer.write_shard(Place(level, 0, len(episodes) - 1), encode_shard(rows))
    return folder
