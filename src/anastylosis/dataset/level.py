"""Level: a named group of episodes, and what each of them is drawn from."""

import math
import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from anastylosis.arrays import Vector
from anastylosis.episode import FRICTION_LEVELS, EpisodeConfig, default_episode
from anastylosis.errors import InvalidConfig
from anastylosis.number import is_number, is_whole

NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
EPISODES_MAX = 10**7
STREAMS_MAX = 1000
WIDTH_MAX = 0.34  # of a block, in lengths: what stands out over the course below is little
OWN_DICE = 2  # child of an episode's seed; 0 and 1 are the tower's and the player's


@dataclass(frozen=True, kw_only=True)
class Player:
    """Policy and rule of a player, and its share of the episodes."""

    policy: str = "random"
    rule: Literal["take", "stack"] = "take"
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class BlockSizes:
    """Ranges from which the size of an episode's blocks is drawn."""

    height: tuple[float, float] = (0.013, 0.020)  # [m]
    length: tuple[float, float] = (4.2, 5.5)  # in heights
    width: tuple[float, float] = (1.4, 1.8)  # in heights, at most `WIDTH_MAX` lengths

    def draw(self, rng: np.random.Generator) -> Vector:
        """Draw length, width and height [m]."""
        height, length, width = (rng.uniform(*ends) for ends in (self.height, self.length, self.width))
        return height * length, height * min(width, length * WIDTH_MAX), height


@dataclass(frozen=True, kw_only=True)
class Level:
    """Settings that the episodes of one level share. Ranges and lists are drawn from for each episode, by its own seed."""

    name: str
    episodes: int
    friction: tuple[float, float]  # range
    layers: tuple[tuple[int, float], ...] = ((18, 1.0),)  # height and its weight
    players: tuple[Player, ...] = (Player(),)
    stream: int = 0  # levels of one stream share towers and dice, number by number: pairs to compare. Not so those of two
    split: str | None = None  # all of them are in the split of this name; None: each is in train, val or test, by its seed
    config: EpisodeConfig = field(default_factory=default_episode)  # the rest
    sizes: BlockSizes | None = None  # of the blocks, one for all blocks of an episode; None: that of `config`

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise InvalidConfig(f"a level is named {self.name!r}; use small letters, digits, dots and dashes")
        if not is_whole(self.episodes) or not 1 <= self.episodes <= EPISODES_MAX:
            raise InvalidConfig(f"episodes is {self.episodes!r}; it must be a whole number, 1..{EPISODES_MAX}")
        if not is_whole(self.stream) or not 0 <= self.stream < STREAMS_MAX:
            raise InvalidConfig(f"stream is {self.stream!r}; it must be a whole number, 0..{STREAMS_MAX - 1}")
        low, high = self.friction
        if not is_number(low) or not is_number(high) or low > high:
            raise InvalidConfig(f"friction is {self.friction!r}; give a range, the smaller number first")
        weights = [weight for _, weight in self.layers] + [player.weight for player in self.players]
        if not self.layers or not self.players or not all(is_number(each) and 0 < each < math.inf for each in weights):
            raise InvalidConfig(f"level {self.name!r} has a list of layers or players that is empty or has a weight not above 0")
        for value in self.friction:
            for height, _ in self.layers:
                for player in self.players:
                    replace(self.config, friction=value, layers=height, policy=player.policy, rule=player.rule)


def draw_config(level: Level, seed: int) -> EpisodeConfig:
    """Draw the configuration of the episode with this seed. Every draw is made, also where there is nothing to choose."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(OWN_DICE,)))
    low, high = level.friction
    friction = low + (high - low) * rng.random()
    layers = pick([height for height, _ in level.layers], [weight for _, weight in level.layers], rng)
    player = pick(level.players, [player.weight for player in level.players], rng)
    config = replace(level.config, friction=friction, layers=layers, policy=player.policy, rule=player.rule)
    return config if level.sizes is None else replace(config, block_size=level.sizes.draw(rng))


def pick(items: Any, weights: list[float], rng: np.random.Generator) -> Any:
    """Pick one of `items`, by weight."""
    return items[int(np.searchsorted(np.cumsum(weights) / np.sum(weights), rng.random(), side="right"))]


def name_level(friction: tuple[float, float]) -> str:
    """Name a level by its friction: low, nominal, high, mu0.33, mu0.2-0.7."""
    low, high = friction
    names = {value: name for name, value in FRICTION_LEVELS.items()}
    return f"mu{low}-{high}" if low < high else names.get(low, f"mu{low}")


def nearest_level(friction: float) -> str:
    """Return the paper's level that is nearest to a friction."""
    return min(FRICTION_LEVELS, key=lambda name: abs(FRICTION_LEVELS[name] - friction))
