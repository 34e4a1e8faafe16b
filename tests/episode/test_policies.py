"""Policies: who is likely to take what."""

import importlib
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from anastylosis.episode import Pull, policies, run_episode
from anastylosis.episode.policies import find_policy, policy_names
from anastylosis.episode.pulls import GameView, list_pulls
from anastylosis.errors import InvalidInput
from anastylosis.mechanics import classify_move
from anastylosis.structure import Structure, jenga_tower
from support.games import config


def view_of(structure: Structure, protected_layers: int = 2) -> GameView:
    return GameView(structure, list_pulls(structure, protected_layers))


def draws(policy: str, view: GameView, count: int = 3000) -> list[Pull]:
    rng = np.random.default_rng(0)
    return [find_policy(policy)(view, rng) for _ in range(count)]


def chi_square(counts: Counter, kinds: int) -> float:
    """Sum of (n - mean)² / mean over all kinds, those that never came too."""
    mean = counts.total() / kinds
    return sum((n - mean) ** 2 for n in counts.values()) / mean + (kinds - len(counts)) * mean


def test_every_file_is_a_policy() -> None:
    assert policy_names() == ("careful", "greedy-side", "random")
    view = view_of(jenga_tower(4))
    for name in policy_names():
        assert find_policy(name)(view, np.random.default_rng(0)) in view.pulls


@pytest.fixture
def own_policies(tmp_path, monkeypatch):
    """A folder whose files are policies too."""
    monkeypatch.setattr(policies, "__path__", [*policies.__path__, str(tmp_path)])
    policy_names.cache_clear()
    importlib.invalidate_caches()
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith(f"{policies.__name__}.own_")]:
        del sys.modules[name]
    policy_names.cache_clear()


def test_a_new_policy_is_one_file(own_policies) -> None:
    (own_policies / "own_first.py").write_text("def choose(view, rng):\n    return view.pulls[0]\n")
    assert "own-first" in policy_names()
    episode = run_episode(config(4, policy="own-first", rounds=1), 0)
    assert [played.pull for played in episode.rounds] == [Pull("L00_0", "y", -1)]


@pytest.mark.parametrize("choice", ["Pull('L03_0', 'y', 1)", "Pull('L00_0', 'x', 1)", "Pull('L77_0', 'y', 1)", "None"])
def test_a_policy_that_cheats_is_stopped(own_policies, choice: str) -> None:
    # a protected block; inwards; no such block; nothing
    (own_policies / "own_cheat.py").write_text(
        f"from anastylosis.episode.pulls import Pull\ndef choose(view, rng):\n    return {choice}\n"
    )
    with pytest.raises(InvalidInput, match=r"policy 'own-cheat' chose .*, which is not one of view.pulls"):
        run_episode(config(4, policy="own-cheat"), 0)


def test_random_is_uniform_over_layers_then_blocks_then_axes() -> None:
    # Layers with fewer blocks are as likely as full ones. chi² with k - 1 degrees of freedom exceeds these limits with
    # probability 0.001: 16.27 for three, 13.82 for two, 10.83 for one.
    view = view_of(jenga_tower(6).without("L01_0", "L01_1", "L02_1"))
    drawn = draws("random", view)
    layers = Counter(view.course_of(pull) for pull in drawn)
    assert chi_square(layers, 4) < 16.27
    assert chi_square(Counter(pull.block for pull in drawn if view.course_of(pull) == 0), 3) < 13.82
    assert chi_square(Counter(pull.axis for pull in drawn if pull.block == "L01_2"), 2) < 10.83
    assert chi_square(Counter(pull.sign for pull in drawn if pull.block == "L03_1"), 2) < 10.83


def test_random_takes_the_same_from_the_same_dice() -> None:
    view = view_of(jenga_tower(6))
    assert draws("random", view, 20) == draws("random", view, 20)


def test_careful_takes_the_loosest_of_the_safe() -> None:
    # Full layers: pulls along the length are of low risk, and the highest allowed layer bears the least.
    view = view_of(jenga_tower(7))
    drawn = draws("careful", view, 30)
    assert {view.course_of(pull) for pull in drawn} == {4}
    assert {pull.axis for pull in drawn} == {"y"}
    assert {pull.block for pull in drawn} == {"L04_0", "L04_1", "L04_2"}  # chance among equals


def test_careful_prefers_a_heavy_load_to_a_risk() -> None:
    # L04 and L05 have no centre: taking one of their sides leaves one side alone (high); L03 is full, and tighter. In
    # units of mu m g: L05_0 bears half of six blocks, 2 * 3 + 1 = 7; a block of L03 a third of ten, 2 * 10 / 3 + 1.
    view = view_of(jenga_tower(8).without("L04_1", "L05_1"))
    drawn = draws("careful", view, 30)
    assert {view.course_of(pull) for pull in drawn} == {3}
    taken, left = classify_move(view.structure, drawn[0].block, "y"), classify_move(view.structure, "L05_0", "y")
    assert (taken.risk, left.risk) == ("low", "high")
    assert taken.force_loaded / left.force_loaded == pytest.approx((2 * 10 / 3 + 1) / 7)


def test_careful_takes_a_risk_when_there_is_nothing_else() -> None:
    view = view_of(jenga_tower(3).without("L00_0", "L00_1"))
    assert {pull.block for pull in draws("careful", view, 20)} == {"L00_2"}


def test_greedy_takes_side_blocks_across() -> None:
    view = view_of(jenga_tower(6))
    drawn = draws("greedy-side", view, 1000)
    assert {pull.axis for pull in drawn} == {"x"}
    assert {pull.block for pull in drawn} == {f"L{layer:02d}_{place}" for layer in range(4) for place in (0, 2)}


def test_greedy_takes_the_rest_when_all_sides_are_gone() -> None:
    view = view_of(jenga_tower(3).without("L00_0", "L00_2"))
    assert {(pull.block, pull.axis) for pull in draws("greedy-side", view, 50)} == {("L00_1", "y")}


def test_the_help_of_simulate_names_every_policy(project: Path) -> None:
    page = (project / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if "`--policy`" in line)
    assert all(name in line for name in policy_names())
