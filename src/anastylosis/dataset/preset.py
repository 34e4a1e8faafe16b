"""Presets of levels: the paper's experiment, a small one, and the mix to learn from."""

from dataclasses import replace
from functools import partial

from anastylosis.dataset.level import Level, Player, name_level
from anastylosis.episode import FRICTION_LEVELS, EpisodeConfig, default_episode, learning_variation

__all__ = ["FRESH", "friction_levels", "learn_levels", "paper_levels"]

FRESH = 200  # episodes of each test that training never sees
LEARN_FRICTION = (0.20, 0.70)
USUAL, LOWEST, HIGHEST = 18, 6, 24  # layers
USUAL_SHARE = 0.5  # of the usual height


def paper_levels(episodes: int = 150, layers: int = 18) -> tuple[Level, ...]:
    """Return the paper's experiment: its three frictions and its player. Paper §13."""
    return friction_levels([(value, value) for value in FRICTION_LEVELS.values()], episodes, layers)


def friction_levels(
    frictions: list[tuple[float, float]],
    episodes: int,
    layers: int = 18,
    player: Player | None = None,
    config: EpisodeConfig | None = None,
) -> tuple[Level, ...]:
    """Return a level for each friction, or range of it; all else the same."""
    return tuple(
        Level(
            name=name_level(friction), episodes=episodes, friction=friction, layers=((layers, 1.0),),
            players=(player or Player(),), config=config or default_episode(),
        )
        for friction in frictions
    )  # fmt: skip


def learn_levels(episodes: int = 6000) -> tuple[Level, ...]:
    """Return the mix to learn from, `learn`, and four tests out of its range, with splits and towers of their own.

    Blocks differ, heights differ, three kinds of players: a model that has seen one exact simulator only fails on any other.
    """
    config = default_episode(variation=learning_variation())
    heights = range(LOWEST, HIGHEST + 1)
    others = tuple((height, (1 - USUAL_SHARE) / (len(heights) - 1)) for height in heights if height != USUAL)
    players = (Player(policy="random"), Player(policy="careful"), Player(policy="random", rule="stack"))
    usual = Level(
        name="learn", episodes=episodes, friction=LEARN_FRICTION, layers=((USUAL, USUAL_SHARE), *others), players=players,
        config=config,
    )  # fmt: skip
    test = partial(replace, replace(usual, layers=((USUAL, 1.0),), episodes=min(FRESH, episodes), stream=1))
    return (
        usual,
        test(name="tall", split="test-tall", layers=((30, 1.0),)),
        test(name="slippery", split="test-slippery", friction=(0.15, 0.15)),
        test(name="rough", split="test-rough", friction=(0.80, 0.80)),
        test(name="greedy", split="test-greedy", players=(Player(policy="greedy-side"),)),
    )
