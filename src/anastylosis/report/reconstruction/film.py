"""Film of a reconstruction: how the tower fell, with captions, then backwards until it stands.

Paper, section "Video Construction".
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from anastylosis.models import Prediction
from anastylosis.progress import Execute, Progress
from anastylosis.reconstruction import Reconstruction
from anastylosis.rendering import Overlay, Picture, draw_overlay, write_film
from anastylosis.report.colour import PALETTE
from anastylosis.report.film import END_HOLD
from anastylosis.report.reconstruction.card import draw_beside, draw_card
from anastylosis.report.reconstruction.naming import SLOTS_NAMED, break_lines, name_some
from anastylosis.report.reconstruction.scene import BlockScene, draw_scene, draw_scenes
from anastylosis.report.reconstruction.shades import BYTES, LEGEND, SLOT_SCALE, STORY_LEGEND, shade_tower
from anastylosis.report.reconstruction.speaking import speak_overlay
from anastylosis.report.reconstruction.story import Moment, Story, name_proposal
from anastylosis.report.reconstruction.view import add_bar, choose_azimuth, choose_view, show_tower
from anastylosis.translation import Language

FORWARDS, BACKWARDS = 12, 10  # pictures a second; both as in the paper,
STILLS = 18  # pictures of what is predicted, too
EARLY = 0.4  # share of the fall, backwards, in which the blocks that came to rest last are marked
MARKED = (*STORY_LEGEND, ("taken out, as proposed", BYTES[PALETTE.taken]))
MARKED_LAST = (*STORY_LEGEND, ("last to fall", BYTES[PALETTE.taken]))
OUTLINED = ("was empty", BYTES[PALETTE.taken])


def film_reconstruction(
    path: Path,
    found: Reconstruction,
    prediction: Prediction,
    story: Story,
    execute: Execute,
    progress: Progress,
    language: Language = "en",
) -> None:
    """Write the film; there whole or not at all."""
    falls = [number for number, moment in enumerate(story.moments) if moment.falls]
    early = set(falls[len(falls) - round(EARLY * len(falls)) :])
    proposal, azimuth = found.best, choose_azimuth(found.survey)
    rebuilt = BlockScene.from_slots(found.structure, proposal.state.filled, shade_tower(found, proposal))
    scenes: list[BlockScene] = []
    for number, moment in enumerate(story.moments):  # what differs in colours alone side by side: it is drawn quickly
        scenes += [moment.scene, mark_last(moment.scene, story.last)] if number in early else [moment.scene]
    settings = choose_view([*(moment.scene for moment in story.moments), rebuilt], azimuth)
    drawn = draw_scenes(settings, scenes, execute, progress)
    bar, pictures, marked = draw_beside(found, language=language), [], {}
    title, subtitle, caption = describe_end(found, story)
    end = Overlay(
        title=title, subtitle=break_lines(subtitle), caption=break_lines(caption), legend=(*LEGEND, OUTLINED), scale=SLOT_SCALE
    )
    with write_film(path) as film:
        for number, moment in enumerate(story.moments):  # coded while others are drawn
            pictures.append(next(drawn))
            if number in early:
                marked[number] = next(drawn)
            film.play([draw_forwards(story, moment, add_bar(pictures[-1], bar), language)], rate=FORWARDS)
        film.play([draw_card(pictures[-1], found, prediction, language)] * STILLS, rate=FORWARDS)
        film.play(play_backwards(story, pictures, marked, bar, language), rate=BACKWARDS)
        tower = draw_scene(show_tower(found.structure, azimuth), rebuilt)
        film.hold(
            draw_overlay(add_bar(tower, draw_beside(found, scale=True, language=language)), speak_overlay(end, language)),
            seconds=END_HOLD,
        )


def mark_last(scene: BlockScene, last: tuple[int, ...]) -> BlockScene:
    """Colour only the blocks that came to rest last red, and remove the outlines."""
    others = {row: colour for row, colour in scene.colours.items() if colour != PALETTE.taken}
    return scene._replace(colours=others | dict.fromkeys(last, PALETTE.taken), outlines=())


def draw_forwards(story: Story, moment: Moment, picture: Picture, language: Language) -> Picture:
    title = moment.round.capitalize() or "Before the first round"
    words = Overlay(title=title, subtitle=describe_source(story, "▶ "), caption=break_lines(moment.forwards), legend=MARKED)
    return draw_overlay(picture, speak_overlay(words, language))


def play_backwards(
    story: Story, pictures: list[Picture], last_marked: dict[int, Picture], bar: Picture, language: Language
) -> Iterator[Picture]:
    """Play a fall backwards; at first the blocks that came to rest last are marked. `bar`: the picture beside it."""
    for number, moment in reversed(list(enumerate(story.moments))):
        title = f"Undoing {moment.round}" if moment.round else "All is undone"
        legend = MARKED_LAST if number in last_marked else MARKED
        words = Overlay(
            title=title, subtitle=describe_source(story, "◀ backwards: "), caption=break_lines(moment.backwards), legend=legend
        )
        yield draw_overlay(add_bar(last_marked.get(number, pictures[number]), bar), speak_overlay(words, language))


def describe_source(story: Story, way: str) -> str:
    """Say which fall is shown."""
    return break_lines(way + story.title)


def describe_end(found: Reconstruction, story: Story) -> tuple[str, str, str]:
    """Return title, subtitle and caption of the last picture, which shows the first proposal."""
    empty = name_some(found.name_slots(~found.best.state.filled), SLOTS_NAMED) or "none"
    caption = f"Before the last pull; empty: {empty}."
    if np.isnan(found.best.probability):
        return "How it stood", "the most probable tower", caption
    parts = [name_proposal(found, 1), "" if story.rank else f"the fall before this was {story.title}"]
    return "How it stood, by this proposal", "\n".join(filter(None, parts)), caption
