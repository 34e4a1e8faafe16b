"""Blocks in the colours of a scale: how sure, how high, how right. The picture says what its colours mean."""

from functools import partial

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.geometry import find_corners, make_matrices
from anastylosis.rendering import (
    ColourScale,
    Overlay,
    Picture,
    draw_overlay,
    frame_points,
    make_look,
    probability_colours,
    render_image,
)
from anastylosis.report.colour import to_bytes

GREY = (0.6, 0.6, 0.6)  # of a block that the scale says nothing of
SIZE = 512  # [pixels]


def draw_shaded(
    blocks: tuple[Floats, Floats, Floats],
    shade: Floats,
    title: str,
    *,
    ends: tuple[str, str] = ("0 %", "100 %"),
    label: str = "",
    gone: bool = False,
    size: int = SIZE,
) -> Picture:
    """Draw boxes with the colours of numbers, (size, size, 3).

    `blocks`: sizes (N, 3) [m], positions (N, 3) [m] and orientations (N, 4). `shade` (N,): 0..1; NaN is grey. `ends`,
    `label`: what 0 and 1 mean, and the numbers between them. `gone`: in the colours of what was not there, instead of what was.
    """
    sides, position, orientation = blocks
    corners = find_corners(position, sides, make_matrices(orientation))
    camera = frame_points(corners.reshape(-1, 3), width=size, height=size, margin=0.12)
    known = np.isfinite(shade)
    paint = partial(probability_colours, absent=gone)
    colours = dict(enumerate(paint(np.where(known, shade, 0.0))))
    colours |= {int(row): np.array(GREY) for row in np.flatnonzero(~known)}
    image = render_image(sides, position, orientation, camera, make_look("wood", 0), colours=colours, antialias=2, shadows="soft")
    steps = [to_bytes(colour) for colour in paint(np.linspace(0, 1, 5)).tolist()]
    scale = ColourScale(colours=steps, low=ends[0], high=ends[1], label=label)
    return draw_overlay(image.rgb, Overlay(title=title, scale=scale))
