"""The summary against tables that are counted by hand, against the rows of a real dataset, and what it refuses."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.report.games import read_games, split_levels
from anastylosis.report.summary import summarise, summarise_level, summarise_moves
from anastylosis.validation.interval import Interval
from support.handwritten_games import ACROSS, ALONG, CENTRE, FALLS, STANDS, make_games


def test_a_level_counted_by_hand() -> None:
    row = summarise_level(make_games(FALLS, STANDS))
    assert (row.level, row.episodes, row.collapsed, row.rounds, row.stuck) == ("low", 2, 1, 4, 1)
    assert (row.friction, row.friction_low, row.friction_high) == (0.4, 0.4, 0.4)
    assert row[6:9] == pytest.approx([100 * part for part in Interval.wilson(1, 2)])
    # Rounds are 3 and 1. A draw of the two games has one of them twice in a quarter of all cases each.
    assert (row.rounds_mean, row.rounds_low, row.rounds_high) == (2.0, 1.0, 3.0)
    # Torque moves: 2 of 3 and 0 of 1.
    assert (row.torque_moves_percent, row.torque_moves_low_percent) == (50.0, 0.0)
    assert row.torque_moves_high_percent == pytest.approx(200 / 3)
    assert (row.stuck_percent, row.stuck_low_percent, row.stuck_high_percent) == (20.0, 0.0, 25.0)
    # Felt, where the block came out: 0.5, 1.0 and 0.3 N.
    assert (row.force_felt_mN, row.force_felt_low_mN, row.force_felt_high_mN) == pytest.approx((600, 300, 750))


@pytest.mark.parametrize(("friction", "slide", "torque"), [(0.25, 144.2, 192.3), (0.40, 230.7, 307.6), (0.60, 346.1, 461.5)])
def test_forces_are_those_of_the_papers_table(friction: float, slide: float, torque: float) -> None:
    row = summarise_level(make_games(FALLS, friction=friction))
    assert row.force_min_mN == row.force_min_low_mN == row.force_min_high_mN == pytest.approx(slide, abs=0.05)
    assert row.force_torque_mN == pytest.approx(torque, abs=0.05)


def test_a_level_of_many_frictions_has_their_range() -> None:
    games = make_games(FALLS, STANDS)._replace(friction=np.array([0.2, 0.6]))
    row = summarise_level(games)
    assert (row.friction, row.friction_low, row.friction_high) == pytest.approx((0.4, 0.2, 0.6))
    assert (row.force_min_low_mN, row.force_min_high_mN) == pytest.approx((230.73 / 2, 230.73 * 1.5), abs=0.01)


def test_moves_counted_by_hand() -> None:
    rows = {row.kind: row for row in summarise_moves(make_games(FALLS, STANDS))}
    counts = {kind: (row.rounds, row.collapsed, row.stuck) for kind, row in rows.items()}
    assert counts == {CENTRE: (1, 0, 1), ALONG: (1, 0, 0), ACROSS: (2, 1, 0), "all": (4, 1, 1)}
    across = rows[ACROSS]
    assert (across.collapse_percent, across.collapse_low_percent, across.collapse_high_percent) == pytest.approx(
        [100 * part for part in Interval.wilson(1, 2)]
    )


def test_what_cannot_be_estimated_is_not_a_number() -> None:
    row = summarise_level(make_games(()))  # one game, no pull
    assert (row.episodes, row.rounds, row.rounds_mean) == (1, 0, 0.0)
    unknown = (row.rounds_low, row.force_felt_mN, row.torque_moves_percent, row.torque_moves_low_percent, row.stuck_percent)
    assert all(map(math.isnan, unknown))
    assert math.isnan(summarise_moves(make_games(()))[0].collapse_percent)


def test_a_real_dataset_row_by_row(two_levels: Path) -> None:
    dataset = Dataset(two_levels)
    summary = summarise(dataset)
    assert [(row.level, row.friction, row.episodes) for row in summary.levels] == [("low", 0.25, 3), ("nominal", 0.4, 3)]
    rounds = dataset.read("rounds").to_pylist()
    episodes = dataset.read("episodes").to_pylist()
    for row in summary.levels:
        free = [played for played in rounds if played["level"] == row.level and played["outcome"] != "stuck"]
        assert row.rounds == len(free) > 0
        assert row.rounds_mean == pytest.approx(len(free) / 3)
        assert row.collapsed == sum(each["collapsed"] for each in episodes if each["level"] == row.level)
        assert row.torque_moves_percent == pytest.approx(100 * np.mean([played["ziglar_torque"] for played in free]))
        out = [played for played in free if played["outcome"] == "out"]
        assert row.force_felt_mN == pytest.approx(1000 * np.mean([played["force_peak"] for played in out]))
        slides = {round(1000 * played["ziglar_force"], 6) for played in free if not played["ziglar_torque"]}
        assert slides == {round(row.force_min_mN, 6)}  # each pull was given the same threshold when it was played
    for move in summary.moves:
        own = [each for each in rounds if each["level"] == move.level and move.kind in (each["ziglar_type"], "all")]
        fell, stuck = (sum(each["outcome"] == outcome for each in own) for outcome in ("collapse", "stuck"))
        assert (move.rounds, move.collapsed, move.stuck) == (len(own) - stuck, fell, stuck)


def test_games_are_the_same_in_any_order_of_rounds(two_levels: Path) -> None:
    dataset = Dataset(two_levels)
    episodes, rounds = dataset.read("episodes"), dataset.read("rounds")
    backwards = rounds.take(list(range(len(rounds)))[::-1])
    for one, other in zip(read_games(dataset), split_levels(episodes, backwards), strict=True):
        assert summarise_level(one)[:13] == summarise_level(other)[:13]


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("rounds", "outcome", "lost", "outcome is 'lost', not one of out, stuck, collapse"),
        ("rounds", "ziglar_type", None, "ziglar_type is None"),
        ("rounds", "force_peak", math.nan, "force_peak is not everywhere a number"),
        ("rounds", "angle_peak", None, "angle_peak is not everywhere a number"),
        ("rounds", "episode", "low_exp_9999", "a round belongs to no episode"),
        ("episodes", "episode", "low_exp_0001", "two episodes have one name"),
        ("episodes", "friction", -0.4, "friction is not everywhere a number, 0 or more"),
        ("episodes", "collapsed", None, "collapsed is not everywhere"),
        ("episodes", "masses", [], "masses are not everywhere numbers above 0"),
        ("episodes", "masses", [0.02, None], "masses are not everywhere numbers above 0"),
    ],
)
def test_tables_that_cannot_be_true_are_refused(two_levels: Path, table: str, column: str, value: object, message: str) -> None:
    dataset = Dataset(two_levels)
    tables = {name: dataset.read(name) for name in ("episodes", "rounds")}
    rows = tables[table].column(column).to_pylist()
    rows[0] = value
    place = tables[table].schema.get_field_index(column)
    field = tables[table].schema.field(column)
    tables[table] = tables[table].set_column(place, field, pa.array(rows, field.type))
    with pytest.raises(InvalidInput, match=message):
        split_levels(tables["episodes"], tables["rounds"])


def test_a_margin_may_be_missing(two_levels: Path) -> None:
    dataset = Dataset(two_levels)
    rounds = dataset.read("rounds")
    place = rounds.schema.get_field_index("margin_before")
    empty = rounds.set_column(place, rounds.schema.field(place), pa.nulls(len(rounds), pa.float64()))
    assert all(np.isnan(games.margin).all() for games in split_levels(dataset.read("episodes"), empty))
