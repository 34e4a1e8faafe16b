"""Calibration of the detector on the validation split: logits and deviations, by the number of pictures."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from anastylosis.dataset import Examples
from anastylosis.detection.detections import Detections
from anastylosis.detection.nets import DetectorCalibration
from anastylosis.detection.overlaps import suppress_overlaps
from anastylosis.detection.refiner import RefinerFunction, refine
from anastylosis.detection.rescorer import Neighbourhoods, rescore
from anastylosis.detection.slot_classifier import SlotCrops, average_logits, classify_in_view
from anastylosis.detection.votes import VoteNetFunction
from anastylosis.training.calibration import fit_logits
from anastylosis.training.detection.config import DetectorConfig
from anastylosis.training.detection.proposal_cache import CachedProposals
from anastylosis.training.detection.random_streams import random_stream
from anastylosis.training.detection.refiner import draw_refiner_scene
from anastylosis.training.detection.rescorer import label_detections
from anastylosis.training.detection.scenes import draw_camera, draw_shot, open_scene
from anastylosis.training.detection.scores import Matches, match_blocks
from anastylosis.training.detection.slot_classifier import list_slots

VIEWS = (1, 2)  # pictures of a scene
SEED = 98
ROOT = math.sqrt(3.0)  # places are off by vectors, and their deviation is that along each axis; of a turn it is that of its angle
DEVIATION_MIN = 1e-4  # [m], [rad]
COLLIDE = 0.009  # [m] of proposals that are deeper in each other only the surer one calibrates the logits of the refiner


def calibrate_slot_classifier(net: nn.Module, examples: Examples, config: DetectorConfig) -> DetectorCalibration:
    """Calibrate logits of slots in one picture, and their mean in two."""
    rng = np.random.default_rng((SEED, random_stream("slot_classifier")))
    logits: list[NDArray[np.float64]] = []
    filled: list[NDArray[np.bool_]] = []
    errors: list[NDArray[np.float64]] = []
    net.eval()

    def read(windows: SlotCrops) -> NDArray[np.float32]:
        with torch.no_grad():
            logit: NDArray[np.float32] = net(*(torch.from_numpy(part) for part in windows)).numpy()
        return logit

    for _ in range(config.validation_pictures):
        scene = open_scene(examples, int(rng.integers(len(examples))))
        slots = list_slots(scene)
        views = [draw_shot(scene, draw_camera(scene, config.scenes, rng), config.scenes, rng).view for _ in VIEWS]
        logits.append(np.stack([classify_in_view(view, read, slots) for view in views]))
        matches = match_blocks(slots, scene.blocks)
        filled.append(np.isin(np.arange(len(slots.size)), matches.found))
        errors.append(np.stack([matches.place, matches.turn]))
    logit, happened = np.concatenate(logits, axis=1), np.concatenate(filled)
    curves = [fit_logits(average_logits(logit[:views]), happened) for views in VIEWS]
    place, turn = np.sqrt((np.concatenate(errors, axis=1) ** 2).mean(axis=1)) / (ROOT, 1.0)
    return DetectorCalibration(
        slope=tuple(slope for slope, _ in curves), offset=tuple(offset for _, offset in curves),
        scenes=config.validation_pictures,
        place=max(float(place), DEVIATION_MIN), turn=max(float(turn), DEVIATION_MIN),
    )  # fmt: skip


def calibrate_refiner(
    refiner: RefinerFunction, vote_net: VoteNetFunction, examples: Examples, config: DetectorConfig
) -> DetectorCalibration:
    """Calibrate logits of blocks that do not collide with more probable ones, and the factor of their deviations."""
    rng, falls = np.random.default_rng((SEED, random_stream("refiner"))), replace(config.scenes, twisted=0.0, piled=0.0)
    trials = []
    for number in range(config.validation_pictures):
        views = VIEWS[number % len(VIEWS)]
        sight = draw_refiner_scene(examples, vote_net, views, falls, rng)
        found = refine(sight.voted, refiner)
        found = found.take(suppress_overlaps(found, COLLIDE))
        matches = match_blocks(found.blocks, sight.scene.blocks)
        trials.append(CalibrationTrial(views, found, np.isin(np.arange(len(found.logit)), matches.found), matches))
    return fit_trials(trials)


def calibrate_rescorer(net: nn.Module, proposals: Sequence[CachedProposals]) -> DetectorCalibration:
    """Calibrate logits of the blocks that the rescorer scores; deviations are those of fallen blocks."""

    def rescorer(neighbourhoods: Neighbourhoods) -> NDArray[np.float32]:
        with torch.no_grad():
            outputs: NDArray[np.float32] = net(*(torch.from_numpy(part) for part in neighbourhoods)).numpy()
        return outputs

    net.eval()
    trials = []
    for eyes, proposed, blocks, fell in proposals:
        found = rescore(proposed, eyes, rescorer)
        found = found.take(suppress_overlaps(found))
        fallen = np.flatnonzero(~found.stands)
        matches = match_blocks(found.blocks.take(fallen), blocks.take(fell))
        trials.append(
            CalibrationTrial(
                len(eyes), found, label_detections(found, blocks, fell), matches._replace(found=fallen[matches.found])
            )
        )
    return fit_trials(trials)


class CalibrationTrial(NamedTuple):
    """Detections in one scene, and their errors."""

    views: int
    found: Detections
    right: NDArray[np.bool_]  # (N,)
    matches: Matches  # whose deviations are asked

    def compare(self) -> NDArray[np.float64]:
        """Return (2, M) errors of place and of turn, in units of the predicted deviations."""
        predicted = np.stack([self.found.place_sd, self.found.turn_sd])[:, self.matches.found]
        return np.stack([self.matches.place, self.matches.turn]) / predicted


def fit_trials(trials: Sequence[CalibrationTrial]) -> DetectorCalibration:
    """Fit logits to how often blocks are there, and deviations to their errors."""
    curves = [fit_views([trial for trial in trials if trial.views == views]) for views in VIEWS]
    off = np.concatenate([trial.compare() for trial in trials], axis=1)
    place, turn = np.sqrt((off**2).mean(axis=1)) / (ROOT, 1.0) if off.size else (1.0, 1.0)
    return DetectorCalibration(
        slope=tuple(slope for slope, _ in curves), offset=tuple(offset for _, offset in curves),
        scenes=len(trials),
        place=max(float(place), DEVIATION_MIN), turn=max(float(turn), DEVIATION_MIN),
    )  # fmt: skip


def fit_views(trials: Sequence[CalibrationTrial]) -> tuple[float, float]:
    """Return slope and offset of logits, for scenes with as many pictures; 1 and 0 where nothing was found."""
    logit = np.concatenate([np.zeros(0), *(trial.found.logit for trial in trials)])
    right = np.concatenate([np.zeros(0, bool), *(trial.right for trial in trials)])
    return fit_logits(logit, right) if len(logit) else (1.0, 0.0)
