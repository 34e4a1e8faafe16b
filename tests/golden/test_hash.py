"""A collapse and an episode, to the last bit: a change of physics or of the game that nobody meant shows here.

After a change that was meant, write the new hashes and say why in the commit:

    ANASTYLOSIS_UPDATE_GOLDEN=1 .venv/bin/pytest tests/golden
"""

import json
import os
import platform
from pathlib import Path

import pytest

from anastylosis.episode import learning_variation
from support.games import FALLS, played
from support.worlds import falling_tower

HASHES = Path(__file__).with_name("hashes.json")
# Bits are promised for one kind of processor: another may have other vector registers and another libm.
MACHINE = platform.machine()


def compare(name: str, found: str) -> None:
    """`found` is the golden hash of this machine, or becomes it when that was asked for."""
    hashes = json.loads(HASHES.read_text(encoding="utf-8")) if HASHES.exists() else {}
    golden = hashes.setdefault(MACHINE, {})
    if os.environ.get("ANASTYLOSIS_UPDATE_GOLDEN"):
        golden[name] = found
        HASHES.write_text(json.dumps(hashes, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    if name not in golden:
        pytest.skip(f"no golden hash {name} of a {MACHINE} machine; write one with ANASTYLOSIS_UPDATE_GOLDEN=1")
    assert found == golden[name]


def test_collapse_of_six_layers_gives_the_same_bits() -> None:
    simulation = falling_tower(layers=6)
    simulation.run(1.0)
    compare("collapse_6_layers_1_s", simulation.state_hash())


def test_the_golden_collapse_is_one() -> None:
    simulation = falling_tower(layers=6)
    simulation.run(1.0)
    assert simulation.structures[0].position[-3:, 2].min() > 0.09  # the top course,
    assert simulation.state.position[0, -3:, 2].max() < 0.04  # on or near the floor


def test_episode_of_six_layers_gives_the_same_bits() -> None:
    compare("episode_6_layers", played(6, FALLS).fingerprint())


def test_varied_episode_gives_the_same_bits() -> None:
    compare("episode_6_layers_varied", played(6, FALLS, variation=learning_variation()).fingerprint())


def test_the_golden_episode_falls() -> None:
    episode = played(6, FALLS)
    assert episode.collapsed
    assert len(episode.rounds) > 1
