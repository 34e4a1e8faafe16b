"""Assignment model: a trained assignment net and its card, and the tensors that it takes and gives."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats, Shape, Singles
from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices
from anastylosis.models import (
    ModelCard,
    OnnxModel,
)
from anastylosis.structure import BLOCKS_PER_COURSE, LAYERS_MAX, Structure
from anastylosis.survey import Survey

DIRECT = "direct"  # preset of nets that predict which slots were empty and place no block
HALF_WIDTHS = ("num_removed", "friction")
RANGE_PARTS = 4  # numbers of each end of a range
COURSES_MORE = 16  # classes of the height: as many courses as the blocks would just fill, one more, two more, ..
DOUBT = "block_doubt"  # an input that older files do not have
ANY_NUMBER = ("friction", "direction")  # outputs that are no probabilities
INPUTS: dict[str, Shape] = {
    "block_position": (None, 3), "block_axes": (None, 3, 3), "block_size": (None, 3), "block_sd": (None, 2),
    "block_doubt": (None,), "block_there": (None,), "slot_position": (None, 3), "slot_axes": (None, 3, 3), "slot_size": (None, 3),
    "slot_course": (None,), "slot_there": (None,), "told_friction": (),
}  # fmt: skip
OUTPUTS: dict[str, Shape] = {
    "placed": (None, None), "unplaced": (None,), "empty": (None,), "removed": (None,), "failure": (None,),
    "courses": (COURSES_MORE,), "friction": (), "direction": (2,),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RemovedRange:
    """Range that held nine in ten true numbers of empty slots, with any share of the blocks hidden, 0 to 30 %.

    Each end is what is expected, and more or less: a number, one for each slot that is expected, one for each slot that is
    probably of a block that was not found, and one for each of these beyond a knee.
    """

    knee: float
    low: tuple[float, ...]
    high: tuple[float, ...]

    def find(self, expected: ArrayLike, missing: ArrayLike) -> tuple[Floats, Floats]:
        """Return both ends, whole numbers; no more slots than those without a block, `missing`, were empty."""
        likely, most = np.asarray(expected, np.float64), np.asarray(missing, np.float64)
        unfound = np.maximum(most - likely, 0.0)
        parts = np.stack([np.ones_like(likely), likely, unfound, np.maximum(unfound - self.knee, 0.0)], axis=-1)
        low, high = (likely + parts @ np.array(end) for end in (self.low, self.high))
        return np.floor(np.clip(low, 0.0, likely)), np.ceil(np.maximum(np.minimum(high, most), likely))


@dataclass(frozen=True, kw_only=True)
class AssignmentCalibration:
    """Calibration of the answers, fitted on the validation split."""

    sharpness: float  # of the scores of pairs, applied in the file: 1 is untouched
    slope: float  # of the log odds of removed slots, applied in the file
    offset: float
    half_width: dict[str, float]  # nine in ten of the true numbers were within this of the answer
    examples: int
    removed_range: RemovedRange | None = None  # of measured surveys; None: `half_width` is taken

    def find_removed_range(self, expected: float, missing: float) -> tuple[float, float]:
        """Return the range of the number of slots that were empty; `missing`: slots without a block."""
        if self.removed_range is not None:
            low, high = self.removed_range.find(expected, missing)
            return float(low), float(high)
        return expected - self.half_width["num_removed"], expected + self.half_width["num_removed"]


@dataclass(frozen=True, kw_only=True)
class AssignmentCard(ModelCard):
    """Card of one assignment net. SI units."""

    preset: str
    fewest_courses: int  # of the towers that it was trained on
    most_courses: int
    friction: tuple[float, float]  # range of its training data
    frictions: dict[str, float]  # level -> coefficient
    position_sd: float  # [m] of the worst surveys that it was trained on
    orientation_sd: float  # [rad]
    config: dict[str, Any]  # the whole configuration of the training
    dataset: dict[str, Any]  # fingerprint, and how many collapses of each split
    calibration: AssignmentCalibration
    metrics: dict[str, float]  # on the validation split
    version: str  # of Anastylosis
    kind: str = ModelCard.ASSIGNMENT
    format: int = ModelCard.FORMAT


def write_assignment_card(card: AssignmentCard) -> str:
    """Return the card as JSON for the metadata."""
    return json.dumps(asdict(card), allow_nan=False)


def parse_assignment_card(text: str) -> AssignmentCard:
    """Parse the card in a file's metadata; raise for what is not the card of an assignment net."""
    return ModelCard.read(text, check_kind, build_card)


