"""Games: what the summary and the dashboard take from a dataset, level by level, as arrays. A file on disk may say anything."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.mechanics import KINDS, RISKS
from anastylosis.structure import LAYERS_MAX

OUTCOMES = ("out", "stuck", "collapse")

EPISODE_NUMBERS = ("friction", "layers", "blocks_on_floor")
ROUND_NUMBERS = ("layer", "force_peak", "kinetic_energy_peak", "displacement_peak", "angle_peak")
MARGINS = ("margin_before", "interface_margin_before")  # null where the tower has no such polygon
WORDS = {"outcome": OUTCOMES, "ziglar_type": KINDS, "ziglar_risk": RISKS}

Column = NDArray[Any]


class Games(NamedTuple):
    """The games of one level. SI units; each column has an item an episode, or an item a pull."""

    level: str
    friction: Column  # an item an episode, down to `fell`
    mass: Column  # mean of its blocks [kg]
    layers: Column
    blocks_on_floor: Column
    fell: Column
    episode: Column  # row of the episode; an item a pull, from here on
    outcome: Column
    kind: Column
    risk: Column
    layer: Column
    force: Column  # largest that the hand felt [N]
    energy: Column  # largest kinetic energy [J]
    displacement: Column  # largest of a block not in the hand [m]
    angle: Column  # largest of the same [rad]
    margin: Column  # over the ground polygon, before the pull [m]
    interface_margin: Column  # smallest of all interfaces, before the pull [m]

    @property
    def free(self) -> Column:
        """Mark pulls that were not stuck; the summary counts these as rounds."""
        return self.outcome != "stuck"

    @property
    def fatal(self) -> Column:
        """Mark pulls at which the tower fell."""
        return self.outcome == "collapse"

    def per_episode(self, pulls: Column, weights: Column | None = None) -> Column:
        """Count the given pulls in each episode, or sum their weights."""
        chosen = None if weights is None else weights[pulls]
        return np.bincount(self.episode[pulls], weights=chosen, minlength=len(self.fell))


def read_games(dataset: Dataset) -> list[Games]:
    """Read every level of which episodes are there, in the order of the manifest."""
    episodes = dataset.read("episodes", ["episode", "level", "collapsed", "masses", *EPISODE_NUMBERS])
    rounds = dataset.read("rounds", ["episode", *WORDS, *ROUND_NUMBERS, *MARGINS])
    try:
        return split_levels(episodes, rounds)
    except InvalidInput as error:
        raise InvalidInput(f"{dataset.folder} cannot be read: {error}; run `anastylosis verify` on it") from error


def split_levels(episodes: pa.Table, rounds: pa.Table) -> list[Games]:
    """Split the two tables into games, level by level."""
    names = take_words(episodes, "episode")
    rows = {name: row for row, name in enumerate(names)}
    if len(rows) < len(names):
        raise InvalidInput("two episodes have one name")
    owners = [rows.get(name) for name in take_words(rounds, "episode")]
    if None in owners:
        raise InvalidInput("a round belongs to no episode")
    owner = np.array(owners, dtype=np.int64)
    levels = take_words(episodes, "level")
    each = {name: take_numbers(episodes, name) for name in EPISODE_NUMBERS}
    if (each["layers"] > LAYERS_MAX).any() or (each["layers"] < 1).any():
        raise InvalidInput(f"layers is not everywhere 1..{LAYERS_MAX}")
    each |= {"mass": mean_masses(episodes), "fell": take_numbers(episodes, "collapsed").astype(bool)}
    pull = {name: take_words(rounds, name, known) for name, known in WORDS.items()}
    pull |= {name: take_numbers(rounds, name) for name in ROUND_NUMBERS}
    pull |= {name: rounds.column(name).to_numpy().astype(float) for name in MARGINS}
    return [
        build_level(level, each, pull, owner, np.flatnonzero(levels == level))
        for level in dict.fromkeys(levels.tolist())
    ]  # fmt: skip


def build_level(level: str, each: Mapping[str, Column], pull: Mapping[str, Column], owner: Column, rows: Column) -> Games:
    """Build the games of the episodes in these rows."""
    place = np.full(len(each["fell"]), -1)
    place[rows] = np.arange(len(rows))
    own = place[owner] >= 0
    mine = {name: values[own] for name, values in pull.items()}
    return Games(
        level=level,
        **{name: values[rows] for name, values in each.items()},
        episode=place[owner][own],
        outcome=mine["outcome"],
        kind=mine["ziglar_type"],
        risk=mine["ziglar_risk"],
        layer=mine["layer"].astype(int),
        force=mine["force_peak"],
        energy=mine["kinetic_energy_peak"],
        displacement=mine["displacement_peak"],
        angle=mine["angle_peak"],
        margin=mine["margin_before"],
        interface_margin=mine["interface_margin_before"],
    )


def take_words(table: pa.Table, name: str, known: tuple[str, ...] = ()) -> Column:
    """Return a column of words; refuse it where one is missing or unknown."""
    words = np.array(table.column(name).to_pylist(), dtype=object)
    wrong = [word for word in set(words.tolist()) if word is None or (known and word not in known)]
    if wrong:
        raise InvalidInput(f"{name} is {wrong[0]!r}" + (f", not one of {', '.join(known)}" if known else ""))
    return words


def take_numbers(table: pa.Table, name: str) -> Column:
    """Return a column of numbers; refuse it where one is missing, not finite or below 0."""
    column = table.column(name)
    numbers = column.to_numpy().astype(float)
    if column.null_count or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise InvalidInput(f"{name} is not everywhere a number, 0 or more")
    return numbers


def mean_masses(table: pa.Table) -> Column:
    """Return the mean mass of the blocks of each episode [kg]."""
    column = table.column("masses").combine_chunks()
    owner, masses = pc.list_parent_indices(column).to_numpy(), pc.list_flatten(column).to_numpy(zero_copy_only=False)
    counts = np.bincount(owner, minlength=len(column))
    if (counts == 0).any() or not np.isfinite(masses).all() or (masses <= 0).any():
        raise InvalidInput("masses are not everywhere numbers above 0")
    return np.bincount(owner, weights=masses, minlength=len(column)) / counts
