"""The film of a reconstruction: how it fell, what is said of it, and all of it backwards until the tower stands. Paper, section
"Video Construction"."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anastylosis.predict.prediction import Prediction
from anastylosis.reconstruct.case import Execute, Tell
from anastylosis.reconstruct.reconstruction import Reconstruction
from anastylosis.render import Overlay, draw_overlay, wood_look, write_film
from anastylosis.report.reconstruction.card import draw_card
from anastylosis.report.reconstruction.scene import Scene, Stage, build_scene, draw_scenes, surround
from anastylosis.report.reconstruction.shades import BYTES, LEGEND, SURENESS, TAKEN, shade_tower
from anastylosis.report.reconstruction.story import Story
from anastylosis.report.still import view_with_words

__all__ = ["BACKWARDS", "END", "FORWARDS", "STILLS", "film_reconstruction", "set_stage"]

FORWARDS, BACKWARDS = 12, 10  # pictures a second; both as in the paper,
STILLS = 18  # pictures of what is predicted, too
END = 3.0  # [s] that the rebuilt tower is held
EARLY = 0.4  # share of the fall, backwards, in which the blocks that came to rest last are marked
SIZE = 560  # [pixels]
NEAR = 0.97  # share of blocks and moments that the picture shows at least; what rolls further does not make all else small
MARKED = (("taken out, as proposed", BYTES[TAKEN]),)
MARKED_LAST = (("came to rest last", BYTES[TAKEN]),)


def film_reconstruction(
    path: Path, found: Reconstruction, prediction: Prediction, story: Story, execute: Execute, tell: Tell
) -> None:
    """Write the film; there whole or not at all."""
    scenes = [moment.scene for moment in story.moments]
    falls = [number for number, moment in enumerate(story.moments) if moment.falls]
    early = falls[len(falls) - round(EARLY * len(falls)) :]
    marked = [scenes[number]._replace(colours=dict.fromkeys(story.last, TAKEN), outlines=()) for number in early]
    rebuilt = build_scene(found.structure, found.best.state.filled, shade_tower(found, found.best))
    stage = set_stage([*scenes, rebuilt])
    pictures = draw_scenes(stage, [*scenes, *marked, rebuilt], execute, tell)
    last_marked = dict(zip(early, pictures[len(scenes) :], strict=False))
    title = story.title
    forwards = [
        draw_overlay(picture, Overlay(title=title, caption=moment.forwards, legend=MARKED))
        for moment, picture in zip(story.moments, pictures, strict=False)
    ]
    backwards = [
        draw_overlay(
            last_marked.get(number, pictures[number]),
            Overlay(
                title=title,
                subtitle="◀ backwards",
                caption=moment.backwards,
                legend=MARKED_LAST if number in last_marked else MARKED,
            ),
        )
        for number, moment in enumerate(story.moments)
    ]
    card = draw_card(pictures[len(scenes) - 1], found, prediction)
    end = Overlay(
        title="How it stood",
        subtitle=tell_share(found),
        caption="Outlines: slots that were empty.",
        legend=LEGEND,
        scale=SURENESS,
    )
    with write_film(path) as film:
        film.play(forwards, rate=FORWARDS)
        film.play([card] * STILLS, rate=FORWARDS)
        film.play(reversed(backwards), rate=BACKWARDS)
        film.hold(draw_overlay(pictures[-1], end), seconds=END)


def tell_share(found: Reconstruction) -> str:
    best = found.best
    return "the most probable tower" if np.isnan(best.probability) else f"the first of {len(found.hypotheses)} proposals"


def set_stage(scenes: Sequence[Scene], size: int = SIZE) -> Stage:
    """One view of all of them."""
    seen = np.concatenate([scene.position[scene.present] for scene in scenes])
    far = np.linalg.norm(seen[:, :2], axis=1)
    near = seen[far <= np.quantile(far, NEAR) + 1e-9]
    points = surround(scenes[0].size, near)
    return Stage(view_with_words(points, size, size), wood_look(0))
