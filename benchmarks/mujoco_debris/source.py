"""Source: the episodes of our engine whose falls are done again."""

import json
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from anastylosis.dataset import Dataset, Plan
from anastylosis.dataset.level import draw_config
from anastylosis.dataset.manifest import plan_manifest
from anastylosis.dataset.preset import learn_levels
from anastylosis.dataset.shard import code_fingerprint
from anastylosis.dataset.split import Shares, split_of
from anastylosis.dataset.tables import name_episode
from anastylosis.episode import EpisodeConfig, run_episode
from anastylosis.episode.annotation import annotate
from anastylosis.episode.play import episode_seed
from anastylosis.errors import InvalidInput

__all__ = ["LEVEL", "Source"]

LEVEL = "learn"


class Source:
    """Episodes of one split of the level `learn` of a dataset. One that it does not hold yet is played here: the same bits."""

    def __init__(self, folder: Path, split: str = "test") -> None:
        self.folder, self.split = folder, split
        self.manifest = self.dataset.manifest
        self.level = next(level for level in learn_levels(self.manifest.episodes.get(LEVEL, 1)) if level.name == LEVEL)
        self.shares = Shares(**self.manifest.shares)
        wanted = plan_manifest(Plan(levels=(self.level,), seed=self.manifest.seed, shares=self.shares), self.manifest.code)
        if self.manifest.levels.get(LEVEL) != wanted.levels[LEVEL]:
            raise InvalidInput(f"{folder} does not hold the preset `learn` of this version; simulate it into another folder")
        if self.manifest.code != code_fingerprint():
            self.check_code()

    @cached_property
    def dataset(self) -> Dataset:
        return Dataset(self.folder)

    def list_indices(self, episodes: int) -> list[int]:
        """The first so many episodes of the split, by their number in the level."""
        seeds = ((index, episode_seed(self.manifest.seed, index)) for index in range(self.level.episodes))
        return [index for index, seed in seeds if split_of(self.level, seed, self.shares) == self.split][:episodes]

    def name(self, index: int) -> str:
        return name_episode(LEVEL, index)

    def find(self, index: int) -> tuple[dict[str, Any], EpisodeConfig]:
        """The annotation of an episode, and its settings."""
        seed, name = episode_seed(self.manifest.seed, index), self.name(index)
        config = draw_config(self.level, seed)
        document = self.dataset.document(name) if name in self.dataset.names else annotate(run_episode(config, seed))
        if document["config"] != json.loads(json.dumps(asdict(config))):
            raise InvalidInput(f"{name} of {self.folder} was played with other settings than its seed gives")
        return document, config

    def check_code(self) -> None:
        """The dataset was made by other code: play one of its episodes again, and refuse it unless the bits are the same."""
        index = min(place.first for place in self.dataset.places if place.level == LEVEL)
        seed, stored = episode_seed(self.manifest.seed, index), self.dataset.document(self.name(index))
        if run_episode(draw_config(self.level, seed), seed).fingerprint() != stored["fingerprint"]:
            raise InvalidInput(f"{self.folder} was made by other code, under which {self.name(index)} went differently")
