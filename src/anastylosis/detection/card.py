"""Card of a detector's net: what its file says about itself. It travels in the file's metadata, as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.models.card import FORMAT, check_names, check_numbers, explain_card, load_card

__all__ = [
    "REFINER",
    "RESCORER",
    "SLOT_CLASSIFIER",
    "VOTE_NET",
    "DetectorCalibration",
    "DetectorCard",
    "parse_detector_card",
    "write_detector_card",
]

VOTE_NET, SLOT_CLASSIFIER, REFINER, RESCORER = "vote_net", "slot_classifier", "refiner", "rescorer"  # kinds


@dataclass(frozen=True, kw_only=True)
class DetectorCalibration:
    """How answers are made to mean what they say, found on the validation split, which training did not see."""

    slope: tuple[float, ...] = (1.0,)  # of the log odds of a block; by how many views there are, the last for more
    offset: tuple[float, ...] = (0.0,)
    # Factors of the deviations of places and turns; of a slot classifier how far blocks stand from their slots [m], [rad].
    place: float = 1.0
    turn: float = 1.0  # and of turns; [rad]
    scenes: int = 0


@dataclass(frozen=True, kw_only=True)
class DetectorCard:
    """One net."""

    kind: str
    preset: str
    size: tuple[float, float, float]  # [m] of the blocks that it knows
    elevation: tuple[float, float]  # [rad] of the cameras that it knows, above the floor
    config: dict[str, Any]  # the whole configuration of the training
    dataset: dict[str, Any]  # fingerprint, and how many collapses of each split
    metrics: dict[str, float]  # on the validation split
    version: str  # of Anastylosis
    calibration: DetectorCalibration = field(default_factory=DetectorCalibration)
    format: int = FORMAT


def write_detector_card(card: DetectorCard) -> str:
    """The card as JSON, for the metadata."""
    return json.dumps(asdict(card), allow_nan=False)


def parse_detector_card(text: str, kind: str) -> DetectorCard:
    """The card in a file's metadata; refuses what is not one of ours, of another kind or of another format."""
    document = load_card(text)
    if document.get("kind") != kind:
        raise InvalidInput(f"it is not a {kind} of the eye, but of the kind {document.get('kind')!r:.30}")
    with explain_card():
        card = build_card(document)
        check_card(card)
    return card


def build_card(document: Mapping[str, Any]) -> DetectorCard:
    parts = dict(document)
    calibration = dict(parts["calibration"])
    calibration |= {name: tuple(calibration[name]) for name in ("slope", "offset")}
    parts["calibration"] = DetectorCalibration(**calibration)
    parts |= {name: tuple(parts[name]) for name in ("size", "elevation")}
    return DetectorCard(**parts)


def check_card(card: DetectorCard) -> None:
    """Raise unless every part that is used is of the kind it has to be."""
    calibration = card.calibration
    check_numbers("size", list(card.size))
    check_numbers("elevation", list(card.elevation))
    check_numbers("calibration", [*calibration.slope, *calibration.offset, calibration.place, calibration.turn])
    if len(card.size) != 3 or not all(0 < side < 100 for side in card.size):
        raise ValueError("its blocks have no size")
    if len(card.elevation) != 2 or not calibration.slope or len(calibration.slope) != len(calibration.offset):
        raise ValueError("a range has two ends")
    if min(calibration.slope) < 0 or min(calibration.place, calibration.turn) <= 0:
        raise ValueError("a factor is above 0")
    check_names(preset=card.preset, version=card.version)
