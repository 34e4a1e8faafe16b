"""Presets of levels by name, as `simulate` takes them: the paper's experiment, a small one, the mix to learn from."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from anastylosis.dataset.level import BlockSizes, Level, Player, name_level
from anastylosis.episode import FRICTION_LEVELS, EpisodeConfig, default_episode, learning_variation, paper_episode
from anastylosis.errors import InvalidInput
from anastylosis.structure import SHOP_BLOCK_SIZE

# Layers, episodes a friction and frictions of a preset, where nothing else is asked for.
PRESETS = {
    "default": (18, 1, "nominal"),
    "paper": (18, 150, "low,nominal,high"),
    "demo": (6, 20, "low,nominal,high"),
}
LEARN_EPISODES = 6000  # of the preset `learn`
FRESH = 200  # episodes of each test that training never sees
LEARN_FRICTION = (0.20, 0.70)
USUAL, LOWEST, HIGHEST = 18, 6, 24  # layers
USUAL_SHARE = 0.5  # of the usual height


def list_levels(
    preset: str = "default",
    episodes: int | None = None,
    *,
    layers: int | None = None,
    friction: str | None = None,
    policy: str | None = None,
    rule: str | None = None,
    vary: bool = False,
    solver: str = "ours",
) -> tuple[Level, ...]:
    """List the levels that a preset and the options beside it ask for."""
    if solver not in ("ours", "paper"):
        raise InvalidInput(f"--solver is {solver!r}; choose ours or paper")
    if preset in DRAWN:
        if vary or solver != "ours" or any(value is not None for value in (layers, friction, policy, rule)):
            raise InvalidInput(f"--preset {preset} takes --episodes and --seed alone; all else is drawn for each episode")
        return DRAWN[preset](episodes or LEARN_EPISODES)
    if preset not in PRESETS:
        raise InvalidInput(f"--preset is {preset!r}; choose one of {', '.join([*PRESETS, *DRAWN])}")
    usual_layers, usual_episodes, usual_friction = PRESETS[preset]
    settings: dict[str, Any] = {name: value for name, value in (("policy", policy), ("rule", rule)) if value is not None}
    player = Player(**settings)
    variation = {"variation": learning_variation()} if vary else {}
    config = (paper_episode if solver == "paper" else default_episode)(**variation)
    frictions = parse_frictions(usual_friction if friction is None else friction)
    return friction_levels(
        frictions, usual_episodes if episodes is None else episodes, usual_layers if layers is None else layers, player, config
    )


def parse_frictions(words: str) -> list[tuple[float, float]]:
    """Parse the ranges in a list such as `low,0.33,0.2..0.7`; one number is a range without width."""
    ranges: dict[tuple[float, float], str] = {}
    for word in (part.strip() for part in words.split(",")):
        ends = [parse_number(end) for end in word.split("..")]
        both = (ends[0], ends[-1])
        if None in both or len(ends) > 2:
            raise InvalidInput(
                f"--friction has {word!r}; use low, nominal, high, numbers or ranges such as 0.2..0.7, with commas between"
            )
        if both[0] > both[1]:  # type: ignore[operator]
            raise InvalidInput(f"--friction has {word!r}; the smaller number comes first")
        if both in ranges:
            raise InvalidInput(f"--friction has {both[0]:g} twice, as {ranges[both]!r} and {word!r}; name each once")
        ranges[both] = word  # type: ignore[index]
    return list(ranges)


def parse_number(word: str) -> float | None:
    """Parse a friction by name or number; None for what is neither."""
    try:
        return FRICTION_LEVELS.get(word) or float(word)
    except ValueError:
        return None


def paper_levels(episodes: int | None = None, layers: int | None = None) -> tuple[Level, ...]:
    """Return the paper's experiment: its three frictions and its player. Paper §13."""
    return list_levels("paper", episodes, layers=layers)


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


def learn_levels(episodes: int = LEARN_EPISODES) -> tuple[Level, ...]:
    """Return the mix to learn from, `learn`, and five tests out of its range, with splits and towers of their own.

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
        test(name="shop", split="test-shop", config=replace(config, block_size=SHOP_BLOCK_SIZE)),
    )


def size_levels(episodes: int = LEARN_EPISODES) -> tuple[Level, ...]:
    """Return the mix `learn` with a block size drawn for each tower; it has no test splits of its own."""
    usual = learn_levels(episodes)[0]
    return (replace(usual, name="sizes", stream=2, sizes=BlockSizes()),)


DRAWN: dict[str, Callable[[int], tuple[Level, ...]]] = {"learn": learn_levels, "sizes": size_levels}
