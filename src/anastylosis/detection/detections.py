"""Detections: blocks with poses, logits and deviations; their calibration, and the survey made from them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.arrays import Flags, Floats
from anastylosis.detection.card import DetectorCalibration
from anastylosis.detection.proposals import BoxProposals, join_proposals
from anastylosis.errors import InvalidInput
from anastylosis.geometry import to_quaternions
from anastylosis.survey import Ground, Survey

__all__ = [
    "NO_BLOCKS",
    "PROBABILITY_MIN",
    "STANDS",
    "Detections",
    "calibrate",
    "calibrate_logits",
    "join_detections",
    "make_survey",
]

PROBABILITY_MIN = 0.175  # of a block in a survey; on the validation split four in five of these were right
MEAN_PROBABILITY_MIN = 0.42  # mean over the blocks of a survey: noise had less, debris more
STANDS, FELL = "stands", "fell"
NO_BLOCKS: Final = "no_blocks"  # kind of the error
NOTHING_SEEN = "no block is seen in the picture; is the camera the one that took it, and do the blocks fill it?"
HARDLY_BLOCKS = (
    "what is seen is hardly like blocks, {:.0%} sure on average; is the camera the one that took the picture, and are blocks "
    "large and sharp in it?"
)


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


def calibrate(found: Detections, calibration: DetectorCalibration, views: int) -> Detections:
    """Calibrate the logits, and the deviations of fallen blocks."""
    place, turn = (np.where(found.stands, 1.0, factor) for factor in (calibration.place, calibration.turn))
    return found._replace(
        logit=calibrate_logits(found.logit, calibration, views), place_sd=place * found.place_sd, turn_sd=turn * found.turn_sd
    )


def calibrate_logits(logit: Floats, calibration: DetectorCalibration, views: int) -> Floats:
    """Calibrate logits that come from so many views."""
    row = min(views, len(calibration.slope)) - 1
    return calibration.slope[row] * logit + calibration.offset[row]


def make_survey(found: Detections, *, ground: Ground | None = None, source: str = "") -> Survey:
    """Make a survey of the blocks that are probable enough; raise when there are none, or hardly any sure one."""
    kept = found.take(np.flatnonzero(expit(found.logit) >= PROBABILITY_MIN))
    sure = expit(kept.logit)
    if not len(sure):
        raise InvalidInput(NOTHING_SEEN, kind=NO_BLOCKS)
    if sure.mean() < MEAN_PROBABILITY_MIN:
        raise InvalidInput(HARDLY_BLOCKS.format(sure.mean()), kind=NO_BLOCKS)
    return Survey(
        ids=tuple(f"block-{number:03d}" for number in range(1, len(kept.logit) + 1)),
        size=kept.blocks.size,
        position=kept.blocks.position,
        orientation=to_quaternions(kept.blocks.axes),
        position_sd=kept.place_sd,
        orientation_sd=np.minimum(kept.turn_sd, np.pi),
        certainty=sure,
        notes=tuple(f"{STANDS if stands else FELL}, {share:.0%} sure" for stands, share in zip(kept.stands, sure, strict=True)),
        ground=ground or Ground(),
        source=source,
    )