def check_kind(kind: Any) -> None:
    """Raise unless it is an assignment net."""
    if kind != ModelCard.ASSIGNMENT:
        raise InvalidInput("it does not assign blocks to slots; it reads pictures, so give it to `anastylosis predict`")


def build_card(document: Mapping[str, Any]) -> AssignmentCard:
    """Build the card; raise for parts that cannot be right."""
    parts = dict(document)
    calibration = dict(parts["calibration"])
    if calibration.get("removed_range") is not None:
        calibration["removed_range"] = build_range(calibration["removed_range"])
    parts["calibration"] = AssignmentCalibration(**calibration)
    parts["friction"] = tuple(parts["friction"])
    card = AssignmentCard(**parts)
    check_card(card)
    return card


def check_card(card: AssignmentCard) -> None:
    """Raise unless every part that is used is in its range."""
    ModelCard.check_whole("fewest_courses", card.fewest_courses, LAYERS_MAX)
    ModelCard.check_whole("most_courses", card.most_courses, LAYERS_MAX)
    ModelCard.check_numbers("friction", [*card.friction, *card.frictions.values()])
    ModelCard.check_numbers("deviations", [card.position_sd, card.orientation_sd])
    widths = [card.calibration.half_width[name] for name in HALF_WIDTHS]
    ModelCard.check_numbers("half_width", widths)
    if card.calibration.removed_range is not None:
        check_removed_range(card.calibration.removed_range)
    if len(card.friction) != 2 or min(widths) < 0:
        raise ValueError("a range ends before it begins")
    ModelCard.check_names(preset=card.preset, version=card.version)
    episodes = card.dataset["episodes"]
    ModelCard.check_numbers("dataset", [episodes["train"], episodes["val"]])


def build_range(document: Mapping[str, Any]) -> RemovedRange:
    """Build the range of the number of empty slots."""
    return RemovedRange(knee=document["knee"], low=tuple(document["low"]), high=tuple(document["high"]))


def check_removed_range(found: RemovedRange) -> None:
    """Raise unless it has as many numbers as it needs."""
    ModelCard.check_numbers("removed_range", [found.knee, *found.low, *found.high])
    if not len(found.low) == len(found.high) == RANGE_PARTS:
        raise ValueError("removed_range has parts of another length")


class AssignmentInput(NamedTuple):
    """Inputs of the net, by their names in the graph. Lengths in metres, in the ground frame."""

    block_position: Singles  # (N, B, 3)
    block_axes: Singles  # (N, B, 3, 3) length, width, height: unit vectors, one a row
    block_size: Singles  # (N, B, 3)
    block_sd: Singles  # (N, B, 2) of the position along an axis [m], of the angle [rad]
    block_doubt: Singles  # (N, B) probability that it is not there, or not as described
    block_there: Singles  # (N, B)
    slot_position: Singles  # (N, S, 3)
    slot_axes: Singles  # (N, S, 3, 3)
    slot_size: Singles  # (N, S, 3)
    slot_course: Singles  # (N, S) 0 at the bottom
    slot_there: Singles  # (N, S)
    told_friction: Singles  # (N,) 0: not known


