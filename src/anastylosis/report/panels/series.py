"""Series: a level with the colour and the words that stand for it in every panel."""

from typing import NamedTuple

from matplotlib import colormaps
from matplotlib.colors import to_hex

from anastylosis.report.games import Games

# Okabe and Ito (2008), told apart with any kind of colour vision; without yellow, which is too light for lines.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#444444")


class Series(NamedTuple):
    """One level in the dashboard."""

    games: Games
    colour: str
    label: str  # at its row: short
    friction: str  # 0.25, or 0.20-0.70


def make_series(levels: list[Games]) -> list[Series]:
    """Make one series for each level; where there are more than colours, shades from dark to light by friction."""
    colours = list(COLOURS)
    if len(levels) > len(COLOURS):
        order = sorted(range(len(levels)), key=lambda row: levels[row].friction.mean())
        scale = colormaps["viridis"]
        colours = [to_hex(scale(0.85 * order.index(row) / (len(levels) - 1))) for row in range(len(levels))]
    return [
        Series(games, colour, games.level, format_friction_range(games)) for games, colour in zip(levels, colours, strict=False)
    ]  # fmt: skip


def format_friction_range(games: Games) -> str:
    low, high = (f"{value:.2f}" for value in (games.friction.min(), games.friction.max()))
    return low if low == high else f"{low}–{high}"
