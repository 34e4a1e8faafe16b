"""Level list: the levels of a dataset by the name of a preset and a few words, as `simulate` takes them."""

from typing import Any

from anastylosis.dataset.level import Level, Player
from anastylosis.dataset.preset import friction_levels, learn_levels
from anastylosis.episode import FRICTION_LEVELS, default_episode, learning_variation, paper_episode
from anastylosis.errors import InvalidInput

# Layers, episodes a friction and frictions of a preset, where nothing else is asked for.
PRESETS = {
    "default": (18, 1, "nominal"),
    "paper": (18, 150, "low,nominal,high"),
    "demo": (6, 20, "low,nominal,high"),
}
LEARN_EPISODES = 6000  # of the preset `learn`


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
    if preset == "learn":
        if vary or solver != "ours" or any(value is not None for value in (layers, friction, policy, rule)):
            raise InvalidInput("--preset learn takes --episodes and --seed alone; all else is drawn for each episode")
        return learn_levels(episodes or LEARN_EPISODES)
    if preset not in PRESETS:
        raise InvalidInput(f"--preset is {preset!r}; choose one of {', '.join([*PRESETS, 'learn'])}")
    usual_layers, usual_episodes, usual_friction = PRESETS[preset]
    told: dict[str, Any] = {name: value for name, value in (("policy", policy), ("rule", rule)) if value is not None}
    player = Player(**told)
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
