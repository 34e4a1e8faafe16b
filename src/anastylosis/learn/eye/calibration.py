"""Calibration of the eye on the validation split: odds that mean what they say, by how many pictures there are."""

import math
import zlib

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from anastylosis.learn.calibration import fit_logits
from anastylosis.learn.examples import Examples
from anastylosis.learn.eye.config import EyeConfig
from anastylosis.learn.eye.judge_batches import draw_sight
from anastylosis.learn.eye.reader_batches import list_slots
from anastylosis.learn.eye.scenes import draw_camera, draw_shot, open_scene
from anastylosis.learn.eye.scores import match_blocks
from anastylosis.predict.eye.card import EyeCalibration
from anastylosis.predict.eye.looking import Finder, join_odds, pick_apart, read_view, weigh
from anastylosis.predict.eye.verdict import Judge
from anastylosis.predict.eye.window import Windows

__all__ = ["calibrate_judge", "calibrate_reader"]

VIEWS = (1, 2)  # pictures of a scene
SEED = 98
ROOT = math.sqrt(3.0)  # places are off by vectors, and their deviation is that along each axis; of a turn it is that of its angle
LEAST = 1e-4  # [m], [rad]


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
    rng = np.random.default_rng((SEED, zlib.crc32(b"judge")))
    odds: dict[int, list[NDArray[np.float64]]] = {views: [] for views in VIEWS}
    right: dict[int, list[NDArray[np.bool_]]] = {views: [] for views in VIEWS}
    errors: list[NDArray[np.float64]] = []
    for number in range(config.judged):
        views = VIEWS[number % len(VIEWS)]
        sight = draw_sight(examples, finder, views, config.scenes, rng)
        found = weigh(sight.views, sight.heard, sight.proposals, sight.votes, judge)
        found = found.take(pick_apart(found))
        matches = match_blocks(found.blocks, sight.scene.blocks)
        odds[views].append(found.odds)
        right[views].append(np.isin(np.arange(len(found.odds)), matches.found))
        said = np.stack([found.place_sd, found.turn_sd])[:, matches.found]
        errors.append(np.stack([matches.place, matches.turn]) / said)
    curves = [
        fit_logits(np.concatenate(odds[views]), np.concatenate(right[views])) if sum(map(len, odds[views])) else (1.0, 0.0)
        for views in VIEWS
    ]
    off = np.concatenate(errors, axis=1)
    place, turn = np.sqrt((off**2).mean(axis=1)) / (ROOT, 1.0) if off.size else (1.0, 1.0)
    return EyeCalibration(
        slope=tuple(slope for slope, _ in curves), offset=tuple(offset for _, offset in curves), scenes=config.judged,
        place=max(float(place), LEAST), turn=max(float(turn), LEAST),
    )  # fmt: skip
