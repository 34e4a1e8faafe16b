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
from anastylosis.predict.prediction import Estimate
from anastylosis.predict.shipped import SHIPPED
from anastylosis.render import (
    ColourScale,
    Overlay,
    draw_overlay,
    frame_points,
    probability_colours,
    probability_legend,
    render_image,
    wood_look,
    write_png,
)
from anastylosis.render.camera import scene_points
from anastylosis.report import draw_final
from anastylosis.structure import jenga_tower

SIZE, LAYERS = 512, 18


def main(seed: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    episode = run_episode(EpisodeConfig(layers=LAYERS), seed)
    debris = draw_final(annotate(episode), episode.frames, size=SIZE, view="model")
    prediction = Predictor.from_file(SHIPPED).predict(debris, friction="nominal", layers=LAYERS)

    truth, ids = episode.labels, episode.structure.ids
    chance = np.array([prediction.removed_locs[slot] for slot in ids])
    likely = np.argsort(-chance)[: round(prediction.num_removed.value)]
    print("From one picture of the debris, the friction and the height of the tower:")
    tell("", "the model says", "true")
    tell("blocks gone", tell_range(prediction.num_removed), str(truth.removed_count))
    tell("imbalance [mm]", tell_range(prediction.imbalance, 1e3), f"{1e3 * truth.imbalance:.1f}")
    tell("layer that gave way", str(prediction.failure_layer), str(truth.failure_course))
    tell("most likely empty", " ".join(ids[row] for row in sorted(likely)), " ".join(np.array(ids)[truth.removed]))

    panels = [
        draw_overlay(debris, Overlay(title="What the model sees")),
        draw_tower(chance, "What it makes of it"),
        draw_tower(truth.removed.astype(float), "What had been taken away"),
    ]
    write_png(folder / "guess.png", np.ascontiguousarray(np.concatenate(panels, axis=1)))
    print(f"{folder / 'guess.png'}: all three, side by side")


def tell(name: str, said: str, true: str) -> None:
    print(f"  {name:20} {said:32} {true}")


def tell_range(estimate: Estimate, unit: float = 1.0) -> str:
    """A number, and between which two the truth is nine times in ten."""
    return f"{unit * estimate.value:.1f} ({unit * estimate.low:.1f} to {unit * estimate.high:.1f})"


def draw_tower(chance: np.ndarray, title: str) -> np.ndarray:
    """The standing tower, each block in the colour of a probability."""
    tower = jenga_tower(LAYERS)
    camera = frame_points(scene_points(LAYERS, reach=0.09), width=SIZE, height=SIZE, margin=0.12)
    colours = dict(enumerate(probability_colours(chance)))
    image = render_image(
        tower.blocks.size, tower.position, tower.orientation, camera, wood_look(0), colours=colours, antialias=2, shadows="soft"
    )
    scale = ColourScale(colours=[entry.colour for entry in probability_legend()], low="0 %", high="100 %", label="taken away")
    return draw_overlay(image.rgb, Overlay(title=title, scale=scale))


if __name__ == "__main__":
    words = sys.argv[1:]
    main(int(words[0]) if words else 0, Path(words[1]) if len(words) > 1 else Path("out"))
