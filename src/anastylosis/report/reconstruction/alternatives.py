"""The alternatives side by side: the first proposals, each block in the colour of how sure it is that its slot was filled."""

import numpy as np

from anastylosis.reconstruct.case import Execute, Tell
from anastylosis.reconstruct.reconstruction import Hypothesis, Reconstruction
from anastylosis.render import ColourScale, Overlay, draw_overlay, frame_points
from anastylosis.render.picture import Picture
from anastylosis.report.reconstruction.fates import tell_fate
from anastylosis.report.reconstruction.scene import Stage, build_scene, draw_scenes, surround
from anastylosis.report.reconstruction.shades import BYTES, LEGEND, SURENESS, TAKEN, shade_tower
from anastylosis.report.reconstruction.view import choose_azimuth, light_from

__all__ = ["draw_alternatives"]

SHOWN, COLUMNS = 6, 3
WIDTH, HEIGHT = 420, 620  # [pixels] of one
FREE = 0.15  # share of the height above and below the tower, for words
NAMES = 8  # empty slots that are named


def draw_alternatives(found: Reconstruction, execute: Execute, tell: Tell) -> Picture:
    """The first six, or as many as there are, in rows of three."""
    shown = found.hypotheses[:SHOWN]
    scenes = [build_scene(found.structure, each.state.filled, shade_tower(found, each)) for each in shown]
    points = surround(found.structure.blocks.size, found.structure.position)
    azimuth = choose_azimuth(found.survey)
    camera = frame_points(points, azimuth=azimuth, width=WIDTH, height=HEIGHT, margin=FREE)
    pictures = draw_scenes(Stage(camera, light_from(azimuth), "soft"), scenes, execute, tell)
    legend = (*LEGEND, ("was empty", BYTES[TAKEN]))
    drawn = []
    for rank, (each, picture) in enumerate(zip(shown, pictures, strict=True), 1):
        first = rank == 1
        words = Overlay(
            title=name_alternative(rank, each), caption=describe(found, each), legend=legend if first else (),
            scale=scale_for(SURENESS) if first else None,
        )  # fmt: skip
        drawn.append(draw_overlay(picture, words))
    while len(drawn) % COLUMNS and len(drawn) > COLUMNS:
        drawn.append(np.full((HEIGHT, WIDTH, 3), 255, np.uint8))
    rows = [np.concatenate(drawn[start : start + COLUMNS], axis=1) for start in range(0, len(drawn), COLUMNS)]
    return np.ascontiguousarray(np.concatenate(rows))


def scale_for(scale: ColourScale) -> ColourScale:
    return ColourScale(colours=scale.colours, low=scale.low, high=scale.high, label="inference: slot was filled")


def name_alternative(rank: int, hypothesis: Hypothesis) -> str:
    return "The most probable" if np.isnan(hypothesis.probability) else f"Proposal {rank}: {hypothesis.probability:.0%}"


def describe(found: Reconstruction, hypothesis: Hypothesis) -> str:
    """Which slots were empty, and what came of it when it was let fall again."""
    empty = found.name_slots(~hypothesis.state.filled)
    named = ", ".join(empty[:NAMES]) + (f" and {len(empty) - NAMES} more" if len(empty) > NAMES else "")
    words = f"empty: {named or 'none'}"
    if hypothesis.pull is None:
        return words
    came = tell_fate(found.describe_hypothesis(0, hypothesis), found.fallen)
    return f"{words}\n{hypothesis.pull.block} pulled: {came}"
