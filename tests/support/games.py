"""Games that tests play: small towers, some with something in the way."""

from dataclasses import replace
from functools import cache
from itertools import count

import numpy as np

from anastylosis.episode import FRICTION_LEVELS, Episode, EpisodeConfig, Pull, default_episode, run_episode
from anastylosis.episode.game import Game
from anastylosis.structure import Blocks, Structure, jenga_tower
from support.worlds import BLOCK

# The collapses and survivals that tests look at; `test_episode.py` says what is in them.
FALLS = 1  # six layers, seed: five pulls, the last one fatal
STANDS = 0  # four layers, seed: every block that may be taken is taken, and nothing falls


def config(layers: int = 6, **changes: object) -> EpisodeConfig:
    """Settings of a small tower; of two layers, too, a block may be taken."""
    return default_episode(**({"layers": layers, "protected_layers": min(2, layers - 1)} | changes))


@cache
def played(layers: int = 6, seed: int = FALLS, **changes: object) -> Episode:
    """An episode, simulated once a test run. Nothing in it may be changed."""
    return run_episode(config(layers, **changes), seed)


def fallen(*layers: int) -> list[Episode]:
    """Towers of these heights that fell, one after the other at low, nominal and high friction; each has a seed of its own."""
    found: list[Episode] = []
    for seed in count():
        if len(found) == len(layers):
            return found
        level = list(FRICTION_LEVELS)[len(found) % len(FRICTION_LEVELS)]
        episode = played(layers[len(found)], seed, friction=FRICTION_LEVELS[level])
        found += [episode] if episode.collapsed else []
    raise AssertionError


def game(layers: int = 6, *gone: str, **changes: object) -> Game:
    """A settled game with the ideal tower, some blocks already gone."""
    settings = config(layers, **changes)
    return Game(settings, jenga_tower(layers, friction=settings.friction).without(*gone))


def game_with_wall(gap: float, pull: Pull, layers: int = 4) -> Game:
    """A game with a fixed block, `wall`, in the way of a pull along the length, `gap` [m] before the end of the block."""
    tower = jenga_tower(layers)
    row = tower.index(pull.block)
    along = np.array((1.0, 0.0, 0.0) if tower.course[row] % 2 == 0 else (0.0, 1.0, 0.0))
    rows = [*range(len(tower)), row]
    blocks, poses = tower.blocks, tower.position[rows]
    poses[-1] += pull.sign * (BLOCK[0] + gap) * along
    walled = Structure(
        blocks=Blocks(
            size=blocks.size[rows], mass=blocks.mass[rows], friction=blocks.friction[rows],
            restitution=blocks.restitution[rows], fixed=np.arange(len(rows)) == len(tower),
        ),
        ids=(*tower.ids, "wall"),
        course=tower.course[rows],
        place=np.append(tower.place, 3),
        position=poses,
        orientation=tower.orientation[rows],
        floor=tower.floor,
    )  # fmt: skip
    return Game(config(layers, pull_factor=2.0), walled)


def yawed(structure: Structure, angle: float) -> Structure:
    """The same structure turned about the vertical through the origin by `angle` [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    w, x, y, z = structure.orientation.T
    a, b = np.cos(angle / 2), np.sin(angle / 2)
    turned = np.stack([a * w - b * z, a * x - b * y, a * y + b * x, a * z + b * w], axis=1)
    return structure.at(structure.position @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), turned)


def fingerprint_of(seed: int) -> str:
    """Fingerprint of a small varied episode: what a worker process is asked for."""
    from anastylosis.episode import learning_variation

    return run_episode(replace(config(5), variation=learning_variation()), seed).fingerprint()
