"""The first proposals side by side, each block coloured by the certainty that its slot was filled."""

import numpy as np

from anastylosis.progress import Execute, Progress
from anastylosis.reconstruction import Hypothesis, Reconstruction
from anastylosis.rendering import Overlay, Picture, draw_key, draw_overlay, frame_points
from anastylosis.report.colour import PALETTE
from anastylosis.report.reconstruction.fates import describe_fate
from anastylosis.report.reconstruction.naming import name_some
from anastylosis.report.reconstruction.scene import BlockScene, ViewSettings, draw_scenes
from anastylosis.report.reconstruction.shades import BYTES, LEGEND, SLOT_SCALE, shade_tower
from anastylosis.report.reconstruction.speaking import speak_overlay
from anastylosis.report.reconstruction.view import DARK, LENS, choose_azimuth, light_from
from anastylosis.translation import Language

SHOWN, COLUMNS = 6, 3
WIDTH, HEIGHT = 420, 620  # [pixels] of one
FREE = 0.13  # share of the height above and below the tower, for words
NAMES = 24  # empty slots that are named; the report has all
LETTER = 18  # [pixels] of the legend


def draw_proposals(found: Reconstruction, execute: Execute, progress: Progress, language: Language = "en") -> Picture:
    """Draw the first six proposals, or as many as there are, in rows of three."""
    shown = found.hypotheses[:SHOWN]
    scenes = [BlockScene.from_slots(found.structure, each.state.filled, shade_tower(found, each)) for each in shown]
    points = BlockScene.from_slots(found.structure).surround()
    azimuth = choose_azimuth(found.survey)
    camera = frame_points(points, azimuth=azimuth, field_of_view=LENS, width=WIDTH, height=HEIGHT, margin=FREE)
    pictures = draw_scenes(ViewSettings(camera, light_from(azimuth), "soft"), scenes, execute, progress)
    drawn = []
    for rank, (each, picture) in enumerate(zip(shown, pictures, strict=True), 1):
        words = Overlay(title=name_proposal(rank, each), caption=describe(found, each))
        drawn.append(draw_overlay(picture, speak_overlay(words, language)))
    while len(drawn) % COLUMNS and len(drawn) > COLUMNS:
        drawn.append(np.full((HEIGHT, WIDTH, 3), 255, np.uint8))
    rows = [np.concatenate(drawn[start : start + COLUMNS], axis=1) for start in range(0, len(drawn), COLUMNS)]
    legend = (*LEGEND, ("was empty", BYTES[PALETTE.taken]))
    explained = speak_overlay(Overlay(legend=legend, scale=SLOT_SCALE), language)
    key = draw_key(explained, LETTER, rows[0].shape[1], scale_width=WIDTH, background=DARK)
    return np.ascontiguousarray(np.concatenate([*rows, key]))


def name_proposal(rank: int, hypothesis: Hypothesis) -> str:
    return "The most probable" if np.isnan(hypothesis.probability) else f"Proposal {rank}: {hypothesis.probability:.0%}"


def describe(found: Reconstruction, hypothesis: Hypothesis) -> str:
    """Name the empty slots of a proposal, and the result of its simulated fall."""
    empty = found.name_slots(~hypothesis.state.filled)
    words = f"empty: {name_some(empty, NAMES) or 'none'}"
    if hypothesis.pull is None:
        return words
    came = describe_fate(found.describe_hypothesis(0, hypothesis), found.fallen)
    return f"{words}\n{hypothesis.pull.block} pulled: {came}"
