"""A greedy player: side blocks first, knocked out across, the shortest way."""

import numpy as np

from anastylosis.episode.pulls import GameView, Pull, draw


def choose(view: GameView, rng: np.random.Generator) -> Pull:
    """Choose any side block across, as long as there is one; then anything."""
    return draw([pull for pull in view.pulls if pull.axis == "x"] or view.pulls, rng)
