"""Heaps of blocks, their pictures, and what nets would say that know the truth."""

import math
from collections.abc import Sequence

import numpy as np

from anastylosis.detection.detections import BoxProposals, tower_slots
from anastylosis.detection.nets import ProposalNets
from anastylosis.detection.view import FOOTPRINT
from anastylosis.detection.votes import VoteNetFunction
from anastylosis.geometry import make_rotations
from anastylosis.models.shipped import list_detector
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.training.detection.scenes import DebrisScene, LabelledView, SceneRecipe, draw_camera, draw_shot
from anastylosis.training.detection.slot_classifier import fill_slots
from anastylosis.training.detection.votes import label_votes

__all__ = ["BLOCK", "SLOTS", "know_votes", "make_scene", "open_witness", "photograph", "say_filled", "say_votes", "shake"]

BLOCK = np.array(BLOCK_SIZE)
SLOTS = tower_slots(BLOCK)
ELEVATION = math.radians(18), math.radians(60)  # [rad] of the cameras


def make_scene(count: int = 12, seed: int = 0) -> DebrisScene:
    """Blocks that lie flat, or lean a little, in a circle; the first three stand as a tower's lowest layer."""
    rng = np.random.default_rng(seed)
    turn = np.linspace(0, 2 * math.pi, count, endpoint=False)
    position = np.column_stack([0.22 * np.cos(turn), 0.22 * np.sin(turn), np.full(count, 0.014)])
    axes = make_rotations(np.column_stack([rng.normal(0, 0.1, (count, 2)), rng.uniform(-math.pi, math.pi, count)]))
    position[:3], axes[:3] = SLOTS.position[:3], SLOTS.axes[:3]
    return DebrisScene(BoxProposals(np.tile(BLOCK, (count, 1)), position, axes), np.arange(count) >= 3, seed)


def photograph(scene: DebrisScene, seed: int = 0, foot: float = FOOTPRINT) -> LabelledView:
    """A picture of it from anywhere, whose pixels cover `foot` [m]."""
    rng = np.random.default_rng(seed)
    recipe = SceneRecipe(antialias=(1,), foot=foot, elevation=ELEVATION, photographed=0.0)
    return draw_shot(scene, draw_camera(scene, recipe, rng), recipe, rng)


def open_witness() -> ProposalNets:
    """The nets that ship, without their rescorer."""
    vote_net, slot_classifier, refiner, _ = list_detector()
    return ProposalNets.from_files(vote_net, slot_classifier, refiner)


def say_votes(scene: DebrisScene, shot: LabelledView) -> np.ndarray:
    """(1, OUTPUTS, h, w) what a vote net would say that knows the truth."""
    block, values, *_ = label_votes(scene, shot)
    logit, log_deviation = np.where(block > 0, 9.0, -9.0)[None], np.zeros((2, *block.shape))
    return np.concatenate([logit, values, log_deviation])[None].astype(np.float32)


def know_votes(scene: DebrisScene, shots: Sequence[LabelledView]) -> VoteNetFunction:
    """A vote net that knows the truth of these pictures, in this order."""
    says = iter([say_votes(scene, shot) for shot in shots])
    return lambda picture: next(says)


def say_filled(scene: DebrisScene) -> np.ndarray:
    """(N,) log odds of every slot, from one who knows."""
    return np.where(fill_slots(SLOTS, scene.blocks), 6.0, -6.0)


def shake(blocks: BoxProposals, place: float, turn: float, seed: int = 0) -> BoxProposals:
    """Blocks moved by up to `place` [m] and turned by up to `turn` [rad]."""
    rng = np.random.default_rng(seed)
    shift, axis = rng.uniform(-1, 1, (2, len(blocks.size), 3))
    return BoxProposals(blocks.size, blocks.position + place * shift, make_rotations(turn * axis) @ blocks.axes)
