"""Play one game, show the model the debris, and see what it makes of it. It is told the friction and the height, no more.

    python examples/03_ask_the_model.py [SEED] [FOLDER]

Writes guess.png: the debris as the model sees it; the tower, each block in the colour of the probability that the model gives to
its having been taken away; and the same with what really was.
"""

import sys
from pathlib import Path

import numpy as np

from anastylosis import Predictor
from anastylosis.episode import EpisodeConfig, run_episode
from anastylosis.episode.annotation import annotate
from anastylosis.predict.shipped import SHIPPED
from anastylosis.render import write_png
from anastylosis.report import draw_final, draw_shaded

LAYERS = 18


def main(seed: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    episode = run_episode(EpisodeConfig(layers=LAYERS), seed)
    debris = draw_final(annotate(episode), episode.frames, view="model")
    said = Predictor.from_file(SHIPPED).predict(debris, friction="nominal", layers=LAYERS)

    truth, tower = episode.labels, episode.structure
    chance = np.array([said.removed_locs[slot] for slot in tower.ids])
    likely = sorted(np.argsort(-chance)[: round(said.num_removed.value)])
    print("From one picture of the debris, the friction and the height of the tower:")
    gone, tilt = said.num_removed, said.imbalance
    print(f"  blocks gone: {gone.value:.1f} (9 in 10: {gone.low:.1f} to {gone.high:.1f}); in truth {truth.removed_count}")
    print(f"  imbalance: {1e3 * tilt.value:.0f} mm; in truth {1e3 * truth.imbalance:.0f} mm")
    print(f"  layer that gave way: {said.failure_layer}; in truth {truth.failure_course}")
    print(f"  most likely empty: {' '.join(tower.ids[row] for row in likely)}")
    print(f"  in truth: {' '.join(np.array(tower.ids)[truth.removed])}")

    blocks = tower.blocks.size, tower.position, tower.orientation
    panels = [
        debris,
        draw_shaded(blocks, chance, "What the model makes of it", label="taken away"),
        draw_shaded(blocks, truth.removed, "What had been taken away", ends=("no", "yes")),
    ]
    write_png(folder / "guess.png", np.concatenate(panels, axis=1))
    print(f"{folder / 'guess.png'}: the debris, what the model makes of it, and the truth")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(int(words[0]) if words else 0, Path(words[1]) if len(words) > 1 else Path("out"))
