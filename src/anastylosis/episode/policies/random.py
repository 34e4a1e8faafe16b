"""The paper's player: any layer, any block of it, any way out of the tower."""

import numpy as np

from anastylosis.episode.pulls import GameView, Pull, draw


def choose(view: GameView, rng: np.random.Generator) -> Pull:
    """Choose uniformly over layers, then over the layer's blocks, then over the ways to pull."""
    layer = draw(sorted({view.course_of(pull) for pull in view.pulls}), rng)
    block = draw(sorted({pull.block for pull in view.pulls if view.course_of(pull) == layer}), rng)
    axis = draw(sorted({pull.axis for pull in view.pulls if pull.block == block}), rng)
    return draw([pull for pull in view.pulls if pull.block == block and pull.axis == axis], rng)
