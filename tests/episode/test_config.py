"""Settings of an episode: presets, and what is refused."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from anastylosis.episode import FRICTION_LEVELS, Criterion, EpisodeConfig, default_episode, paper_episode, run_episode
from anastylosis.episode.variation import Variation
from anastylosis.errors import InvalidConfig, InvalidInput

BAD = [
    (dict(layers=1), "layers is 1; a game needs a whole number of layers, 2.."),
    (dict(layers=2), "layers is 2 and protected_layers 2, so no block may be taken; layers must exceed protected_layers"),
    (dict(layers=6, protected_layers=7), "layers must exceed protected_layers"),
    (dict(layers=0), "layers is 0"),
    (dict(layers=-3), "layers is -3"),
    (dict(layers=6.0), "layers is 6.0"),
    (dict(layers=True), "layers is True"),
    (dict(layers=10**6), "layers is 1000000"),
    (dict(friction=-0.1), "friction is -0.1; it must be a number above 0, and 10 at most"),
    (dict(friction=0.0), "friction is 0.0"),
    (dict(friction=11.0), "friction is 11.0; it must be a number above 0, and 10 at most"),
    (dict(pull_speed=1e-5), "pull_speed is 1e-05; it must be a number, at least 0.001 m/s"),
    (dict(rule="stack", protected_layers=1), "protected_layers is 1; blocks that go on top need 2 layers to stand on"),
    (dict(friction=math.nan), "friction is nan"),
    (dict(policy="reckless"), "no policy is named 'reckless'; choose one of: careful, greedy-side, random"),
    (dict(policy="greedy_side"), "no policy is named 'greedy_side'"),
    (dict(policy=None), "no policy is named None"),
    (dict(rule="burn"), "rule is 'burn'; choose 'take' (taken away) or 'stack' (put on top)"),
    (dict(protected_layers=-1), "protected_layers is -1; it must be a whole number, at least 0"),
    (dict(rounds=-1), "rounds is -1"),
    (dict(rounds=2.5), "rounds is 2.5"),
    (dict(record_every=0), "record_every is 0; it must be a whole number, at least 1"),
    (dict(pull_speed=0.0), "pull_speed is 0.0"),
    (dict(pull_speed=-0.2), "pull_speed is -0.2"),
    (dict(pull_factor=math.inf), "pull_factor is inf"),
    (dict(stuck_time=0.0), "stuck_time is 0.0"),
    (dict(rest_energy=0.0), "rest_energy is 0.0"),
    (dict(rest_time=math.nan), "rest_time is nan"),
    (dict(settle_start=-1.0), "settle_start is -1.0"),
    (dict(settle_round=0.0), "settle_round is 0.0"),
    (dict(settle_collapse=math.inf), "settle_collapse is inf"),
    (dict(friction="high"), "friction is 'high'; pass FRICTION_LEVELS['high'], which is 0.6"),
    (dict(friction="0.4"), "friction is '0.4'; it must be a number above 0"),
    (dict(friction=True), "friction is True"),
    (dict(friction=None), "friction is None"),
    (dict(layers="6"), "layers is '6'; a game needs a whole number"),
    (dict(rounds="3"), "rounds is '3'"),
    (dict(rule="stack", protected_layers="2"), "protected_layers is '2'"),
    (dict(pull_speed="fast"), "pull_speed is 'fast'; it must be a number, at least 0.001 m/s"),
    (dict(rest_time="1"), "rest_time is '1'; it must be a finite number above 0"),
    (dict(variation=True), "variation is True; pass a Variation, such as learning_variation()"),
    (dict(collapse=0.5), "collapse is 0.5; pass a Criterion"),
    (dict(engine=3), "engine is 3; pass an EngineConfig, such as paper_config()"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message.split(";")[0] for _, message in BAD])
def test_a_setting_outside_its_range_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidConfig) as refusal:
        EpisodeConfig(**changes)
    assert message in str(refusal.value)


@pytest.mark.parametrize("name", ["displacement", "energy", "angle"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_criterion_needs_thresholds(name: str, value: float) -> None:
    with pytest.raises(InvalidConfig, match=f"collapse {name} is {value}; it must be a finite number above 0"):
        Criterion(**{name: value})


@pytest.mark.parametrize(
    "words", [dict(friction="0.1"), dict(mass=None), dict(jitter="x"), dict(restitution=0.1), dict(restitution="ab")]
)
def test_a_variation_needs_numbers(words: dict) -> None:
    with pytest.raises(InvalidConfig, match=f"{next(iter(words))} is .*; (it|give)"):
        Variation(**words)


def test_a_criterion_is_made_of_numbers() -> None:
    with pytest.raises(InvalidConfig, match="collapse angle is '30'; it must be a finite number above 0"):
        Criterion(angle="30")


def test_config_and_seed_the_wrong_way_round() -> None:
    with pytest.raises(InvalidInput) as refusal:
        run_episode(1, EpisodeConfig())
    assert str(refusal.value) == "config is 1; pass an EpisodeConfig first, then the seed"
    with pytest.raises(InvalidInput) as refusal:
        run_episode(EpisodeConfig(), EpisodeConfig())
    assert len(str(refusal.value)) < 120  # not all of its fields


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(InvalidInput, match=r"seed is .*; it must be a whole number, 0 or above"):
        run_episode(default_episode(layers=3), seed)


def test_numpy_whole_numbers_are_whole() -> None:
    assert default_episode(layers=np.int64(6), rounds=np.int32(3)).layers == 6
    with pytest.raises(InvalidConfig):
        default_episode(layers=np.float64(6))


def test_the_papers_preset_has_the_papers_numbers() -> None:
    # Paper §8.3 and appendix A: 70 / 220 / 400 steps of 1/240 s, PGS with 3 substeps of 14 iterations; nothing is random
    config = paper_episode()
    assert [round(seconds * 240) for seconds in (config.settle_start, config.settle_round, config.settle_collapse)] == [
        70,
        220,
        400,
    ]
    assert (config.engine.solver, config.engine.timestep, config.engine.substeps, config.engine.iterations) == (
        "pgs",
        1 / 240,
        3,
        14,
    )
    assert (config.layers, config.policy, config.rule, config.protected_layers) == (18, "random", "take", 2)
    assert (config.collapse.displacement, config.collapse.energy) == (0.5, 5e-5)
    assert math.degrees(config.collapse.angle) == pytest.approx(30, rel=1e-12)
    assert config.rest_energy == 1e-7
    assert config.variation == Variation()
    assert FRICTION_LEVELS == {"low": 0.25, "nominal": 0.40, "high": 0.60}


def test_ours_waits_longer_than_the_paper() -> None:
    ours, papers = default_episode(), paper_episode()
    assert ours.engine.solver == "block"
    for name in ("settle_start", "settle_round", "settle_collapse"):
        assert getattr(ours, name) > getattr(papers, name)


def test_presets_can_be_changed_but_settings_cannot() -> None:
    config = paper_episode(layers=6, friction=0.25, settle_collapse=9.0)
    assert (config.layers, config.friction, config.settle_collapse, config.engine.solver) == (6, 0.25, 9.0, "pgs")
    with pytest.raises(FrozenInstanceError):
        config.layers = 7


def test_the_papers_preset_plays() -> None:
    episode = run_episode(paper_episode(layers=4, rounds=2), 5)
    assert len(episode.rounds) >= 1
    waits = [played.end_time - played.start_time - (len(played.extraction.path) - 1) / 240 for played in episode.rounds]
    assert max(waits) <= (220 + 400) / 240 + 1e-9
