"""Card of an assignment model: what its file says about itself. It travels in the file's metadata, as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.models.card import ASSIGNMENT, FORMAT, check_names, check_numbers, check_whole, explain_card, load_card

__all__ = ["DIRECT", "KIND", "AssignmentCalibration", "AssignmentCard", "parse_assignment_card", "write_assignment_card"]

KIND = ASSIGNMENT
DIRECT = "direct"  # preset of nets that tell which slots were empty, and place no block
COURSES_MAX = 1000
HALF_WIDTHS = ("num_removed", "friction")


@dataclass(frozen=True, kw_only=True)
class AssignmentCalibration:
    """How answers were made to mean what they say, on the validation split, which training did not see."""

    sharpness: float  # of the scores of pairs, applied in the file: 1 is untouched
    slope: float  # of the log odds of removed slots, applied in the file
    offset: float
    half_width: dict[str, float]  # nine in ten of the true numbers were within this of the answer
    examples: int


@dataclass(frozen=True, kw_only=True)
class AssignmentCard:
    """One model."""

    preset: str
    fewest_courses: int  # of the towers that it learned from
    most_courses: int
    friction: tuple[float, float]  # range of what it learned from
    frictions: dict[str, float]  # level -> coefficient
    position_sd: float  # [m] of the worst surveys that it learned from
    orientation_sd: float  # [rad]
    config: dict[str, Any]  # the whole configuration of the training
    dataset: dict[str, Any]  # fingerprint, and how many collapses of each split
    calibration: AssignmentCalibration
    metrics: dict[str, float]  # on the validation split
    version: str  # of Anastylosis
    kind: str = KIND
    format: int = FORMAT


def write_assignment_card(card: AssignmentCard) -> str:
    """The card as JSON, for the metadata."""
    return json.dumps(asdict(card), allow_nan=False)


def parse_assignment_card(text: str) -> AssignmentCard:
    """The card in a file's metadata; refuses what is not one of ours, of another kind or of another format."""
    document = load_card(text)
    if document.get("kind") != KIND:
        raise InvalidInput("it does not assign blocks to slots; it reads pictures, so give it to `anastylosis predict`")
    with explain_card():
        card = build_card(document)
        check_card(card)
    return card


def build_card(document: Mapping[str, Any]) -> AssignmentCard:
    parts = dict(document)
    parts["calibration"] = AssignmentCalibration(**parts["calibration"])
    parts["friction"] = tuple(parts["friction"])
    return AssignmentCard(**parts)


def check_card(card: AssignmentCard) -> None:
    """Raise unless every part that is used is of the kind it has to be."""
    check_whole("fewest_courses", card.fewest_courses, COURSES_MAX)
    check_whole("most_courses", card.most_courses, COURSES_MAX)
    check_numbers("friction", [*card.friction, *card.frictions.values()])
    check_numbers("deviations", [card.position_sd, card.orientation_sd])
    widths = [card.calibration.half_width[name] for name in HALF_WIDTHS]
    check_numbers("half_width", widths)
    if len(card.friction) != 2 or min(widths) < 0:
        raise ValueError("a range ends before it begins")
    check_names(preset=card.preset, version=card.version)
    episodes = card.dataset["episodes"]
    check_numbers("dataset", [episodes["train"], episodes["val"]])
