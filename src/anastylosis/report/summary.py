"""Summary: the paper's table of results (§13), filled, and how often each kind of move brings the tower down.

A *round* is a pull that was not stuck; stuck pulls are counted on their own. Intervals are 95 %:

- Wilson for what happens once: a tower falls or not, and a pull is the last one or not (a game goes on only after a pull
  that was not, so the pulls of one game do not repeat each other).
- A seeded bootstrap over episodes for means, and for shares of rounds: the rounds of one game are about one tower.

F_min and F_torque are closed forms, not estimates: 3 and 4 mu m g with the friction of the episode and the mean mass of its
blocks (paper Eqs. 8 and 9). Their low and high are the smallest and largest episode, as are those of friction.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.dataset import Dataset
from anastylosis.mechanics import push_force_slide, push_force_torque
from anastylosis.report.games import KINDS, Games, read_games
from anastylosis.units import newtons_to_millinewtons
from anastylosis.validation import Interval

TORQUE = "side_xaxis"  # the kind of move that brings a torque. Paper §5.4


class LevelRow(NamedTuple):
    """One level of friction: a line of the paper's table."""

    level: str
    friction: float  # mean of the episodes
    friction_low: float
    friction_high: float
    episodes: int
    collapsed: int
    collapsed_percent: float
    collapsed_low_percent: float
    collapsed_high_percent: float
    rounds: int  # of all episodes
    rounds_mean: float  # of an episode
    rounds_low: float
    rounds_high: float
    force_min_mN: float
    force_min_low_mN: float
    force_min_high_mN: float
    force_torque_mN: float
    force_torque_low_mN: float
    force_torque_high_mN: float
    force_felt_mN: float  # mean of the largest force of the hand, blocks that came out
    force_felt_low_mN: float
    force_felt_high_mN: float
    torque_moves_percent: float  # of rounds
    torque_moves_low_percent: float
    torque_moves_high_percent: float
    stuck: int  # pulls
    stuck_percent: float  # of all pulls
    stuck_low_percent: float
    stuck_high_percent: float

    def abridge(self) -> dict[str, Any]:
        """Return the columns that fit a terminal of 80 characters: the interval under the number."""
        friction = f"{self.friction:.2f}"
        if self.friction_low < self.friction_high:
            friction = f"{self.friction_low:.2f}-\n{self.friction_high:.2f}"
        fell = format_range(self.collapsed_low_percent, self.collapsed_high_percent, 0)
        torque = (self.torque_moves_percent, self.torque_moves_low_percent, self.torque_moves_high_percent)
        return {
            "level": self.level,
            "μ": friction,
            "fell": f"{self.collapsed}/{self.episodes}\n{fell} %",
            "rounds": format_estimate(self.rounds_mean, self.rounds_low, self.rounds_high, 1),
            "F_min": f"{self.force_min_mN:.1f}",
            "F_τ": f"{self.force_torque_mN:.1f}",
            "felt": format_estimate(self.force_felt_mN, self.force_felt_low_mN, self.force_felt_high_mN, 0),
            "torque": format_estimate(*torque, 0),
            "stuck": f"{self.stuck}\n{format_range(self.stuck_low_percent, self.stuck_high_percent, 0)} %",
        }


class MoveRow(NamedTuple):
    """One kind of move at one level: how many of its rounds were the last one."""

    level: str
    kind: str
    rounds: int
    collapsed: int
    collapse_percent: float
    collapse_low_percent: float
    collapse_high_percent: float
    stuck: int  # pulls of that kind

    def abridge(self) -> dict[str, Any]:
        """Return the columns for a terminal: share and interval in one."""
        bounds = format_range(self.collapse_low_percent, self.collapse_high_percent, 1)
        return {
            "level": self.level,
            "kind of move": self.kind,
            "fell": f"{self.collapsed} of {self.rounds} rounds",
            "share [%]": "-" if math.isnan(self.collapse_percent) else f"{self.collapse_percent:.1f} ({bounds})",
            "stuck": self.stuck,
        }


class Summary(NamedTuple):
    """The tables of a dataset."""

    levels: tuple[LevelRow, ...]
    moves: tuple[MoveRow, ...]


def summarise(dataset: Dataset) -> Summary:
    """Summarise what is finished in a dataset."""
    games = read_games(dataset)
    return Summary(tuple(map(summarise_level, games)), tuple(row for each in games for row in summarise_moves(each)))


def summarise_level(games: Games) -> LevelRow:
    """Summarise one level."""
    count, fallen = len(games.fell), int(games.fell.sum())
    free, out, stuck = games.free, games.outcome == "out", games.outcome == "stuck"
    rounds, ones = games.per_episode(free), np.ones(count)
    felt = Interval.bootstrap_ratio(games.per_episode(out, games.force), games.per_episode(out))
    return LevelRow(
        games.level,
        *spread(games.friction),
        count,
        fallen,
        *percent(Interval.wilson(fallen, count)),
        int(rounds.sum()),
        *Interval.bootstrap_ratio(rounds, ones),
        *millinewtons(spread(push_force_slide(games.friction, games.mass))),
        *millinewtons(spread(push_force_torque(games.friction, games.mass))),
        *millinewtons(felt),
        *percent(share_torque(games)),
        int(stuck.sum()),
        *percent(Interval.bootstrap_ratio(games.per_episode(stuck), games.per_episode(np.ones_like(stuck)))),
    )


def share_torque(games: Games) -> Interval:
    """Return the share of rounds that brought a torque."""
    return Interval.bootstrap_ratio(games.per_episode(games.free & (games.kind == TORQUE)), games.per_episode(games.free))


def summarise_moves(games: Games) -> list[MoveRow]:
    """Summarise the kinds of moves at one level; `all` of them last."""
    rows = []
    for kind in (*KINDS, "all"):
        chosen = (games.kind == kind) | (kind == "all")
        rounds, fatal = int((chosen & games.free).sum()), int((chosen & games.fatal).sum())
        stuck = int((chosen & ~games.free).sum())
        rows.append(MoveRow(games.level, kind, rounds, fatal, *percent(Interval.wilson(fatal, rounds)), stuck))
    return rows


def spread(values: NDArray[np.float64]) -> Interval:
    """Return mean, smallest and largest; of equal values exactly that value."""
    low, high = float(values.min()), float(values.max())
    return Interval(low if low == high else float(values.mean()), low, high)


def percent(rate: Interval) -> Interval:
    return Interval(*(100 * part for part in rate))


def millinewtons(force: Interval) -> Interval:
    return Interval(*map(newtons_to_millinewtons, force))


def format_estimate(value: float, low: float, high: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}\n{format_range(low, high, decimals)}"


def format_range(low: float, high: float, decimals: int) -> str:
    return "-" if math.isnan(low) else f"{low:.{decimals}f}-{high:.{decimals}f}"
