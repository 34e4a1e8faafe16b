"""Detections: proposed boxes; with logits and deviations, detected blocks; their calibration, and the survey made from them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.arrays import Flags, Floats, Integers, Singles
from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices, make_rotations, to_quaternions
from anastylosis.rendering import Camera
from anastylosis.structure import jenga_tower
from anastylosis.survey import Ground, Survey, check_survey

if TYPE_CHECKING:
    from anastylosis.detection.nets import DetectorCalibration


FACE_SLOPE_MIN = 1e-7  # least slope of a ray against a face
COURSES = 30  # of the highest tower that is looked for
PROBABILITY_MIN = 0.175  # of a block in a survey; on the validation split four in five of these were right
MEAN_PROBABILITY_MIN = 0.42  # mean over the blocks of a survey: noise had less, debris more
STANDS, FELL = "stands", "fell"
NO_BLOCKS: Final = "no_blocks"  # kind of the error
NOTHING_SEEN = "no block is seen in the picture; is the camera the one that took it, and do the blocks fill it?"
HARDLY_BLOCKS = (
    "what is seen is hardly like blocks, {:.0%} sure on average; is the camera the one that took the picture, and are blocks "
    "large and sharp in it?"
)


class BoxProposals(NamedTuple):
    """N boxes that may be blocks."""

    size: Floats  # (N, 3) [m]
    position: Floats  # (N, 3) [m]
    axes: Floats  # (N, 3, 3) as columns

    def take(self, rows: NDArray[np.generic]) -> "BoxProposals":
        """Return the proposals of these rows."""
        return BoxProposals(*(part[rows] for part in self))


def join_proposals(parts: Sequence[BoxProposals]) -> BoxProposals:
    """Concatenate proposals."""
    return BoxProposals(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def move(proposals: BoxProposals, shift: Floats, turn: Floats) -> BoxProposals:
    """Shift proposals by (N, 3) [m] and turn them by rotation vectors (N, 3) [rad], in the world."""
    return proposals._replace(position=proposals.position + shift, axes=make_rotations(turn) @ proposals.axes)


def mirror_proposals(proposals: BoxProposals) -> BoxProposals:
    """Mirror proposals in the plane y = 0; slots of a tower become slots."""
    return proposals._replace(position=proposals.position * (1.0, -1.0, 1.0), axes=mirror_axes(proposals.axes, 1, -1))


def enter_boxes(camera: Camera, pixels: Floats, boxes: BoxProposals) -> tuple[Singles, Integers]:
    """Return the depths (N, ...) [m] at which rays through pixels (N, ..., 2) enter their box, and the axes of the faces entered.

    Depths are infinite where a ray misses. Slab method.
    """
    spread = (len(boxes.size), *(1 for _ in pixels.shape[1:-1]), 3)
    eye = np.einsum("nij,ni->nj", boxes.axes, np.asarray(camera.eye) - boxes.position).astype(np.float32).reshape(spread)
    right, down, ahead = (np.einsum("nij,i->nj", boxes.axes, axis).astype(np.float32).reshape(spread) for axis in camera.axes)
    x = ((pixels[..., :1] - camera.width / 2) * camera.pixel_size).astype(np.float32)
    y = ((pixels[..., 1:] - camera.height / 2) * camera.pixel_size).astype(np.float32)
    ray = ahead + x * right + y * down
    slope = 1 / np.where(np.abs(ray) < FACE_SLOPE_MIN, np.float32(FACE_SLOPE_MIN), ray)
    middle, reach = -eye * slope, np.abs(slope) * (boxes.size / 2).astype(np.float32).reshape(spread)
    face = (middle - reach).argmax(axis=-1)
    entry = (middle - reach).max(axis=-1)
    return np.where((entry > 0) & (entry < (middle + reach).min(axis=-1)), entry, np.float32(np.inf)), face


def tower_slots(size: Floats, courses: int = COURSES) -> BoxProposals:
    """Return the slots of a tower as boxes of one size (3,), from the floor up."""
    length, width, height = (float(side) for side in size)
    tower = jenga_tower(courses, size=(length, width, height))
    return BoxProposals(np.tile(size, (len(tower), 1)), np.array(tower.position), make_matrices(tower.orientation))


def scale_detections(found: "Detections", share: float) -> "Detections":
    """Multiply all lengths by a share."""
    size, position, axes = found.blocks
    return found._replace(blocks=BoxProposals(share * size, share * position, axes), place_sd=share * found.place_sd)


class Detections(NamedTuple):
    """N detected blocks."""

    blocks: BoxProposals
    logit: Floats  # (N,) log odds of a block there; a fallen one within 20 mm and 20 degrees
    place_sd: Floats  # (N,) [m]
    turn_sd: Floats  # (N,) [rad]
    stands: Flags  # (N,) still in its slot

    def take(self, rows: NDArray[np.generic]) -> "Detections":
        """Return the detections of these rows."""
        return Detections(self.blocks.take(rows), *(part[rows] for part in self[1:]))


def join_detections(parts: Sequence[Detections]) -> Detections:
    """Concatenate detections."""
    blocks, *others = zip(*parts, strict=True)
    return Detections(join_proposals(blocks), *(np.concatenate(each) for each in others))


def calibrate(found: Detections, calibration: "DetectorCalibration", views: int) -> Detections:
    """Calibrate the logits, and the deviations of fallen blocks."""
    place, turn = (np.where(found.stands, 1.0, factor) for factor in calibration.deviation_factors)
    return found._replace(
        logit=calibrate_logits(found.logit, calibration, views), place_sd=place * found.place_sd, turn_sd=turn * found.turn_sd
    )


def calibrate_logits(logit: Floats, calibration: "DetectorCalibration", views: int) -> Floats:
    """Calibrate logits that come from so many views."""
    row = min(views, len(calibration.slope)) - 1
    return calibration.slope[row] * logit + calibration.offset[row]


def make_survey(found: Detections, *, ground: Ground | None = None, source: str = "") -> Survey:
    """Make a survey of the blocks that are probable enough and not in the air; raise when none is, or hardly any sure."""
    kept = found.take(np.flatnonzero(expit(found.logit) >= PROBABILITY_MIN))
    sure = expit(kept.logit)
    if not len(sure):
        raise InvalidInput(NOTHING_SEEN, kind=NO_BLOCKS)
    if sure.mean() < MEAN_PROBABILITY_MIN:
        raise InvalidInput(HARDLY_BLOCKS.format(sure.mean()), kind=NO_BLOCKS)
    survey = describe_blocks(kept, sure, ground or Ground(), source)
    floating = [row for issue in check_survey(survey) if issue.kind == "floating" for row in issue.rows]
    if floating:  # what they carry hangs in the air without them
        return make_survey(kept.take(np.delete(np.arange(len(sure)), floating)), ground=ground, source=source)
    return survey


def describe_blocks(kept: Detections, sure: Floats, ground: Ground, source: str) -> Survey:
    """Write detected blocks, with their probabilities (N,), as a survey."""
    return Survey(
        ids=tuple(f"block-{number:03d}" for number in range(1, len(kept.logit) + 1)),
        size=kept.blocks.size,
        position=kept.blocks.position,
        orientation=to_quaternions(kept.blocks.axes),
        position_sd=kept.place_sd,
        orientation_sd=np.minimum(kept.turn_sd, np.pi),
        certainty=sure,
        notes=tuple(f"{STANDS if stands else FELL}, {share:.0%} sure" for stands, share in zip(kept.stands, sure, strict=True)),
        ground=ground,
        source=source,
    )


def mirror_axes(axes: Floats, along_x: int, along_y: int) -> Floats:
    """Mirror rotation matrices (..., 3, 3); the columns change signs, too, so that the images are rotations."""
    signs = np.array([along_x, along_y, 1.0])
    return axes * signs[:, None] * signs
