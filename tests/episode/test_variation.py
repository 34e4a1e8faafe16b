"""How towers of one episode differ from the ideal one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anastylosis.episode import learning_variation, run_episode
from anastylosis.episode.annotation import annotate
from anastylosis.episode.variation import Variation, vary_tower
from anastylosis.errors import InvalidConfig
from anastylosis.structure import Structure, jenga_tower
from anastylosis.validation.penetration import overlapping_pair
from support.games import config

SETTINGS = {"restitution": (0.05, 0.30), "friction": 0.15, "mass": 0.05, "tolerance": 1e-4, "jitter": 2e-4}


def varied(seed: int = 3, layers: int = 6, **changes: object) -> Structure:
    return vary_tower(layers, 0.4, Variation(**changes), np.random.default_rng(seed))


def test_off_is_the_ideal_tower_to_the_last_bit() -> None:
    tower, ideal = varied(), jenga_tower(6, friction=0.4)
    for name in ("size", "mass", "friction", "restitution"):
        assert np.array_equal(getattr(tower.blocks, name), getattr(ideal.blocks, name)), name
    for name in ("position", "orientation", "course", "place"):
        assert np.array_equal(getattr(tower, name), getattr(ideal, name)), name
    assert tower.floor == ideal.floor


@given(st.integers(0, 2**32 - 1))
def test_draws_stay_in_their_ranges(seed: int) -> None:
    tower, ideal = varied(seed, **SETTINGS), jenga_tower(6)
    assert 0.05 <= tower.floor.restitution <= 0.30
    assert (tower.blocks.restitution == tower.floor.restitution).all()
    assert tower.floor.friction == 0.4
    assert (np.abs(tower.blocks.friction / 0.4 - 1) <= 0.15 + 1e-12).all()
    density = tower.blocks.mass / tower.blocks.size.prod(axis=1) * ideal.blocks.size.prod(axis=1) / ideal.blocks.mass
    assert (np.abs(density - 1) <= 0.05 + 1e-12).all()
    assert (np.abs(tower.blocks.size - ideal.blocks.size) <= np.array((0, 2e-4, 2e-4)) + 1e-12).all()
    assert (np.abs(tower.position - ideal.position)[:, :2] <= 4e-4 + 1e-12).all()
    cosine = np.abs((tower.orientation * ideal.orientation).sum(axis=1))
    assert 2 * np.arccos(np.minimum(cosine, 1)).max() <= 5.0 * 4e-4 + 1e-7


def test_draws_use_their_ranges() -> None:
    towers = [varied(seed, **SETTINGS) for seed in range(20)]
    friction = np.concatenate([tower.blocks.friction for tower in towers]) / 0.4 - 1
    # uniform: the standard deviation is the half range / sqrt(3); 360 draws give it to within 4 %
    assert friction.std() == pytest.approx(0.15 / math.sqrt(3), rel=0.1)
    assert abs(friction.mean()) < 3 * 0.15 / math.sqrt(3 * friction.size)
    assert np.ptp([tower.floor.restitution for tower in towers]) > 0.15


@pytest.mark.parametrize("changed", SETTINGS)
def test_one_setting_changes_only_its_own_draws(changed: str) -> None:
    """With one setting off, what the others drew is the same."""
    on, off = varied(**SETTINGS), varied(**{name: value for name, value in SETTINGS.items() if name != changed})
    ideal = jenga_tower(6)

    def drawn(tower: Structure) -> dict[str, object]:
        return {
            "restitution": tower.floor.restitution,
            "friction": tower.blocks.friction,
            "mass": tower.blocks.mass / tower.blocks.size.prod(axis=1),
            "tolerance": tower.blocks.size,
            "jitter": np.hstack([(tower.position - ideal.position)[:, :2], tower.orientation]),
        }

    for name, value in drawn(on).items():
        assert np.allclose(value, drawn(off)[name], rtol=1e-12, atol=0) == (name != changed), name


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_blocks_do_not_overlap_at_the_edge_of_what_is_allowed(seed: int, share: float) -> None:
    # 2 tolerance + 4.81 jitter < 1.5 mm
    tower = varied(seed, tolerance=share * 0.749e-3, jitter=(1 - share) * 1.499e-3 / 4.81)
    depth, *pair = overlapping_pair(tower.position, tower.orientation, tower.blocks.size)
    assert depth < 1e-12, pair  # rounding where a course lies on the next


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(restitution=(0.3, 0.1)), "give a range (low, high) within 0..1"),
        (dict(restitution=(-0.1, 0.1)), "restitution is (-0.1, 0.1)"),
        (dict(restitution=(0.0, 1.1)), "restitution is (0.0, 1.1)"),
        (dict(friction=-0.1), "variation of friction is -0.1"),
        (dict(friction=1.0), "variation of friction is 1.0"),
        (dict(mass=math.nan), "variation of mass is nan"),
        (dict(tolerance=-1e-4), "tolerance is -0.0001 m; it must be a finite number, 0 or above"),
        (dict(tolerance=math.nan), "tolerance is nan"),
        (dict(tolerance=8e-4), "neighbours, 0.0015 m apart, could meet"),
        (dict(jitter=4e-4), "neighbours, 0.0015 m apart, could meet"),
        (dict(tolerance=2.5e-4, jitter=2.5e-4), "could meet"),
        (dict(jitter=-1e-5), "jitter is -1e-05 m"),
    ],
)
def test_a_variation_outside_its_range_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidConfig) as refusal:
        Variation(**changes)
    assert message in str(refusal.value)


def test_what_was_drawn_is_in_the_annotation() -> None:
    episode = run_episode(config(4, variation=learning_variation(), rounds=1), 7)
    notes = annotate(episode)
    blocks = episode.structure.blocks
    assert len(set(notes["masses"])) == len(set(notes["frictions"])) == 12
    assert notes["masses"] == blocks.mass.tolist()
    assert notes["frictions"] == blocks.friction.tolist()
    assert notes["sizes"] == blocks.size.tolist()
    assert notes["restitution"] == episode.structure.floor.restitution
    assert notes["config"]["variation"] == {
        "restitution": [0.05, 0.3],
        "friction": 0.15,
        "mass": 0.05,
        "tolerance": 1e-4,
        "jitter": 2e-4,
    }
    assert np.array_equal(episode.frames.position[0], episode.structure.position.astype(np.float32))


def test_the_player_does_not_change_the_tower() -> None:
    # one seed, two players: the same blocks
    careful, greedy = (run_episode(config(4, policy=policy, variation=learning_variation(), rounds=1), 11).structure
                       for policy in ("careful", "greedy-side"))  # fmt: skip
    assert np.array_equal(careful.blocks.mass, greedy.blocks.mass)
    assert np.array_equal(careful.position, greedy.position)
