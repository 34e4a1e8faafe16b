"""Nets of the detector, each a trained `.onnx` file, and the cards in these files."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from anastylosis.arrays import Shape, Singles
from anastylosis.detection.refiner import CROP, EVIDENCE, IMAGE_CHANNELS, REFINER_OUTPUTS, VOTE_CHANNELS, VOTE_CROP, Crops
from anastylosis.detection.rescorer import NEIGHBOUR_FEATURES, NEIGHBOURS_MAX, OWN_FEATURES, RESCORER_OUTPUTS, Neighbourhoods
from anastylosis.detection.slot_classifier import SLOT_CHANNELS, SLOT_CROP, SLOT_FEATURES, SlotCrops
from anastylosis.detection.votes import RAY_CHANNELS, STRIDE, VOTE_OUTPUTS
from anastylosis.errors import InvalidInput
from anastylosis.models import ModelCard, OnnxModel

VOTE_NET, SLOT_CLASSIFIER, REFINER, RESCORER = "vote_net", "slot_classifier", "refiner", "rescorer"  # kinds
BATCH = 64  # rows at once: more do not fit the cache of a core


@dataclass(frozen=True, kw_only=True)
class DetectorCalibration:
    """Calibration of the outputs, fitted on the validation split."""

    slope: tuple[float, ...] = (1.0,)  # of the logit of a block, by the number of views; the last one is for more views
    offset: tuple[float, ...] = (0.0,)
    # Two numbers of a card: of a slot classifier `slot_deviations`, of the other nets `deviation_factors`.
    place: float = 1.0
    turn: float = 1.0
    scenes: int = 0  # that it was fitted on

    @property
    def slot_deviations(self) -> tuple[float, float]:
        """Deviations of standing blocks from their slots: of places [m], of turns [rad]. Of a slot classifier alone."""
        return self.place, self.turn

    @property
    def deviation_factors(self) -> tuple[float, float]:
        """Factors of the deviations of places and turns that a refiner or a rescorer predicts."""
        return self.place, self.turn


@dataclass(frozen=True, kw_only=True)
class DetectorCard(ModelCard):
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
    format: int = ModelCard.FORMAT


def write_detector_card(card: DetectorCard) -> str:
    """Return the card as JSON for the metadata."""
    return json.dumps(asdict(card), allow_nan=False)


def parse_detector_card(text: str, kind: str) -> DetectorCard:
    """Parse the card in a file's metadata; raise for what is not the card of a net of this kind."""

    def check_kind(found: Any) -> None:
        if found != kind:
            raise InvalidInput(f"it is not a {kind.replace('_', ' ')}, but of the kind {found!r:.30}")

    return ModelCard.read(text, check_kind, build_card)


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
    ModelCard.check_numbers("size", list(card.size))
    ModelCard.check_numbers("elevation", list(card.elevation))
    ModelCard.check_numbers("calibration", [*calibration.slope, *calibration.offset, calibration.place, calibration.turn])
    if len(card.size) != 3 or not all(0 < side < 100 for side in card.size):
        raise ValueError("its blocks have no size")
    if len(card.elevation) != 2 or not calibration.slope or len(calibration.slope) != len(calibration.offset):
        raise ValueError("a range has two ends")
    if min(calibration.slope) < 0 or min(calibration.place, calibration.turn) <= 0:
        raise ValueError("a factor is above 0")
    ModelCard.check_names(preset=card.preset, version=card.version)


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectorModel(OnnxModel):
    """A net of the detector and its card."""

    kind: ClassVar[str]
    inputs: ClassVar[dict[str, Shape]]
    output: ClassVar[tuple[str, Shape]]

    card: DetectorCard

    @classmethod
    def parse_card(cls, text: str) -> DetectorCard:
        """Parse the card; raise for one of another kind."""
        return parse_detector_card(text, cls.kind)

    @classmethod
    def input_shapes(cls, card: DetectorCard, names: Collection[str]) -> dict[str, Shape]:
        """Return the shape of each input, without the axis of rows."""
        return cls.inputs

    @classmethod
    def output_shapes(cls, card: DetectorCard) -> dict[str, Shape]:
        """Return the shape of the output, without the axis of rows."""
        return dict([cls.output])

    def run(self, given: dict[str, Singles], shape: tuple[int, ...]) -> Singles:
        """Return the output, of this shape; NaN raises."""
        name, _ = self.output
        output = np.asarray(self.run_session([name], given)[name], np.float32)
        if output.shape != shape or not np.isfinite(output).all():
            raise InvalidInput(f"the {self.kind} answers with what is not {shape} finite numbers; train it again")
        return output

    def run_batches(self, given: dict[str, Singles], shape: tuple[int, ...]) -> Singles:
        """Return the outputs for many rows, batch by batch; `shape` is that of one row."""
        count = len(next(iter(given.values())))
        parts = [np.zeros((0, *shape), np.float32)]
        for begin in range(0, count, BATCH):
            part = {name: np.ascontiguousarray(rows[begin : begin + BATCH]) for name, rows in given.items()}
            parts.append(self.run(part, (min(BATCH, count - begin), *shape)))
        return np.concatenate(parts)


