"""A careful player: takes what looks safe, and of that the loosest."""

import numpy as np

from anastylosis.episode.pulls import GameView, Pull, draw
from anastylosis.mechanics import RISKS, classify_move, shared_loads

SAME = 1e-3  # forces that differ by less than this share feel the same


def choose(view: GameView, rng: np.random.Generator) -> Pull:
    """Choose the least risk by Ziglar's classes, then the least load-aware force; chance among equals."""
    loads = shared_loads(view.structure)
    moves = [classify_move(view.structure, pull.block, pull.axis, loads=loads) for pull in view.pulls]
    least = min(RISKS.index(move.risk) for move in moves)
    safe = [(move, pull) for move, pull in zip(moves, view.pulls, strict=True) if move.risk == RISKS[least]]
    loosest = min(move.force_loaded for move, _ in safe)
    return draw([pull for move, pull in safe if move.force_loaded <= loosest * (1 + SAME)], rng)
