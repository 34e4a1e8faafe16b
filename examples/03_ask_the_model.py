"""Play one game, show the model the debris, and see what it makes of it. It is told the friction and the height, no more.

    python examples/03_ask_the_model.py [SEED] [FOLDER]

Writes guess.png: the debris as the model sees it; the tower, each block in the colour of the probability that the model gives to
its having been taken away; and the same with what really was.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from anastylosis import EpisodeConfig, predict, run_episode
from anastylosis.report import draw_final, draw_shaded


def main(seed: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    episode = run_episode(EpisodeConfig(layers=18), seed)
    debris = draw_final(episode.as_document(), episode.frames, view="model")
    said = predict(debris, friction="nominal", layers=18)

    truth, tower, gone = episode.labels, episode.structure, said.num_removed
    print("From one picture of the debris, the friction and the height of the tower:")
    print(f"  blocks gone: {gone.value:.1f} (9 in 10: {gone.low:.1f} to {gone.high:.1f}); in truth {truth.removed_count}")
    print(f"  imbalance: {1e3 * said.imbalance.value:.0f} mm; in truth {1e3 * truth.imbalance:.0f} mm")
    print(f"  layer that gave way: {said.failure_layer}; in truth {truth.failure_course}")

    blocks = tower.blocks.size, tower.position, tower.orientation
    chance = np.array([said.removed_locs[slot] for slot in tower.ids])
    guess = draw_shaded(blocks, chance, "What the model makes of it", label="taken away", gone=True)
    right = draw_shaded(blocks, truth.removed, "What had been taken away", ends=("no", "yes"), gone=True)
    Image.fromarray(np.concatenate([debris, guess, right], axis=1)).save(folder / "guess.png")
    print(f"{folder / 'guess.png'}: the debris, what the model makes of it, and the truth")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(int(words[0]) if words else 0, Path(words[1]) if len(words) > 1 else Path("out"))
