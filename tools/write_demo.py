"""Write the debris that `anastylosis demo` reconstructs, and the truth about it, into the package.

    python tools/write_demo.py

One game that no model has learned from (seed 2026: none was looked for). What is left of it is photographed once, and surveyed as
in the field: 5 mm, 5 degrees, some blocks not found.
"""

import json
import math

import numpy as np

from anastylosis.cli.demo import EXAMPLES, PICTURE, SURVEY, TRUTH
from anastylosis.episode import default_episode, run_episode
from anastylosis.rendering import frame_points, make_look, render_image, write_png
from anastylosis.survey import Noise, survey_debris, write_survey
from anastylosis.whole_file import write_whole

SEED, LAYERS, FRICTION = 2026, 18, 0.40
ELEVATION, AZIMUTH, SIDE, MARGIN = math.radians(35), math.radians(40), 512, 0.06
NOISE = Noise(position=0.005, angle=math.radians(5), hidden=0.06)


def main() -> None:
    episode = run_episode(default_episode(layers=LAYERS, friction=FRICTION), SEED)
    labels, size = episode.labels, episode.structure.blocks.size
    assert labels is not None
    there = labels.lies.present
    position, orientation = labels.lies.position[there], labels.lies.orientation[there]
    half = size.max() / 2
    points = np.concatenate([position - half, position + half])
    points[:, 2] = np.maximum(points[:, 2], 0.0)
    camera = frame_points(points, elevation=ELEVATION, azimuth=AZIMUTH, width=SIDE, height=SIDE, margin=MARGIN)
    image = render_image(size[there], position, orientation, camera, make_look("wood", SEED), antialias=2, shadows="soft")
    EXAMPLES.mkdir(exist_ok=True)
    write_png(EXAMPLES / PICTURE, image.rgb, camera)
    slots = [f"L{course:02d}_{place}" for course, place in zip(labels.course, labels.place, strict=True)]
    names = [slot for slot, here in zip(slots, there, strict=True) if here]
    survey, rows = survey_debris(
        names, size[there], position, orientation, NOISE, np.random.default_rng(SEED), source="simulated, nobody's tower"
    )
    write_survey(EXAMPLES / SURVEY, survey)
    stood = {slot for slot, was in zip(slots, labels.standing, strict=True) if was}
    every = [f"L{layer:02d}_{place}" for layer in range(LAYERS) for place in range(3)]
    truth = {
        "seed": SEED, "layers": LAYERS, "friction": FRICTION, "empty": [slot for slot in every if slot not in stood],
        "gave_way": labels.failure_course, "pulled": labels.fatal_block,
        "stones": {name: names[row] for name, row in zip(survey.ids, rows, strict=True)},
    }  # fmt: skip
    with write_whole(EXAMPLES / TRUTH) as part:
        part.write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
