"""Card of a net of the detector: its kind, the blocks and cameras that it was trained on, and its calibration."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.models.card import FORMAT, check_names, check_numbers, read_card

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
    """Calibration of the outputs, fitted on the validation split."""

    slope: tuple[float, ...] = (1.0,)  # of the logit of a block, by the number of views; the last one is for more views
    offset: tuple[float, ...] = (0.0,)
    # Factors of the deviations of places and turns. A slot classifier has deviations of blocks from their slots here: [m], [rad].
    place: float = 1.0
    turn: float = 1.0
    scenes: int = 0  # that it was fitted on


@dataclass(frozen=True, kw_only=True)
class DetectorCard:
    """Card of one net of the detector. SI units."""

    kind: str
    preset: str
    size: tuple[float, float, float]  # [m] of the blocks that it was trained on
    elevation: tuple[float, float]  # [rad] of the cameras that it was trained on, above the floor
    config: dict[str, Any]  # the whole configuration of the training
    dataset: dict[str, Any]  # fingerprint, and how many collapses of each split
    metrics: dict[str, float]  # on the validation split
    version: str  # of Anastylosis
    calibration: DetectorCalibration = field(default_factory=DetectorCalibration)
    format: int = FORMAT


def write_detector_card(card: DetectorCard) -> str:
    """Return the card as JSON for the metadata."""
    return json.dumps(asdict(card), allow_nan=False)


def parse_detector_card(text: str, kind: str) -> DetectorCard:
    """Parse the card in a file's metadata; raise for what is not the card of a net of this kind."""

    def check_kind(found: Any) -> None:
        if found != kind:
            raise InvalidInput(f"it is not a {kind.replace('_', ' ')}, but of the kind {found!r:.30}")

    return read_card(text, check_kind, build_card)


def build_card(document: Mapping[str, Any]) -> DetectorCard:
    """Build the card; raise for parts that cannot be right."""
    parts = dict(document)
    calibration = dict(parts["calibration"])
    calibration |= {name: tuple(calibration[name]) for name in ("slope", "offset")}
    parts["calibration"] = DetectorCalibration(**calibration)
    parts |= {name: tuple(parts[name]) for name in ("size", "elevation")}
    card = DetectorCard(**parts)
    check_card(card)
    return card


def check_card(card: DetectorCard) -> None:
    """Raise unless every part that is used is in its range."""
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
