"""Calibration of the eye on the validation split: odds that mean what they say, by how many pictures there are."""

import math
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from anastylosis.detection.card import EyeCalibration
from anastylosis.detection.company import Company, confer
from anastylosis.detection.looking import Finder, Found, join_odds, pick_apart, read_view, weigh
from anastylosis.detection.verdict import Judge
from anastylosis.detection.window import Windows
from anastylosis.training.calibration import fit_logits
from anastylosis.training.detection.config import EyeConfig
from anastylosis.training.detection.hearings import Hearing
from anastylosis.training.detection.judge_batches import draw_sight
from anastylosis.training.detection.jury_batches import label_found
from anastylosis.training.detection.reader_batches import list_slots
from anastylosis.training.detection.scenes import draw_camera, draw_shot, open_scene
from anastylosis.training.detection.scores import Matches, match_blocks
from anastylosis.training.examples import Examples

__all__ = ["calibrate_judge", "calibrate_jury", "calibrate_reader"]

VIEWS = (1, 2)  # pictures of a scene
SEED = 98
ROOT = math.sqrt(3.0)  # places are off by vectors, and their deviation is that along each axis; of a turn it is that of its angle
LEAST = 1e-4  # [m], [rad]
COLLIDE = 0.009  # [m] proposals that are deeper in each other: the surer one tells what the odds of a judge are worth


def calibrate_reader(net: nn.Module, examples: Examples, config: EyeConfig) -> EyeCalibration:
    """Log odds of slots in one picture, and the mean of those in two."""
    rng = np.random.default_rng((SEED, zlib.crc32(b"reader")))
    says: list[NDArray[np.float64]] = []
    filled: list[NDArray[np.bool_]] = []
    errors: list[NDArray[np.float64]] = []
    net.eval()

    def read(windows: Windows) -> NDArray[np.float32]:
        with torch.no_grad():
            odds: NDArray[np.float32] = net(*(torch.from_numpy(part) for part in windows)).numpy()
        return odds

    for _ in range(config.judged):
        scene = open_scene(examples, int(rng.integers(len(examples))))
        slots = list_slots(scene)
        views = [draw_shot(scene, draw_camera(scene, config.scenes, rng), config.scenes, rng).view for _ in VIEWS]
        says.append(np.stack([read_view(view, read, slots) for view in views]))
        matches = match_blocks(slots, scene.blocks)
        filled.append(np.isin(np.arange(len(slots.size)), matches.found))
        errors.append(np.stack([matches.place, matches.turn]))
    odds, happened = np.concatenate(says, axis=1), np.concatenate(filled)
    curves = [fit_logits(join_odds(odds[:views]), happened) for views in VIEWS]
    place, turn = np.sqrt((np.concatenate(errors, axis=1) ** 2).mean(axis=1)) / (ROOT, 1.0)
    return EyeCalibration(
        slope=tuple(slope for slope, _ in curves), offset=tuple(offset for _, offset in curves), scenes=config.judged,
        place=max(float(place), LEAST), turn=max(float(turn), LEAST),
    )  # fmt: skip


def calibrate_judge(judge: Judge, finder: Finder, examples: Examples, config: EyeConfig) -> EyeCalibration:
    """Log odds of those blocks that do not collide with surer ones, and by how much deviations are too small."""
    rng, falls = np.random.default_rng((SEED, zlib.crc32(b"judge"))), replace(config.scenes, twisted=0.0, piled=0.0)
    trials = []
    for number in range(config.judged):
        views = VIEWS[number % len(VIEWS)]
        sight = draw_sight(examples, finder, views, falls, rng)
        found = weigh(sight.ballot, judge)
        found = found.take(pick_apart(found, COLLIDE))
        matches = match_blocks(found.blocks, sight.scene.blocks)
        trials.append(Trial(views, found, np.isin(np.arange(len(found.odds)), matches.found), matches))
    return fit_trials(trials)


def calibrate_jury(net: nn.Module, hearings: Sequence[Hearing]) -> EyeCalibration:
    """The same of what the jury finds; deviations are those of what fell."""

    def jury(company: Company) -> NDArray[np.float32]:
        with torch.no_grad():
            said: NDArray[np.float32] = net(*(torch.from_numpy(part) for part in company)).numpy()
        return said

    net.eval()
    trials = []
    for eyes, heard, blocks, fell in hearings:
        found = confer(heard, eyes, jury)
        found = found.take(pick_apart(found))
        fallen = np.flatnonzero(~found.stands)
        matches = match_blocks(found.blocks.take(fallen), blocks.take(fell))
        trials.append(Trial(len(eyes), found, label_found(found, blocks, fell), matches._replace(found=fallen[matches.found])))
    return fit_trials(trials)


class Trial(NamedTuple):
    """What was found in one scene."""

    views: int
    found: Found
    right: NDArray[np.bool_]  # (N,)
    matches: Matches  # whose deviations are asked

    def compare(self) -> NDArray[np.float64]:
        """(2, M) how far places and turns are off, in units of what was said."""
        said = np.stack([self.found.place_sd, self.found.turn_sd])[:, self.matches.found]
        return np.stack([self.matches.place, self.matches.turn]) / said


def fit_trials(trials: Sequence[Trial]) -> EyeCalibration:
    """Odds by how often blocks are there, deviations by how far they are off."""
    curves = [fit_views([trial for trial in trials if trial.views == views]) for views in VIEWS]
    off = np.concatenate([trial.compare() for trial in trials], axis=1)
    place, turn = np.sqrt((off**2).mean(axis=1)) / (ROOT, 1.0) if off.size else (1.0, 1.0)
    return EyeCalibration(
        slope=tuple(slope for slope, _ in curves), offset=tuple(offset for _, offset in curves), scenes=len(trials),
        place=max(float(place), LEAST), turn=max(float(turn), LEAST),
    )  # fmt: skip


def fit_views(trials: Sequence[Trial]) -> tuple[float, float]:
    """Slope and offset of log odds, of scenes with as many pictures; as they are where nothing was found."""
    odds = np.concatenate([np.zeros(0), *(trial.found.odds for trial in trials)])
    right = np.concatenate([np.zeros(0, bool), *(trial.right for trial in trials)])
    return fit_logits(odds, right) if len(odds) else (1.0, 0.0)