class VoteNetModel(DetectorModel):
    """Vote net: a view in, the votes of its pixels for fallen blocks out."""

    kind = VOTE_NET
    inputs: ClassVar[dict[str, Shape]] = {"picture": (3 + RAY_CHANNELS, None, None)}
    output = ("votes", (VOTE_OUTPUTS, None, None))

    def __call__(self, picture: Singles) -> Singles:
        count, _, height, width = picture.shape
        return self.run({"picture": np.ascontiguousarray(picture)}, (count, VOTE_OUTPUTS, height // STRIDE, width // STRIDE))


class SlotClassifierModel(DetectorModel):
    """Slot classifier: crops of slots in, the logit that each is filled out."""

    kind = SLOT_CLASSIFIER
    inputs: ClassVar[dict[str, Shape]] = {"windows": (SLOT_CHANNELS, *SLOT_CROP), "about": (SLOT_FEATURES,)}
    output = ("odds", ())

    def __call__(self, windows: SlotCrops) -> Singles:
        return self.run_batches({"windows": windows.picture, "about": windows.about}, ())


class RefinerModel(DetectorModel):
    """Refiner: crops of proposed blocks and the evidence for them in; logits, corrections of poses and deviations out."""

    kind = REFINER
    inputs: ClassVar[dict[str, Shape]] = {
        "picture": (IMAGE_CHANNELS, *CROP),
        "votes": (VOTE_CHANNELS, *VOTE_CROP),
        "traits": (len(EVIDENCE),),
    }
    output = ("judged", (REFINER_OUTPUTS,))

    def __call__(self, crops: Crops, evidence: Singles) -> Singles:
        given = {"picture": crops.picture, "votes": crops.votes, "traits": evidence}
        return self.run_batches(given, (REFINER_OUTPUTS,))


class RescorerModel(DetectorModel):
    """Rescorer: proposed blocks with their neighbours in; logits and corrections of poses out."""

    kind = RESCORER
    inputs: ClassVar[dict[str, Shape]] = {"own": (OWN_FEATURES,), "others": (NEIGHBOURS_MAX, NEIGHBOUR_FEATURES)}
    output = ("said", (RESCORER_OUTPUTS,))

    def __call__(self, neighbourhoods: Neighbourhoods) -> Singles:
        return self.run_batches({"own": neighbourhoods.own, "others": neighbourhoods.others}, (RESCORER_OUTPUTS,))


DETECTOR_MODELS: dict[str, type[DetectorModel]] = {
    model.kind: model for model in (VoteNetModel, SlotClassifierModel, RefinerModel, RescorerModel)
}


class ProposalNets(NamedTuple):
    """Three nets that propose blocks and score each by itself."""

    vote_net: VoteNetModel
    slot_classifier: SlotClassifierModel
    refiner: RefinerModel

    @classmethod
    def from_files(
        cls, vote_net: str | Path, slot_classifier: str | Path, refiner: str | Path, threads: int = 1
    ) -> "ProposalNets":
        """Open files that `train detector` has written."""
        return cls(
            VoteNetModel.from_file(vote_net, threads),
            SlotClassifierModel.from_file(slot_classifier, threads),
            RefinerModel.from_file(refiner, threads),
        )
