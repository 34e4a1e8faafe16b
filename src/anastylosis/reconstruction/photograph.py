"""Photographs of falls whose truth is known: the blocks that are detected in one, and where each of them stood."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.assignment import UNASSIGNED
from anastylosis.detection import BlockDetector, Photo
from anastylosis.geometry import measure_turns
from anastylosis.reconstruction.falls import Fall
from anastylosis.reconstruction.scoring import KnownHeap, describe_truth
from anastylosis.rendering import frame_points, render_image, wood_look
from anastylosis.survey import Survey

SIDE = 512  # [pixels]
ELEVATION = math.radians(25), math.radians(45)
FIELD_OF_VIEW = math.radians(32)
MARGIN = 0.06
NEAR, TURNED = 0.02, math.radians(20)  # [m], [rad] a block that is found further from any true one is none of them
STREAM = 12  # of random numbers: another one than those in which the episode was played and surveyed
Floats = NDArray[np.float64]


def take_photo(fall: Fall) -> Photo:
    """One picture of what lies there, from any side, always the same."""
    rng = np.random.default_rng((fall.seed, STREAM))
    lies = fall.lies[fall.found]
    half = float(fall.size.max()) / 2
    points = np.concatenate([lies[:, :3] + half, lies[:, :3] - half])
    points[:, 2] = np.maximum(points[:, 2], 0.0)
    low, high = np.sin(ELEVATION)  # even on the sphere
    camera = frame_points(
        points, elevation=math.asin(rng.uniform(low, high)), azimuth=rng.uniform(0, 2 * math.pi), field_of_view=FIELD_OF_VIEW,
        margin=MARGIN, width=SIDE, height=SIDE,
    )  # fmt: skip
    look = wood_look(int(rng.integers(2**32)))
    turned = lies[:, 3:] / np.linalg.norm(lies[:, 3:], axis=1, keepdims=True)
    image = render_image(fall.size[fall.found], lies[:, :3], turned, camera, look, antialias=2, shadows="soft")
    return Photo(image.rgb, camera)


def photograph_fall(fall: Fall, detector: BlockDetector) -> KnownHeap:
    """Survey a fall by the blocks detected in a picture of it, and add the truth about it."""
    survey = detector.survey([take_photo(fall)])
    return describe_truth(fall, survey, match_truth(fall, survey))


def match_truth(fall: Fall, survey: Survey) -> NDArray[np.int64]:
    """(A,) the row of the fall that each block of the survey is; UNASSIGNED: none."""
    apart = np.linalg.norm(survey.position[:, None] - fall.lies[None, :, :3], axis=2)
    turned = measure_turns(survey.orientation[:, None], np.where(fall.found[:, None], fall.lies[:, 3:], (1.0, 0, 0, 0))[None])
    cost = np.where((apart <= NEAR) & (turned <= TURNED), apart, 2 * NEAR)
    cost[:, ~fall.found] = 2 * NEAR
    rows, columns = linear_sum_assignment(cost)
    match = np.full(len(survey), UNASSIGNED)
    near = cost[rows, columns] <= NEAR
    match[rows[near]] = columns[near]
    return match
