"""The experiments on the paper's claims: the same tower, played on in several ways."""

from anastylosis.episode import EpisodeConfig
from anastylosis.episode.play import play_round, start_game
from anastylosis.episode.pulls import Pull
from tools.measure_claims import compare_moves, play_game, vanish

SMALL = EpisodeConfig(layers=6)


def test_a_game_is_a_row_a_pull() -> None:
    rows = play_game(SMALL, 1)
    assert [row["round"] for row in rows] == list(range(len(rows)))
    assert [row["outcome"] for row in rows[:-1]] == ["out"] * (len(rows) - 1)
    assert {row["ending"] for row in rows} == {"collapse"}


def test_ways_start_from_the_same_tower() -> None:
    rows = next(rows for seed in range(20) if len(rows := compare_moves(SMALL, seed)) == 8)
    block = {row["way"]: row["block"] for row in rows}
    assert block["any_x"] == block["any_y"] == block["any_gone"]
    assert block["full_x"] == block["full_y"] == block["full_gone"]
    assert block["full_centre"] == block["full_centre_gone"] == block["full_x"][:-1] + "1"
    assert compare_moves(SMALL, rows[0]["seed"]) == rows  # a branch leaves no trace in the tower it came from


def test_a_block_that_vanishes_may_take_the_tower_with_it() -> None:
    game, _ = start_game(SMALL, 0)
    assert vanish(game, "L02_1") == "out"
    assert play_round(game, Pull("L02_0", "x", -1)).outcome == "collapse"  # one side is left
    game, _ = start_game(SMALL, 0)
    assert [vanish(game, "L02_1"), vanish(game, "L02_0")] == ["out", "collapse"]
