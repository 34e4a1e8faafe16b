"""Play the game as an environment of Gymnasium, and compare two players of equal luck. Needs the extra `gym`.

    python examples/07_two_players.py [GAMES]

Both players see the same towers. One draws any pull that is allowed; the other keeps to the two layers below those that
may not be touched, where little stands on a block. How to go on: docs/how-to/play-with-gymnasium.md
"""

import sys

import gymnasium
import numpy as np

from anastylosis import EpisodeConfig

LAYERS = 6
Action = np.int64


def draw_any(mask: np.ndarray, dice: np.random.Generator) -> Action:
    return dice.choice(np.flatnonzero(mask))


def draw_high(mask: np.ndarray, dice: np.random.Generator) -> Action:
    allowed = np.flatnonzero(mask)
    layers = allowed // 9  # three blocks a layer, three ways a block
    return dice.choice(allowed[layers >= layers.max() - 1])


def play(env: gymnasium.Env, choose, seed: int) -> float:
    dice, total, over = np.random.default_rng(seed), 0.0, False
    _, info = env.reset(seed=seed)
    while not over:
        _, reward, terminated, truncated, info = env.step(choose(info["action_mask"], dice))
        total, over = total + reward, terminated or truncated
    return total


if __name__ == "__main__":
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    env = gymnasium.make("anastylosis.environment:anastylosis/Tower-v0", config=EpisodeConfig(layers=LAYERS))
    print(f"{games} towers of {LAYERS} layers; a block that is out gives 1, the fall takes 1")
    for name, choose in (("any pull", draw_any), ("high pulls", draw_high)):
        rewards = [play(env, choose, seed) for seed in range(games)]
        print(f"  {name:10}  {np.mean(rewards):5.2f} on average: {', '.join(f'{reward:.0f}' for reward in rewards)}")
