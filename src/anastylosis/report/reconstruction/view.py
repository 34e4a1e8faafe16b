"""View: from which side the pictures of one reconstruction are taken. One side for all of them, so that they can be compared."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anastylosis.rendering import STILL_VIEW, Look, Picture, make_look
from anastylosis.report.reconstruction.scene import BlockScene, ViewSettings, surround
from anastylosis.report.still import view_with_words
from anastylosis.structure import Structure
from anastylosis.survey import Survey

WIDTH, HEIGHT = 640, 540  # [pixels] of what is seen in a film,
BAR = 320  # [pixels] and of the bar beside it, where colours are explained and hide nothing
LEGEND_ROOM, SCALE_ROOM = 126, 142  # [pixels] of its height for the legend at the top, and for a scale of colours at the bottom
# Vertical. A long lens, from far away: through the paper's, 32 degrees, a tower at the side of the picture seems to lean.
LENS = math.radians(4.0)
DARK = (24, 27, 32)
WORDS = 0.2  # share of the height for the title and two lines below it, and for the caption
# From these sides two faces of a tower are seen: the paper's 35 degrees, their mirror images, and a quarter turn on.
SIDES = tuple(
    quarter * math.pi / 2 + side for quarter in range(4) for side in (STILL_VIEW.azimuth, math.pi / 2 - STILL_VIEW.azimuth)
)
BESIDE = 0.03  # [m] a heap whose middle is no further than this from that of the tower fell to no side
FAR = 1.0  # [m] what rolls further from the tower than 99 of 100 blocks do is not kept in the picture: all else would be small


def choose_azimuth(survey: Survey) -> float:
    """Choose the azimuth [rad, from world x] that shows the fall across the picture; the paper's if it fell to no side."""
    middle = np.median(survey.position[:, :2], axis=0)
    if math.hypot(*middle) < BESIDE:
        return STILL_VIEW.azimuth
    way = math.atan2(middle[1], middle[0])
    return min(SIDES, key=lambda side: round(abs(math.cos(side - way)), 6))


def light_from(azimuth: float) -> Look:
    """Return wood with the light where it is in the paper's view: to the left of the eye."""
    plain = make_look("wood", 0)
    return replace(plain, light_azimuth=math.remainder(plain.light_azimuth + azimuth - STILL_VIEW.azimuth, 2 * math.pi))


def choose_view(scenes: Sequence[BlockScene], azimuth: float, width: int = WIDTH, height: int = HEIGHT) -> ViewSettings:
    """Choose one view of all scenes, with room for words above and below."""
    size, position, orientation = (
        np.concatenate([getattr(scene, name)[scene.present] for scene in scenes]) for name in ("size", "position", "orientation")
    )
    near = np.linalg.norm(position[:, :2], axis=1) <= FAR
    rows = np.flatnonzero(near) if near.any() else np.arange(len(near))
    points = surround(size[rows], position[rows], orientation[rows])
    return ViewSettings(view_with_words(points, width, height, azimuth, WORDS, LENS), light_from(azimuth))


def show_tower(structure: Structure, azimuth: float) -> ViewSettings:
    """Return a near view of all slots, the tower in the middle: for the end, when all is rebuilt."""
    points = BlockScene.from_slots(structure).surround()
    return ViewSettings(view_with_words(points, WIDTH, HEIGHT, azimuth, WORDS, LENS), light_from(azimuth), "soft")


def draw_bar(height: int = HEIGHT, chart: Picture | None = None) -> Picture:
    """Draw the bar to the right of a picture of this height.

    A chart, if there is one and it fits, goes below the room for the legend.
    """
    bar = np.full((height, BAR, 3), DARK, np.uint8)
    if chart is not None and chart.shape[0] <= height - LEGEND_ROOM and chart.shape[1] <= BAR:
        left = (BAR - chart.shape[1]) // 2
        bar[LEGEND_ROOM : LEGEND_ROOM + chart.shape[0], left : left + chart.shape[1]] = chart
    return bar


def add_bar(picture: Picture, bar: Picture) -> Picture:
    """Join a picture and the bar, side by side."""
    return np.concatenate([picture, bar], axis=1)
