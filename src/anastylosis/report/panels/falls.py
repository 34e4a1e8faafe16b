"""Fall panels: towers that fell, after how many rounds, where blocks were pulled, and blocks on the floor."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from anastylosis.report.panels.marks import MANY, any_pulls, list_words, mark_interval, mark_spread, percentages, say, set_rows
from anastylosis.report.panels.series import Series
from anastylosis.report.summary import percent
from anastylosis.validation import Interval

LATE = 40  # [%] of towers that stand in the middle of the time: the top right corner is not free
BANDS = 10  # of height, where towers are not all alike


def draw_collapses(axes: Axes, series: Sequence[Series]) -> None:
    """Draw the share of towers that fell, at each level."""
    axes.set_title("Towers that fell")
    axes.set_xlabel("% of games, with 95 % interval")
    set_rows(axes, [f"{each.label}\nμ {each.friction}" if len(series) <= MANY else each.label for each in series])
    percentages(axes)
    for row, each in enumerate(series):
        fell, count = int(each.games.fell.sum()), len(each.games.fell)
        mark_interval(axes, percent(Interval.wilson(fell, count)), row, each.colour, f"{fell} of {count}")


def draw_standing(axes: Axes, series: Sequence[Series]) -> None:
    """Draw the share of towers that stand after each round, and the mean number of rounds."""
    axes.set_title("Towers still standing")
    axes.set_xlabel("after so many rounds")
    axes.set_ylabel("% of towers")
    means = []
    longest = max(int(each.games.per_episode(each.games.free).max()) for each in series)
    after, late = np.arange(longest + 2), 0.0
    for each in series:
        rounds, fell = each.games.per_episode(each.games.free), each.games.fell
        standing = 100 * np.mean(~fell[:, None] | (rounds[:, None] > after), axis=0)
        axes.plot(after, standing, color=each.colour, linewidth=2, drawstyle="steps-post")
        late = max(late, standing[len(after) // 2])
        means.append((each.colour, f"{each.label} {format_interval(Interval.bootstrap_ratio(rounds, np.ones(len(rounds))))}"))
    axes.set_ylim(0, 105)
    axes.set_xlim(0, longest + 1)
    if len(series) <= MANY:
        list_words(axes, "mean rounds", means, low=late > LATE)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))


def draw_layers(axes: Axes, series: Sequence[Series]) -> None:
    """Draw the layers from which blocks were pulled; for towers of several heights, the tenth of the height."""
    axes.set_title("Where blocks were pulled out")
    axes.set_xlabel("% of rounds")
    if not any_pulls(series):
        return say(axes, "no pulls")
    heights = np.unique(np.concatenate([each.games.layers for each in series]))
    alike = len(heights) == 1
    count = int(heights[0]) if alike else BANDS
    reached = 1 + max(int(each.games.layer.max(initial=0)) for each in series) if alike else BANDS
    axes.set_ylabel("layer, 0 on the floor" if alike else "height, % of the tower")
    for each in series:
        games = each.games
        free = games.free
        if not free.any():
            continue
        layers = games.layer[free]
        bands = layers if alike else np.minimum((layers + 0.5) / games.layers[games.episode[free]] * BANDS, BANDS - 1).astype(int)
        shares = 100 * np.bincount(np.minimum(bands, count - 1), minlength=count) / free.sum()
        middles = np.arange(count) if alike else (np.arange(count) + 0.5) * 100 / BANDS
        axes.plot(shares[:reached], middles[:reached], "o-", color=each.colour, linewidth=1.4, markersize=3.5)
    axes.set_xlim(left=0)
    axes.set_ylim(*((-0.5, count - 0.5) if alike else (0, 100)))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))


def draw_floor(axes: Axes, series: Sequence[Series]) -> None:
    """Draw how many blocks a fall brings to the floor."""
    axes.set_title("Blocks on the floor after a fall")
    axes.set_xlabel("blocks")
    if not any(each.games.fell.any() for each in series):
        return say(axes, "no tower fell")
    set_rows(axes, [each.label for each in series])
    for row, each in enumerate(series):
        mark_spread(axes, each.games.blocks_on_floor[each.games.fell], row, each.colour)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))


def format_interval(mean: Interval) -> str:
    """Return a mean with its interval, where there is one, as text."""
    value, low, high = mean
    return f"{value:.1f}" if np.isnan(low) else f"{value:.1f} ({low:.1f}–{high:.1f})"
