"""Nets of the detector, each a trained `.onnx` file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from anastylosis.arrays import Singles
from anastylosis.detection.card import REFINER, RESCORER, SLOT_CLASSIFIER, VOTE_NET, DetectorCard, parse_detector_card
from anastylosis.detection.crops import CROP, IMAGE_CHANNELS, VOTE_CHANNELS, VOTE_CROP, Crops
from anastylosis.detection.refiner import EVIDENCE, REFINER_OUTPUTS
from anastylosis.detection.rescorer import NEIGHBOUR_FEATURES, NEIGHBOURS_MAX, OWN_FEATURES, RESCORER_OUTPUTS, Neighbourhoods
from anastylosis.detection.slot_classifier import SLOT_CHANNELS, SLOT_CROP, SLOT_FEATURES, SlotCrops
from anastylosis.detection.votes import RAY_CHANNELS, STRIDE, VOTE_OUTPUTS
from anastylosis.errors import InvalidInput
from anastylosis.models.session import Shape, check_names, explain_file, find_card, open_session, read_history, run_session

__all__ = ["DETECTOR_MODELS", "ProposalNets", "RefinerModel", "RescorerModel", "SlotClassifierModel", "VoteNetModel"]

BATCH = 64  # windows at once: more do not fit the cache of a core


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectorModel:
    """A network and its card."""

    kind: ClassVar[str]
    inputs: ClassVar[dict[str, Shape]]
    output: ClassVar[tuple[str, Shape]]

    card: DetectorCard
    session: Any  # onnxruntime.InferenceSession

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> Self:
        """Open a file of this kind that `training.detection` has written; refuses every other one."""
        with explain_file(Path(path)) as data:
            session = open_session(data, threads)
            card = parse_detector_card(find_card(session), cls.kind)
            check_names("inputs", {each.name: each for each in session.get_inputs()}, cls.inputs)
            check_names("outputs", {each.name: each for each in session.get_outputs()}, dict([cls.output]))
        return cls(card=card, session=session)

    @property
    def history(self) -> list[dict[str, float]]:
        """How its training went, one row an epoch."""
        return read_history(self.session)

    def ask(self, given: dict[str, Singles], shape: tuple[int, ...]) -> Singles:
        """What the network says. NaN raises."""
        name, _ = self.output
        said = np.asarray(run_session(self.session, [name], given)[name], np.float32)
        if said.shape != shape or not np.isfinite(said).all():
            raise InvalidInput(f"the {self.kind} answers with what is not {shape} finite numbers; train it again")
        return said

    def ask_in_parts(self, given: dict[str, Singles], shape: tuple[int, ...]) -> Singles:
        """The same of rows that do not all fit the cache; `shape` is of the answer to one."""
        count = len(next(iter(given.values())))
        parts = [np.zeros((0, *shape), np.float32)]
        for begin in range(0, count, BATCH):
            part = {name: np.ascontiguousarray(rows[begin : begin + BATCH]) for name, rows in given.items()}
            parts.append(self.ask(part, (min(BATCH, count - begin), *shape)))
        return np.concatenate(parts)


class VoteNetModel(DetectorModel):
    """Pixels that vote for blocks that fell."""

    kind = VOTE_NET
    inputs: ClassVar[dict[str, Shape]] = {"picture": (3 + RAY_CHANNELS, None, None)}
    output = ("votes", (VOTE_OUTPUTS, None, None))

    def __call__(self, picture: Singles) -> Singles:
        count, _, height, width = picture.shape
        return self.ask({"picture": np.ascontiguousarray(picture)}, (count, VOTE_OUTPUTS, height // STRIDE, width // STRIDE))


class SlotClassifierModel(DetectorModel):
    """Slots of the tower, looked at: is a block there?"""

    kind = SLOT_CLASSIFIER
    inputs: ClassVar[dict[str, Shape]] = {"windows": (SLOT_CHANNELS, *SLOT_CROP), "about": (SLOT_FEATURES,)}
    output = ("odds", ())

    def __call__(self, windows: SlotCrops) -> Singles:
        return self.ask_in_parts({"windows": windows.picture, "about": windows.about}, ())


class RefinerModel(DetectorModel):
    """Proposed blocks, close to, and the evidence for them: is it one, where is it really, and how far off may that be?"""

    kind = REFINER
    inputs: ClassVar[dict[str, Shape]] = {
        "picture": (IMAGE_CHANNELS, *CROP),
        "votes": (VOTE_CHANNELS, *VOTE_CROP),
        "traits": (len(EVIDENCE),),
    }
    output = ("judged", (REFINER_OUTPUTS,))

    def __call__(self, crops: Crops, traits: Singles) -> Singles:
        given = {"picture": crops.picture, "votes": crops.votes, "traits": traits}
        return self.ask_in_parts(given, (REFINER_OUTPUTS,))


class RescorerModel(DetectorModel):
    """Proposed blocks among those that touch them: which of them are there, and where?"""

    kind = RESCORER
    inputs: ClassVar[dict[str, Shape]] = {"own": (OWN_FEATURES,), "others": (NEIGHBOURS_MAX, NEIGHBOUR_FEATURES)}
    output = ("said", (RESCORER_OUTPUTS,))

    def __call__(self, neighbourhoods: Neighbourhoods) -> Singles:
        return self.ask_in_parts({"own": neighbourhoods.own, "others": neighbourhoods.others}, (RESCORER_OUTPUTS,))


DETECTOR_MODELS: dict[str, type[DetectorModel]] = {
    model.kind: model for model in (VoteNetModel, SlotClassifierModel, RefinerModel, RescorerModel)
}


class ProposalNets(NamedTuple):
    """The three nets that propose blocks, each block by itself."""

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
