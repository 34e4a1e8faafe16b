"""Slot classifier: predicts which slots of the tower are still filled.

A crop has the two faces of the slot that are turned to the camera, laid flat, so that slots look alike from everywhere.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats, Singles
from anastylosis.detection.detections import BoxProposals
from anastylosis.detection.view import FOOTPRINT, HEIGHT_UNIT, View
from anastylosis.geometry import find_corners
from anastylosis.rendering import sample
from anastylosis.structure import BLOCK_SIZE

SLOT_CROP = (24, 32)  # [samples] downwards and across
SLOT_CHANNELS = 6  # red, green, blue of the end; of the side
SLOT_FEATURES = (
    6  # height; steepness of the view; size of a pixel; how squarely each face is seen (2); offset from the tower's axis
)
DOWN, ACROSS_END, ACROSS_SIDE = 2.5e-3, 2.5e-3, 3.2e-3  # [m] between samples of the paper's block: 60 mm in all, 80 and 102
SLOTS_PER_STEP = 12  # slots at once: four courses
EMPTY_BELOW, UNSEEN_LOGIT = -3.0, -20.0  # logits: below this a slot is surely empty; of a slot that no picture shows


class SlotCrops(NamedTuple):
    """Inputs of the net for N slots."""

    picture: Singles  # (N, SLOT_CHANNELS, *SLOT_CROP)
    about: Singles  # (N, SLOT_FEATURES)


SlotClassifierFunction = Callable[[SlotCrops], Singles]  # -> (N,) logits of a block


def cut_slot_crops(view: View, slots: BoxProposals) -> SlotCrops:
    """Cut the crops of slots. The edge between the two faces is on the right of both."""
    camera = view.camera
    to_eye = np.asarray(camera.eye) - slots.position
    distance = np.linalg.norm(to_eye, axis=1)
    seen = np.einsum("nij,ni->nj", slots.axes, to_eye)  # along each axis of the slot
    near = slots.axes * np.where(seen < 0, -1.0, 1.0)[:, None]  # axes that point to the camera's side
    colours = [sample(view.picture, camera.project(lay_grid(slots, near, face))[0]) for face in (0, 1)]
    about = np.stack(
        [
            slots.position[:, 2] / HEIGHT_UNIT,
            to_eye[:, 2] / distance,
            camera.pixel_size * distance / FOOTPRINT - 1,
            np.abs(seen[:, 0]) / distance,
            np.abs(seen[:, 1]) / distance,
            np.einsum("ni,ni->n", slots.position, near[..., 1]) / slots.size[:, 1],
        ],
        axis=1,
    )
    return SlotCrops(np.moveaxis(np.concatenate(colours, axis=-1), -1, 1), about.astype(np.float32))


def lay_grid(slots: BoxProposals, near: Floats, face: int) -> Floats:
    """Return the samples (N, *SLOT_CROP, 3) [m] of the faces across axis 0 or 1; `near` are the axes that point to the camera.

    They follow the sides of the slot: blocks of any proportions look alike.
    """
    rows, columns = (np.arange(count) - (count - 1) / 2 for count in SLOT_CROP)
    stretch = slots.size / BLOCK_SIZE
    across = (ACROSS_END, ACROSS_SIDE)[face] * columns[:, None] * (stretch[:, 1 - face, None] * near[..., 1 - face])[:, None]
    down = np.zeros((len(slots.size), len(rows), 3))
    down[..., 2] = -DOWN * stretch[:, 2, None] * rows
    middle = slots.position + slots.size[:, face, None] / 2 * near[..., face]
    return middle[:, None, None] + across[:, None] + down[:, :, None]


def classify_slots(views: Sequence[View], slot_classifier: SlotClassifierFunction, slots: BoxProposals) -> Floats:
    """Return the logit (V, N) of a block in each slot for each view, from the floor up to where none is filled; NaN: not seen."""
    count = len(slots.size)
    logit = np.full((len(views), count), np.nan)
    for begin in range(0, count, SLOTS_PER_STEP):
        rows = np.arange(begin, min(begin + SLOTS_PER_STEP, count))
        logit[:, rows] = [classify_in_view(view, slot_classifier, slots.take(rows)) for view in views]
        if np.isfinite(logit[:, rows]).any() and not (logit[:, rows] > EMPTY_BELOW).any():
            break
    return logit


def average_logits(logit: Floats) -> Floats:
    """Average the logits (V, N) over the views that show a slot; slots that none shows count as empty."""
    seen = np.isfinite(logit)
    return np.where(seen.any(axis=0), np.where(seen, logit, 0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1), UNSEEN_LOGIT)


def classify_in_view(view: View, slot_classifier: SlotClassifierFunction, slots: BoxProposals) -> Floats:
    """Return the logits (N,) for one view; NaN for slots that are not wholly in the picture."""
    corners = find_corners(slots.position, slots.size, slots.axes)
    pixels, depth = view.camera.project(corners)
    shown = ((pixels >= 0) & (pixels < (view.camera.width, view.camera.height))).all(axis=(1, 2)) & (depth > 0).all(axis=1)
    inside = np.flatnonzero(shown)
    logit = np.full(len(depth), np.nan)
    if len(inside):
        logit[inside] = slot_classifier(cut_slot_crops(view, slots.take(inside)))
    return logit
