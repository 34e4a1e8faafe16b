"""Heaps that tests reconstruct: surveys of small towers that fell, and falls as a library has them."""

from functools import cache

import numpy as np

from anastylosis.episode import Episode
from anastylosis.reconstruction.falls import Fall
from anastylosis.survey import Noise, Survey, survey_debris
from support.games import FALLS, played

__all__ = ["fall_of", "small_fall", "survey_of"]


def fall_of(episode: Episode, name: str = "small_exp_0001") -> Fall:
    """A collapse as it is read from a dataset."""
    labels = episode.labels
    was = labels.standing
    slot = 3 * labels.course + labels.place
    lies = np.concatenate(labels.lies.seen, axis=1)
    return Fall(
        name=name, split="train", seed=episode.seed, layers=episode.config.layers, policy="random", rule="take",
        rounds=len(episode.rounds), friction=labels.friction, fingerprint=episode.fingerprint(),
        size=episode.structure.blocks.size[was], slot=slot[was],
        stood=np.concatenate([labels.stood.position, labels.stood.orientation], axis=1)[was], lies=lies[was],
        failure=labels.failure_course, direction=labels.direction, fatal=int(slot[episode.structure.index(labels.fatal_block)]),
    )  # fmt: skip


@cache
def small_fall(layers: int = 6, seed: int = FALLS) -> Fall:
    """Six layers that fell at the fifth pull."""
    return fall_of(played(layers, seed))


def survey_of(fall: Fall, noise: Noise | None = None) -> tuple[Survey, np.ndarray]:
    """What lies there, and in which slot each block of the survey stood."""
    survey, rows = survey_debris(
        [str(slot) for slot in fall.slot],
        fall.size,
        fall.lies[:, :3],
        fall.lies[:, 3:],
        noise or Noise(),
        np.random.default_rng(0),
    )
    return survey, fall.slot[rows]
