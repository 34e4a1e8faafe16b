"""The film of an episode: block after block is pulled, the tower falls, all in one fixed view."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from anastylosis.arrays import Pixels
from anastylosis.episode import EpisodeFrames
from anastylosis.rendering import Camera, Look, Overlay, draw_overlay, make_look, write_film
from anastylosis.report.colour import HIGHLIGHT
from anastylosis.report.still import draw_frame, look_seed, view_episode
from anastylosis.units import newtons_to_millinewtons

START_HOLD, END_HOLD = 1.0, 3.0  # [s] that the first and the last picture stay
WAYS = {"x": "across", "y": "along its length"}
OUTCOMES = {"out": "It is out.", "stuck": "It is stuck.", "collapse": ""}  # a fall has its own caption


def film_episode(
    path: str | Path,
    document: Mapping[str, Any],
    frames: EpisodeFrames,
    *,
    width: int = 640,
    height: int = 640,
    look: Look | None = None,
) -> None:
    """Write the episode as an MP4 in real time, the block in the hand marked. `document` is its annotation."""
    rate = 1 / (document["config"]["record_every"] * document["config"]["engine"]["timestep"])
    camera = view_episode(document, frames, width, height)
    draw = partial(draw_shot, document, frames, camera, look or make_look("wood", look_seed(document)))
    last = len(frames.time) - 1
    with write_film(path) as film:
        film.hold(draw(0), seconds=START_HOLD)
        film.play(map(draw, range(1, last + 1)), rate=rate)
        film.hold(draw(last), seconds=END_HOLD)


def draw_shot(document: Mapping[str, Any], frames: EpisodeFrames, camera: Camera, look: Look, row: int) -> Pixels:
    """Draw one frame with its words."""
    time = float(frames.time[row])
    played = find_round(document["rounds"], time)
    colours = {document["blocks"].index(played["removed_block"]): HIGHLIGHT} if played else {}
    return draw_overlay(draw_frame(document, frames, row, camera, look, colours), describe(document, played, time))


def find_round(rounds: list[Mapping[str, Any]], time: float) -> Mapping[str, Any] | None:
    """Find the round that is played at this time, None before the first."""
    begun = [played for played in rounds if played["start_time"] < time]
    return begun[-1] if begun else None


def describe(document: Mapping[str, Any], played: Mapping[str, Any] | None, time: float) -> Overlay:
    """Return the words on a frame."""
    config = document["config"]
    caption = "A tower, settled."
    if played is not None:
        steps = int((time - played["start_time"]) / config["engine"]["timestep"] + 0.5)
        caption = f"{played['round'] + 1}. {played['removed_block']} {WAYS[played['axis']]}: {describe_forces(played, steps)}"
    if document["collapsed"] and time >= document["collapse_time"]:
        labels = document["labels"]
        caption = f"The tower falls at layer {labels['failure_course']}."
        if time >= document["seconds"]:
            caption = f"It fell at layer {labels['failure_course']}; {labels['blocks_on_floor']} blocks came down to the floor."
    return Overlay(title=f"{config['layers']} layers, μ = {config['friction']:.3g}", subtitle=f"{time:.1f} s", caption=caption)


def describe_forces(played: Mapping[str, Any], steps: int) -> str:
    """Describe the largest force felt so far, the closed form's force, and, at the end, the outcome."""
    felt = newtons_to_millinewtons(max(played["forces"][: steps + 1], default=0.0))
    expected = newtons_to_millinewtons(played["force_loaded"])
    outcome = OUTCOMES[played["outcome"]] if steps >= len(played["forces"]) - 1 else ""
    return f"{felt:.0f}\N{NO-BREAK SPACE}mN felt, {expected:.0f}\N{NO-BREAK SPACE}mN expected. {outcome}".rstrip()