class AssignmentOutput(NamedTuple):
    """Outputs of the net, by their names in the graph: probabilities, but for the last two."""

    placed: Singles  # (N, B, S) this block stood in this slot
    unplaced: Singles  # (N, B) it stood in none: rows of `placed` and this sum to 1
    empty: Singles  # (N, S) none of the blocks of the survey stood here
    removed: Singles  # (N, S) no block at all did: the slot was empty before the fall
    failure: Singles  # (N, S) this slot's course was the lowest to give way; those of a course are to be summed
    courses: Singles  # (N, COURSES_MORE) there were so many courses more than the blocks would just fill
    friction: Singles  # (N,) coefficient
    direction: Singles  # (N, 2) of the fall, along x and y; its length is the certainty


def assume_complete(found: AssignmentOutput) -> AssignmentOutput:
    """Set the removed slots for a complete survey: a slot without a block was empty before the fall."""
    return found._replace(removed=np.clip(1 - found.placed.sum(axis=1), 0, 1))


def build_input(survey: Survey, structure: Structure, friction: float | None = None) -> AssignmentInput:
    """Build the input for one survey and the structure that its blocks are put back into."""
    one = np.newaxis
    return AssignmentInput(
        block_position=as_floats(survey.position)[one],
        block_axes=find_axes(survey.orientation)[one],
        block_size=as_floats(survey.size)[one],
        block_sd=as_floats(np.stack([survey.position_sd, survey.orientation_sd], axis=1))[one],
        block_doubt=as_floats(1 - survey.certainty)[one],
        block_there=np.ones((1, len(survey)), np.float32),
        slot_position=as_floats(structure.position)[one],
        slot_axes=find_axes(structure.orientation)[one],
        slot_size=as_floats(structure.blocks.size)[one],
        slot_course=as_floats(structure.course)[one],
        slot_there=np.ones((1, len(structure)), np.float32),
        told_friction=np.array([friction or 0.0], np.float32),
    )


def find_axes(orientation: ArrayLike) -> Singles:
    """Return the body axes (..., 3, 3) of unit quaternions (..., 4) in the world, one a row."""
    return as_floats(np.swapaxes(make_matrices(np.asarray(orientation, np.float64)), -1, -2))


def fewest_courses(blocks: ArrayLike) -> NDArray[np.int64]:
    """Return the number of courses that so many blocks just fill."""
    return -(-np.asarray(blocks, np.int64) // BLOCKS_PER_COURSE)


def as_floats(values: ArrayLike) -> Singles:
    return np.ascontiguousarray(values, np.float32)


@dataclass(frozen=True, kw_only=True, eq=False)
class AssignmentModel(OnnxModel):
    """An assignment net and its card."""

    card: AssignmentCard

    @classmethod
    def parse_card(cls, text: str) -> AssignmentCard:
        """Parse the card; raise for one of another kind."""
        return parse_assignment_card(text)

    @classmethod
    def input_shapes(cls, card: AssignmentCard, names: Collection[str]) -> dict[str, Shape]:
        """Return the shape of each input, without the axis of surveys."""
        if set(names) == set(INPUTS) - {DOUBT}:
            raise InvalidInput("it was trained before nets had the certainty of blocks as an input; train it again")
        return INPUTS

    @classmethod
    def output_shapes(cls, card: AssignmentCard) -> dict[str, Shape]:
        """Return the shape of each output, without the axis of surveys."""
        return OUTPUTS

    def run(self, given: AssignmentInput) -> AssignmentOutput:
        """Return the outputs of the net; NaN raises."""
        found = self.run_session(list(OUTPUTS), given._asdict())
        (examples, blocks), slots = given.block_there.shape, given.slot_there.shape[1]
        lengths = {"placed": (blocks, slots), "unplaced": (blocks,), "empty": (slots,), "removed": (slots,), "failure": (slots,)}
        shapes = {name: (examples, *lengths.get(name, shape)) for name, shape in OUTPUTS.items()}
        return AssignmentOutput(
            **{
                name: self.check_output(name, found[name], shape, probability=name not in ANY_NUMBER)
                for name, shape in shapes.items()
            }
        )
