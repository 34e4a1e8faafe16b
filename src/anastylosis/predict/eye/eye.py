"""Eye: pictures of one scene in, a survey of the blocks in them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.errors import InvalidInput
from anastylosis.predict.eye.looking import Found, Sight, find_extent, look
from anastylosis.predict.eye.model import FinderModel, FitterModel
from anastylosis.predict.eye.quaternion import to_quaternions
from anastylosis.predict.eye.slots import tower_slots
from anastylosis.predict.eye.view import FOOT, frame_eye, level_camera, take_view
from anastylosis.render.camera import Camera
from anastylosis.survey import Survey

__all__ = ["Eye", "Photo"]

SURE = 0.5  # blocks that are less probable are left out
FINE = 2e-3  # [m] that a pixel of a picture covers in which proposed blocks are looked at
PHOTOS_MAX = 16


class Photo(NamedTuple):
    """A picture and the camera that took it, in the ground frame."""

    picture: NDArray[np.uint8]  # (H, W, 3)
    camera: Camera


@dataclass(frozen=True, kw_only=True, eq=False)
class Eye:
    """Two nets at work: pixels propose blocks, then each proposed block is looked at."""

    finder: FinderModel
    fitter: FitterModel

    @classmethod
    def from_files(cls, finder: str | Path, fitter: str | Path, threads: int = 1) -> "Eye":
        """Open what the trainings of `learn.eye` have written."""
        return cls(finder=FinderModel.from_file(finder, threads), fitter=FitterModel.from_file(fitter, threads))

    def look(self, photos: Sequence[Photo]) -> Found:
        """Blocks that are seen, each with its odds and deviations, calibrated as the fitter's card says."""
        if not 1 <= len(photos) <= PHOTOS_MAX:
            raise InvalidInput(f"there are {len(photos)} pictures; 1 to {PHOTOS_MAX} of one scene are looked at")
        size = np.array(self.fitter.card.size)
        found = look([self.take_sight(photo) for photo in photos], self.finder, self.fitter, size, tower_slots(size))
        calibration = self.fitter.card.calibration
        row = min(len(photos), len(calibration.slope)) - 1
        return found._replace(
            odds=calibration.slope[row] * found.odds + calibration.offset[row],
            place_sd=calibration.place * found.place_sd,
            turn_sd=calibration.turn * found.turn_sd,
        )

    def take_sight(self, photo: Photo) -> Sight:
        """The picture level, and so near that what lies there fills it."""
        whole = level_camera(photo.camera)
        extent = find_extent(take_view(photo.picture, photo.camera, whole), self.finder)
        coarse, fine = (whole, whole) if extent is None else (frame_eye(photo.camera.eye, extent, foot) for foot in (FOOT, FINE))
        return Sight(take_view(photo.picture, photo.camera, coarse), take_view(photo.picture, photo.camera, fine))

    def survey(self, photos: Sequence[Photo], *, source: str = "") -> Survey:
        """Blocks that are more probably there than not."""
        found = self.look(photos)
        chance = expit(found.odds)
        kept = found.take(np.flatnonzero(chance >= SURE))
        if not len(kept.odds):
            raise InvalidInput("no block is seen in the picture; is the camera the one that took it, and do the blocks fill it?")
        return Survey(
            ids=tuple(f"block-{number:03d}" for number in range(1, len(kept.odds) + 1)),
            size=kept.blocks.size,
            position=kept.blocks.position,
            orientation=to_quaternions(kept.blocks.axes),
            position_sd=kept.place_sd,
            orientation_sd=kept.turn_sd,
            notes=tuple(f"seen, {share:.0%} sure" for share in chance[chance >= SURE]),
            source=source,
        )
