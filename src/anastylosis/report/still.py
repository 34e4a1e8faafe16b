"""The final picture of an episode: debris at rest, and nothing that gives the answer away."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Pixels
from anastylosis.episode import EpisodeFrames
from anastylosis.geometry import find_corners, make_matrices
from anastylosis.rendering import (
    STILL_VIEW,
    Camera,
    Look,
    frame_points,
    make_look,
    render_image,
    scene_points,
    still_camera,
)

VIEWS = ("debris", "model")
ANTIALIAS = 2  # rays along a pixel's side
WORDS = 0.11  # share of a film's height for the title, and for the caption; with the margin, enough from 480 pixels on


def draw_final(
    document: Mapping[str, Any], frames: EpisodeFrames, *, size: int = 512, look: Look | None = None, view: str = "debris"
) -> Pixels:
    """Draw the last frame (size, size, 3) with soft shadows: as near as its debris allows, or from the models' camera.

    `document` is the episode's annotation. There are no words and no colours of slots. Tones and grain come from the seed, and
    tell nothing of where a block stood.
    """
    camera = aim_final(document, frames, size, view)
    last = len(frames.time) - 1
    return draw_frame(document, frames, last, camera, look or make_look("wood", look_seed(document)), shadows="soft")


def aim_final(document: Mapping[str, Any], frames: EpisodeFrames, size: int, view: str) -> Camera:
    """Return the camera of a final picture."""
    return still_camera(size) if view == "model" else view_final(document, frames, size)


def view_final(document: Mapping[str, Any], frames: EpisodeFrames, size: int) -> Camera:
    """Return the paper's view, as near as every block of the last frame allows, whole; scales differ between episodes."""
    there = frames.present[-1]
    axes = make_matrices(frames.orientation[-1, there].astype(float))
    corners = find_corners(frames.position[-1, there], np.array(document["sizes"])[there], axes)
    return frame_points(corners.reshape(-1, 3), width=size, height=size)


def view_episode(document: Mapping[str, Any], frames: EpisodeFrames, width: int, height: int) -> Camera:
    """Return the paper's view, far enough for the tower and every frame, with bands for words above and below.

    One view, and so one scale, for the whole film. Blocks that fly or roll far make the tower small.
    """
    half = float(np.max(document["sizes"])) / 2
    around = np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)])
    seen = (frames.position[frames.present][:, None] + around).reshape(-1, 3)
    tower = scene_points(document["config"]["layers"], reach=2 * half)
    return view_with_words(np.concatenate([tower, seen]), width, height)


def view_with_words(
    points: NDArray[np.float64],
    width: int,
    height: int,
    azimuth: float = STILL_VIEW.azimuth,
    words: float = WORDS,
    field_of_view: float = STILL_VIEW.field_of_view,
) -> Camera:
    """Return a view of world points (N, 3) with free bands for words above and below.

    Each band is this share of the height. The view is the paper's, unless another side or lens is given.
    """
    middle = round((1 - 2 * words) * height)
    view = frame_points(points, azimuth=azimuth, field_of_view=field_of_view, width=width, height=middle)
    return replace(view, height=height, field_of_view=2 * math.atan(math.tan(view.field_of_view / 2) * height / middle))


def look_seed(document: Mapping[str, Any]) -> int:
    """Return the seed of an episode's look."""
    return int(document["seed"]) % 2**32


def draw_frame(
    document: Mapping[str, Any],
    frames: EpisodeFrames,
    row: int,
    camera: Camera,
    look: Look,
    colours: Mapping[int, Any] | None = None,
    *,
    shadows: str = "hard",
) -> Pixels:
    """Draw one frame."""
    image = render_image(
        document["sizes"], frames.position[row], frames.orientation[row], camera, look,
        present=frames.present[row], colours=colours, antialias=ANTIALIAS, shadows=shadows,
    )  # fmt: skip
    return image.rgb
