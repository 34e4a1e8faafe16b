"""Eye: pictures of one scene in, a survey of the blocks in them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.detection.camera.cover import cover_sheet
from anastylosis.detection.camera.lens import straighten
from anastylosis.detection.camera.photograph import read_photograph
from anastylosis.detection.camera.solved import Solved
from anastylosis.detection.company import confer
from anastylosis.detection.looking import Found, join_found, pick_apart
from anastylosis.detection.model import JuryModel
from anastylosis.detection.parting import part_blocks
from anastylosis.detection.quaternion import to_quaternions
from anastylosis.detection.view import View, aim_at_debris, take_view
from anastylosis.detection.witness import Witness, settle
from anastylosis.errors import InvalidInput
from anastylosis.rendering.camera import Camera, Vector
from anastylosis.survey import Ground, Survey
from anastylosis.survey.survey import SEEN

__all__ = ["NO_BLOCKS", "STANDS", "SURE", "Eye", "Photo", "make_survey", "see", "straighten_photo"]

SURE = 0.175  # blocks that are less probable are left out; of the others four in five were right, on the validation split
FIXED, CRAMPED = 1e-5, 0.006  # [m] deviation of what stands, beside what fell; depth that is not left where there is no room
HARDLY_BELOW = 0.42  # mean certainty of what is found: of noise it was less, of debris more
PHOTOS_MAX = 16
STANDS, FELL = "stands", "fell"
NO_BLOCKS: Final = "no_blocks"  # kind of the error when there is none
NOTHING = "no block is seen in the picture; is the camera the one that took it, and do the blocks fill it?"
HARDLY = (
    "what is seen is hardly like blocks, {:.0%} sure on average; is the camera the one that took the picture, and are blocks "
    "large and sharp in it?"
)


class Photo(NamedTuple):
    """A picture and the camera that took it, in the ground frame."""

    picture: NDArray[np.uint8]  # (H, W, 3)
    camera: Camera
    sheet: tuple[
        Vector, ...
    ] = ()  # corners of the printed target in it [m], counter-clockwise; it is covered before it is looked at


@dataclass(frozen=True, kw_only=True, eq=False)
class Eye(Witness):
    """A witness, and a jury that hears of all that it has found."""

    jury: JuryModel

    @classmethod
    def from_files(cls, finder: str | Path, reader: str | Path, judge: str | Path, jury: str | Path, threads: int = 1) -> "Eye":
        """Open what the trainings of `training.detection` have written."""
        witness = Witness.open(finder, reader, judge, threads)
        return cls(finder=witness.finder, reader=witness.reader, judge=witness.judge, jury=JuryModel.from_file(jury, threads))

    def look(self, photos: Sequence[Photo]) -> Found:
        """Blocks that may be there, each with its odds and deviations, calibrated as the cards say."""
        check_photos(photos)
        return self.look_at_views([see(photo) for photo in photos])

    def look_at_views(self, views: Sequence[View]) -> Found:
        """The same, of pictures that are level and near."""
        found = confer(self.propose(views), [view.camera.eye for view in views], self.jury)
        found = settle(found, self.jury.card.calibration, len(views))
        return move_apart(found.take(pick_apart(found)))

    def survey(self, photos: Sequence[Photo], *, ground: Ground | None = None) -> Survey:
        """Blocks that are probable enough. `ground`: where the tower stood, in the coordinates of the site."""
        source = f"{SEEN}{len(photos)} picture{'s' * (len(photos) > 1)}"
        return make_survey(self.look(photos), ground=ground, source=source)


def check_photos(photos: Sequence[Photo]) -> None:
    """Raise when there are too many, or one of them twice: it would count as two witnesses."""
    if not 1 <= len(photos) <= PHOTOS_MAX:
        raise InvalidInput(f"there are {len(photos)} pictures; 1 to {PHOTOS_MAX} of one scene are looked at")
    for second, photo in enumerate(photos):
        for first, other in enumerate(photos[:second]):
            if np.array_equal(photo.picture, other.picture):
                raise InvalidInput(
                    f"pictures {first + 1} and {second + 1} are the same; give each of them once", kind="picture_twice"
                )


def move_apart(found: Found) -> Found:
    """The same; what is probable enough is moved apart, and where there is no room for two the surer stays."""
    probable = expit(found.odds) >= SURE
    sure, rest = found.take(probable), found.take(~probable)
    sure = sure._replace(blocks=part_blocks(sure.blocks, np.where(sure.stands, FIXED, sure.place_sd)))
    return join_found([sure.take(pick_apart(sure, CRAMPED)), rest])


def make_survey(found: Found, *, ground: Ground | None = None, source: str = "") -> Survey:
    """Of what was found, what is probable enough."""
    kept = found.take(np.flatnonzero(expit(found.odds) >= SURE))
    sure = expit(kept.odds)
    if not len(sure):
        raise InvalidInput(NOTHING, kind=NO_BLOCKS)
    if sure.mean() < HARDLY_BELOW:
        raise InvalidInput(HARDLY.format(sure.mean()), kind=NO_BLOCKS)
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
