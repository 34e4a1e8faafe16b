"""Eye: pictures of one scene in, a survey of the blocks in them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.errors import InvalidInput
from anastylosis.predict.camera.cover import cover_sheet
from anastylosis.predict.camera.lens import straighten
from anastylosis.predict.camera.photograph import read_photograph
from anastylosis.predict.camera.solved import Solved
from anastylosis.predict.eye.card import EyeCalibration
from anastylosis.predict.eye.looking import Found, find_fallen, join_found, join_odds, pick_apart, read_slots
from anastylosis.predict.eye.model import FinderModel, JudgeModel, ReaderModel
from anastylosis.predict.eye.quaternion import to_quaternions
from anastylosis.predict.eye.slots import tower_slots
from anastylosis.predict.eye.view import View, aim_at_debris, take_view
from anastylosis.render.camera import Camera, Vector
from anastylosis.survey import Ground, Survey
from anastylosis.survey.survey import SEEN

__all__ = ["STANDS", "SURE", "Eye", "Photo", "make_survey", "see", "straighten_photo"]

SURE = 0.35  # blocks that are less probable are left out; of the others four in five were right, on the validation split
PHOTOS_MAX = 16
STANDS, FELL = "stands", "fell"
CLEAR, CLASH = 2.0, 0.25  # log odds that are clear; share of slots on which pictures of one scene do not contradict each other
FEWEST = 6  # slots that are clear in both
NOTHING = "no block is seen in the picture; is the camera the one that took it, and do the blocks fill it?"

Floats = NDArray[np.float64]


class Photo(NamedTuple):
    """A picture and the camera that took it, in the ground frame."""

    picture: NDArray[np.uint8]  # (H, W, 3)
    camera: Camera
    sheet: tuple[
        Vector, ...
    ] = ()  # corners of the printed target in it [m], counter-clockwise; it is covered before it is looked at


@dataclass(frozen=True, kw_only=True, eq=False)
class Eye:
    """Three nets at work: one reads the slots of the tower; in one, pixels propose blocks that fell; one judges these."""

    finder: FinderModel
    reader: ReaderModel
    judge: JudgeModel

    @classmethod
    def from_files(cls, finder: str | Path, reader: str | Path, judge: str | Path, threads: int = 1) -> "Eye":
        """Open what the trainings of `learn.eye` have written."""
        return cls(
            finder=FinderModel.from_file(finder, threads),
            reader=ReaderModel.from_file(reader, threads),
            judge=JudgeModel.from_file(judge, threads),
        )

    def look(self, photos: Sequence[Photo]) -> Found:
        """Blocks that may be there and do not collide, each with its odds and deviations, calibrated as the cards say."""
        if not 1 <= len(photos) <= PHOTOS_MAX:
            raise InvalidInput(f"there are {len(photos)} pictures; 1 to {PHOTOS_MAX} of one scene are looked at")
        return self.look_at_views([see(photo) for photo in photos])

    def look_at_views(self, views: Sequence[View]) -> Found:
        """The same, of pictures that are level and near."""
        found = join_found([self.look_at_tower(views), self.look_at_debris(views)])
        return found.take(pick_apart(found))

    def look_at_tower(self, views: Sequence[View]) -> Found:
        """What still stands in its slot."""
        size, calibration = np.array(self.reader.card.size), self.reader.card.calibration
        slots = tower_slots(size)
        read = read_slots(views, self.reader, slots)
        check_same(read)
        odds = calibrate(join_odds(read), calibration, len(views))
        place, turn, stands = (np.full(len(odds), value) for value in (calibration.place, calibration.turn, True))
        return Found(slots, odds, place, turn, stands).take(np.flatnonzero(odds > 0))

    def look_at_debris(self, views: Sequence[View]) -> Found:
        """What fell; some of it may be proposed twice."""
        calibration = self.judge.card.calibration
        found = find_fallen(views, self.finder, self.judge, np.array(self.reader.card.size))
        return found._replace(
            odds=calibrate(found.odds, calibration, len(views)),
            place_sd=calibration.place * found.place_sd,
            turn_sd=calibration.turn * found.turn_sd,
        )

    def survey(self, photos: Sequence[Photo], *, ground: Ground | None = None) -> Survey:
        """Blocks that are probable enough. `ground`: where the tower stood, in the coordinates of the site."""
        source = f"{SEEN}{len(photos)} picture{'s' * (len(photos) > 1)}"
        return make_survey(self.look(photos), ground=ground, source=source)


def make_survey(found: Found, *, ground: Ground | None = None, source: str = "") -> Survey:
    """Of what was found, what is probable enough."""
    kept = found.take(np.flatnonzero(expit(found.odds) >= SURE))
    sure = expit(kept.odds)
    if not len(kept.odds):
        raise InvalidInput(NOTHING, kind="no_blocks")
    return Survey(
        ids=tuple(f"block-{number:03d}" for number in range(1, len(kept.odds) + 1)),
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


def straighten_photo(picture: Path | str | NDArray[np.uint8], solved: Solved) -> Photo:
    """A photograph, from a file or an array, without the distortion of its lens."""
    straight, _ = straighten(read_photograph(picture), solved.lens)
    return Photo(straight, solved.camera, solved.sheet)


def see(photo: Photo) -> View:
    """The picture level, without the printed target, and so near that the debris fills it."""
    wanted = aim_at_debris(photo.camera)
    return take_view(cover_sheet(*photo), photo.camera, wanted)


def calibrate(odds: Floats, calibration: EyeCalibration, views: int) -> Floats:
    """Log odds that mean what they say, of what so many views have told."""
    row = min(views, len(calibration.slope)) - 1
    return calibration.slope[row] * odds + calibration.offset[row]


def check_same(odds: Floats) -> None:
    """Raise when two views (V, N) clearly contradict each other about what still stands."""
    for second in range(1, len(odds)):
        for first in range(second):
            a, b = odds[first], odds[second]
            clear = (np.abs(a) > CLEAR) & (np.abs(b) > CLEAR) & ((a > 0) | (b > 0))
            clash = clear & (a * b < 0)
            if clear.sum() >= FEWEST and clash.sum() > CLASH * clear.sum():
                raise InvalidInput(
                    f"pictures {first + 1} and {second + 1} do not show the same debris: of {clear.sum()} slots of the tower "
                    f"that are clear in both, {clash.sum()} are filled in one and empty in the other; survey them one by one, or "
                    "check their cameras"
                )
