"""Card of an assignment net: the towers and surveys that it was trained on, and its calibration."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.models.card import ASSIGNMENT, FORMAT, check_names, check_numbers, check_whole, read_card
from anastylosis.structure.tower import LAYERS_MAX

__all__ = ["DIRECT", "AssignmentCalibration", "AssignmentCard", "parse_assignment_card", "write_assignment_card"]

DIRECT = "direct"  # preset of nets that predict which slots were empty and place no block
HALF_WIDTHS = ("num_removed", "friction")


@dataclass(frozen=True, kw_only=True)
class AssignmentCalibration:
    """Calibration of the answers, fitted on the validation split."""

    sharpness: float  # of the scores of pairs, applied in the file: 1 is untouched
    slope: float  # of the log odds of removed slots, applied in the file
    offset: float
    half_width: dict[str, float]  # nine in ten of the true numbers were within this of the answer
    examples: int


@dataclass(frozen=True, kw_only=True)
class AssignmentCard:
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
    kind: str = ASSIGNMENT
    format: int = FORMAT


def write_assignment_card(card: AssignmentCard) -> str:
    """Return the card as JSON for the metadata."""
    return json.dumps(asdict(card), allow_nan=False)


def parse_assignment_card(text: str) -> AssignmentCard:
    """Parse the card in a file's metadata; raise for what is not the card of an assignment net."""
    return read_card(text, check_kind, build_card)


def check_kind(kind: Any) -> None:
    """Raise unless it is an assignment net."""
    if kind != ASSIGNMENT:
        raise InvalidInput("it does not assign blocks to slots; it reads pictures, so give it to `anastylosis predict`")


def build_card(document: Mapping[str, Any]) -> AssignmentCard:
    """Build the card; raise for parts that cannot be right."""
    parts = dict(document)
    parts["calibration"] = AssignmentCalibration(**parts["calibration"])
    parts["friction"] = tuple(parts["friction"])
    card = AssignmentCard(**parts)
    check_card(card)
    return card


def check_card(card: AssignmentCard) -> None:
    """Raise unless every part that is used is in its range."""
    check_whole("fewest_courses", card.fewest_courses, LAYERS_MAX)
    check_whole("most_courses", card.most_courses, LAYERS_MAX)
    check_numbers("friction", [*card.friction, *card.frictions.values()])
    check_numbers("deviations", [card.position_sd, card.orientation_sd])
    widths = [card.calibration.half_width[name] for name in HALF_WIDTHS]
    check_numbers("half_width", widths)
    if len(card.friction) != 2 or min(widths) < 0:
        raise ValueError("a range ends before it begins")
    check_names(preset=card.preset, version=card.version)
    episodes = card.dataset["episodes"]
    check_numbers("dataset", [episodes["train"], episodes["val"]])
