"""Made-up truth of towers of mixed heights, and answers that are right about all of it or have not looked."""

import numpy as np

from anastylosis.dataset.pictures import Pictures
from anastylosis.dataset.truth import Truth
from anastylosis.models.answers import Answers, head_shapes
from anastylosis.training.picture.heads import PICTURE_HEADS

LEVELS = 3  # of friction


def make_truth(episodes: int, layers: int = 6, seed: int = 0) -> Truth:
    """Towers of half to all of the layers, one slot in six empty, any layer giving way."""
    rng = np.random.default_rng(seed)
    height = rng.integers((layers + 1) // 2, layers + 1, episodes)
    slots = np.arange(3 * layers) // 3 < height[:, None]
    removed = slots & (rng.random(slots.shape) < 1 / 6)
    filled = slots & ~removed
    block_set = rng.uniform(-1, 1, (*slots.shape, 6)).astype(np.float32)
    displacement = rng.normal(0, 0.1, (*slots.shape, 2)).astype(np.float32)
    block_set[..., 0] = filled
    block_set[~filled, 1:], displacement[~filled] = np.nan, np.nan
    known = dict(
        slots=slots,
        num_removed=removed.sum(axis=1).astype(np.float32),
        removed_locs=removed,
        imbalance=rng.uniform(-0.013, -0.005, episodes).astype(np.float32),
        torque_risk=rng.integers(0, 6, episodes).astype(np.float32),
        failure_layer=rng.integers(0, height),
        friction_level=rng.integers(0, LEVELS, episodes),
        block_set=block_set,
        displacement=displacement,
    )
    shapes = head_shapes(layers, LEVELS)
    numbers = [head.name for head in PICTURE_HEADS if head.name not in known]  # heads that were added are noise
    return Truth(**known | {name: rng.normal(size=(episodes, *shapes[name])).astype(np.float32) for name in numbers})


def make_pictures(episodes: int, size: int = 32, layers: int = 6, seed: int = 0) -> Pictures:
    """Noise with a made-up truth."""
    grey = np.random.default_rng(seed).integers(0, 256, (episodes, size, size), dtype=np.uint8)
    return Pictures(grey, make_truth(episodes, layers, seed))


def perfect_answers(truth: Truth) -> Answers:
    """Every head, right."""
    layers = truth.slots.shape[1] // 3
    right = {head.name: np.nan_to_num(getattr(truth, head.name)) for head in PICTURE_HEADS}
    return Answers(**right | {
        "removed_locs": truth.removed_locs.astype(np.float32),
        "failure_layer": np.eye(layers)[truth.failure_layer],
        "friction_level": np.eye(LEVELS)[truth.friction_level],
    })  # fmt: skip


def random_answers(truth: Truth, seed: int = 1) -> Answers:
    """Every head, by chance."""
    rng = np.random.default_rng(seed)
    return Answers._make(None if part is None else rng.random(part.shape) for part in perfect_answers(truth))
