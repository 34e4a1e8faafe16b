"""Move panels: pull forces, risk, moves that bring a torque, and how often each kind is the last."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from anastylosis.mechanics import push_force_slide, push_force_torque
from anastylosis.report.games import KINDS, RISKS
from anastylosis.report.panels.marks import (
    INK,
    SMALL,
    any_pulls,
    mark_interval,
    mark_spread,
    percentages,
    plain_log,
    say,
    set_rows,
)
from anastylosis.report.panels.series import Series
from anastylosis.report.summary import percent, share_torque, summarise_moves
from anastylosis.units import newtons_to_millinewtons
from anastylosis.validation import Interval

MILLINEWTONS = newtons_to_millinewtons(1.0)
WAYS = {"center_xaxis": "centre,\nalong", "side_yaxis": "side,\nalong", "side_xaxis": "side,\nacross"}
GREYS = {"low": ("#dedede", INK), "medium": ("#9c9c9c", INK), "high": ("#4a4a4a", "white")}  # bar, words on it
WIDE = 6  # [%] a part of a bar that has room for its number


def draw_forces(axes: Axes, series: Sequence[Series]) -> None:
    """Draw Ziglar's two thresholds beside the force that the hand felt."""
    axes.set_title("Ziglar's thresholds and the force felt")
    axes.set_xlabel("mN, of blocks that came out")
    set_rows(axes, [each.label for each in series])
    axes.set_xscale("log")
    for row, each in enumerate(series):
        games = each.games
        slide, torque = (MILLINEWTONS * push(games.friction, games.mass) for push in (push_force_slide, push_force_torque))
        for forces, marker, y in ((slide, "|", row - 0.3), (torque, "x", row - 0.12)):
            axes.plot([forces.min(), forces.max()], [y, y], color=INK, linewidth=1)
            axes.plot([forces.mean()], [y], marker, color=INK, markersize=6, markeredgewidth=1.5)
        if row == 0:
            words: dict[str, Any] = dict(textcoords="offset points", va="center", fontsize=SMALL, color=INK)
            axes.annotate("3μmg", (slide.min(), row - 0.3), (-6, 0), ha="right", **words)
            axes.annotate("4μmg", (torque.max(), row - 0.12), (6, 0), ha="left", **words)
        felt = games.force[(games.outcome == "out") & (games.force > 0)]
        mark_spread(axes, MILLINEWTONS * felt, row + 0.18, each.colour, label="" if row else "felt")
    left, right = axes.get_xlim()
    axes.set_xlim(left / 1.8, right)  # room for the words
    plain_log(axes)


def draw_risks(axes: Axes, series: Sequence[Series]) -> None:
    """Draw the shares of pulls with low, medium and high risk."""
    axes.set_title("Risk of the pulls")
    axes.set_xlabel("% of pulls, rated as in the paper")
    if not any_pulls(series):
        return say(axes, "no pulls")
    set_rows(axes, [each.label for each in series], head=True)
    axes.grid(visible=False)
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 25))
    middle = 50.0
    for row, each in enumerate(series):
        left = 0.0
        for risk in RISKS if len(each.games.risk) else ():
            share = 100 * float(np.mean(each.games.risk == risk))
            bar, ink = GREYS[risk]
            axes.barh(row, share, left=left, height=0.62, color=bar, edgecolor="white", linewidth=0.8)
            if share >= WIDE:
                axes.text(left + share / 2, row, f"{share:.0f}", ha="center", va="center", fontsize=SMALL, color=ink)
            if (row, risk) == (0, "medium"):
                middle = min(max(left + share / 2, 25.0), 75.0)
            left += share
    for x, side, risk in ((0, "left", "low"), (middle, "center", "medium"), (100, "right", "high")):
        axes.annotate(risk, (x, -0.31), (0, 3), textcoords="offset points", ha=side, va="bottom", fontsize=SMALL, color=INK)


def draw_torques(axes: Axes, series: Sequence[Series]) -> None:
    """Draw the share of rounds in which a side block was pulled across."""
    axes.set_title("Moves with a torque")
    axes.set_xlabel("% of rounds (side block, across), 95 % interval")
    if not any_pulls(series):
        return say(axes, "no pulls")
    set_rows(axes, [each.label for each in series])
    percentages(axes)
    for row, each in enumerate(series):
        share = percent(share_torque(each.games))
        mark_interval(axes, share, row, each.colour, f"{share.value:.0f} %")


def draw_kinds(axes: Axes, series: Sequence[Series]) -> None:
    """Draw how often a round of each kind was the last."""
    axes.set_title("Falls by kind of move")
    axes.set_xlabel("% of its rounds, with 95 % interval")
    if not any_pulls(series):
        return say(axes, "no pulls")
    set_rows(axes, [WAYS[kind] for kind in KINDS])
    step = 0.7 / len(series)
    highest = 0.0
    for number, each in enumerate(series):
        for row, move in enumerate(summarise_moves(each.games)[: len(KINDS)]):
            rate = Interval(move.collapse_percent, move.collapse_low_percent, move.collapse_high_percent)
            mark_interval(axes, rate, row + (number - (len(series) - 1) / 2) * step, each.colour, size=5)
            highest = max(highest, 0.0 if np.isnan(rate.value) else rate.high)
    axes.set_xlim(-0.03 * highest, 1.03 * max(highest, 1.0))
