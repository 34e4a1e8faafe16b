"""Reconstruction: ranked proposals of how a tower stood, what they have in common, and all that is needed to make them again."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anastylosis.arrays import Flags, Floats, Integers
from anastylosis.assignment import UNASSIGNED, Assignment
from anastylosis.detection import Photo
from anastylosis.episode import Pull
from anastylosis.mechanics import measure_balance
from anastylosis.models import Prediction
from anastylosis.number import finite_or_none
from anastylosis.reconstruction.building import Step
from anastylosis.reconstruction.draws import TowerState, find_weak_course
from anastylosis.reconstruction.problem import Friction
from anastylosis.reconstruction.proposals import Hypothesis
from anastylosis.reconstruction.retrieval import Reference
from anastylosis.reconstruction.weighing import find_set, measure_information
from anastylosis.structure import BLOCKS_PER_COURSE, Structure
from anastylosis.survey import Survey
from anastylosis.units import metres_to_millimetres

SURE_PROBABILITY = 0.95  # slots that are filled, or empty, with at least this probability: the proposals agree
CERTAIN_PROBABILITY = 0.995  # of a block that stands: above, nothing is said of how sure that is
CHECKS, WORTH = 5, 0.01  # blocks to look at again; [bits] below which that is not worth a walk
LIMITS = (
    "Re-simulation tells the layer that gave way and what was below it; above it the same tower falls otherwise when its "
    "blocks are moved by a tenth of a millimetre, so details up there rest on the net alone.",
    "Blocks are alike: that two of them are exchanged changes no heap, and re-simulation cannot tell them apart.",
    "A tower whose blocks had shifted before it fell is proposed with its blocks in their slots; some that fell do not fall so.",
    "Probabilities of proposals are shares of the towers that the net's answer allows; how it stood may be none of them.",
    "The net and the re-simulation know one engine; debris of another one, or of stone, they know less well.",
)


class NextCheck(NamedTuple):
    """A fallen block that should be looked at again."""

    block: int  # of `assignment`
    bits: float  # that its slot would tell about which hypothesis is right


@dataclass(frozen=True, kw_only=True, eq=False)
class Reconstruction:
    """Ranked proposals of how a tower stood, from B surveyed blocks and S slots. SI units, in the ground frame."""

    survey: Survey  # all of it
    rows: Integers  # (A,) of the survey that `assignment` is about: those without a flaw
    flaws: dict[int, str]  # row of the survey -> why it is left out
    assignment: Assignment  # of A blocks
    pinned: Integers  # (A,) slots of blocks that still stand; UNASSIGNED: it fell
    placed: Floats  # (A, S) probability that this block stood in this slot
    filled: Floats  # (S,) that the slot was filled
    level: float  # of the sets of slots that hold the true one nine times in ten
    hypotheses: tuple[Hypothesis, ...]  # the most probable first; one at least
    known_friction: Friction | None
    tried_friction: Friction | None  # least and most of all that was re-simulated; None: nothing was
    building_friction: float  # coefficient that `steps` are checked with, the lower end of what is known
    dropped: int = 0  # proposals that could not have stood
    moves: tuple[tuple[Pull, float, float], ...] = ()  # pulls that were tried on the first state: probability, distance [m]
    steps: tuple[Step, ...] = ()
    reference: Reference | None = None
    prediction: Prediction | None = None  # of the paper's picture net, about a drawing of the heap; None: it was not asked
    photos: tuple[Photo, ...] = ()  # in which the blocks were detected; none: they were measured
    inputs: tuple[Path, ...] = ()  # files that were read, and are not written over
    making: Mapping[str, Any] = field(default_factory=dict)  # inputs, models, options and versions, as `describe_making` has them
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the answer in a line."""
        best = self.best
        chance = "" if math.isnan(best.probability) else f"; proposal 1 of {len(self.hypotheses)}, {best.probability:.0%}"
        gone = ", ".join(self.name_slots(~best.state.filled)) or "none"
        tower = f"tower of {self.assignment.courses} layers"
        doubts = f"; {len(self.warnings)} warnings, the first: {self.warnings[0]}" if self.warnings else ""
        return f"<Reconstruction: {len(self.survey)} blocks, {tower}{chance}, empty slots: {gone}{doubts}>"

    def save(self, folder: Path | str, *, films: bool = True, force: bool = False, workers: int = 1) -> list[Path]:
        """Write pictures, films, a report, `reconstruction.json` and `blocks.csv` into a folder; return the files.

        `force`: write to a folder that is not empty; earlier results in it are deleted. `workers`: processes that draw the films.
        """
        writer = import_module("anastylosis.report.reconstruction.results")  # it is above this room, and draws what is here
        files: list[Path] = writer.save_reconstruction(self, Path(folder), films=films, force=force, workers=workers)
        return files

    def write_tables(self, folder: Path) -> list[Path]:
        """Write `reconstruction.json` and `blocks.csv` alone; return the files."""
        from anastylosis.reconstruction.folder import write_folder  # which imports this module

        return write_folder(folder, self, self.as_document())

    def predict_by_picture(self) -> Prediction:
        """Return the answer of the paper's picture net; it runs when this is asked for the first time."""
        from anastylosis.reconstruction.conclusion import ask_picture_net  # which imports this module

        return self.prediction or ask_picture_net(self.survey, self.assignment.block_size)

    def to_json(self) -> str:
        """Return the text of `reconstruction.json`."""
        return json.dumps(self.as_document(), indent=1, allow_nan=False)

    @property
    def structure(self) -> Structure:
        return self.assignment.structure

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[0]

    @property
    def probability_other(self) -> float:
        """Return the probability that it was none of the proposals; NaN: nothing was compared."""
        rest = 1 - sum(each.probability for each in self.hypotheses)
        return rest if math.isnan(rest) else max(0.0, rest)

    @property
    def imbalance(self) -> float:
        """Return the paper's imbalance of the best proposal [m]: minus the margin of its weight over what bears it on the ground.

        Below 0 its weight is over its foot, which is necessary, not sufficient.
        """
        return measure_balance(self.structure.select(self.best.state.filled)).imbalance

    @property
    def emptiest(self) -> Integers:
        """List the slots that were most probably empty, as many as the estimate of empty slots."""
        number = min(round(self.assignment.num_removed.value), len(self.filled))
        return np.argsort(self.filled, kind="stable")[:number]

    @property
    def fallen(self) -> int:
        """Count the surveyed blocks that fell."""
        return int((self.pinned == UNASSIGNED).sum())

    def find_contradicted(self, hypothesis: Hypothesis) -> list[int]:
        """List slots whose blocks still stand there, and came down in the replay of a proposal."""
        return hypothesis.find_contradicted(np.sort(self.pinned[self.pinned != UNASSIGNED])).tolist()

    def rank_slots(self, block: int, count: int = 3) -> list[tuple[str, float]]:
        """Return the slots in which a block of `assignment` most probably stood."""
        order = np.argsort(-self.placed[block], kind="stable")[:count]
        return [(self.structure.ids[slot], float(self.placed[block, slot])) for slot in order]

    def find_set(self, block: int) -> list[str]:
        """Return the slots of which one is the true one nine times in ten."""
        return [self.structure.ids[slot] for slot in find_set(self.placed[block], self.level)]

    def list_checks(self, count: int = CHECKS) -> list[NextCheck]:
        """List the blocks whose slots would be most informative, the most informative first; none without physics."""
        weights = np.array([each.probability for each in self.hypotheses])
        if len(weights) < 2 or not np.isfinite(weights).all():
            return []
        bits = measure_information(weights / weights.sum(), np.array([each.votes for each in self.hypotheses]))
        bits[self.pinned != UNASSIGNED] = 0.0
        order = np.argsort(-bits, kind="stable")[:count]
        return [NextCheck(int(block), float(bits[block])) for block in order if bits[block] >= WORTH]

    def name_slots(self, mask: Flags) -> list[str]:
        return [self.structure.ids[slot] for slot in np.flatnonzero(mask)]

    def as_document(self) -> dict[str, Any]:
        """Describe all of it in the types and units of `reconstruction.json`."""
        prediction = self.assignment.as_document()
        document = {
            **self.making,
            "prediction": {name: value for name, value in prediction.items() if name != "blocks"},
            "hypotheses": [self.describe_hypothesis(rank, each) for rank, each in enumerate(self.hypotheses, 1)],
            "probability_other": finite_or_none(self.probability_other),
            "dropped": self.dropped,
            "fallen": self.fallen,
            "moves": [describe_pull(pull) | {"probability": p, "distance_mm": to_mm(d)} for pull, p, d in self.moves],
            "slots": dict(zip(self.structure.ids, self.filled.tolist(), strict=True)),
            "agree_standing": self.name_slots(self.filled >= SURE_PROBABILITY),
            "agree_empty": self.name_slots(self.filled <= 1 - SURE_PROBABILITY),
            "differ": self.name_slots((self.filled < SURE_PROBABILITY) & (self.filled > 1 - SURE_PROBABILITY)),
            "blocks": [self.describe_block(row) for row in range(len(self.survey))],
            "check_next": [
                {"id": self.survey.ids[self.rows[block]], "bits": bits, "alternatives": self.describe_slots(block)}
                for block, bits in self.list_checks()
            ],
            "friction_told": self.known_friction and list(self.known_friction),
            "friction_tried": self.tried_friction and list(self.tried_friction),
            "assembly_friction": self.building_friction,
            "assembly": [describe_step(step) for step in self.steps],
            "reference": None if self.reference is None else describe_reference(self.reference),
            "limits": list(LIMITS),
            "warnings": list(self.warnings),
        }
        return document if self.prediction is None else document | {"picture_net": self.prediction.as_document()}

    def describe_hypothesis(self, rank: int, hypothesis: Hypothesis) -> dict[str, Any]:
        state, ids = hypothesis.state, self.structure.ids
        placed = {self.survey.ids[self.rows[row]]: ids[slot] for row, slot in enumerate(state.slot) if slot != UNASSIGNED}
        unseen = state.filled.copy()
        unseen[state.slot[state.slot != UNASSIGNED]] = False
        return {
            "rank": rank,
            "probability": finite_or_none(hypothesis.probability),
            "standing": self.name_slots(state.filled),
            "removed": self.name_slots(~state.filled),
            "blocks": placed,
            "not_found": self.name_slots(unseen),
            "stands": hypothesis.stands,
            "share_of_draws": hypothesis.share,
            "pull": None if hypothesis.pull is None else describe_pull(hypothesis.pull),
            "friction": hypothesis.friction,
            "fell": hypothesis.fell if hypothesis.trial else None,
            "came_down": None if hypothesis.came_down is None else int(hypothesis.came_down.sum()),
            "contradicts": [ids[slot] for slot in self.find_contradicted(hypothesis)],
            "distance_mm": to_mm(hypothesis.distance),
            "seed": hypothesis.trial.seed if hypothesis.trial else None,
            "attempt": hypothesis.attempt if hypothesis.trial else None,
        }

    def describe_reason(self, block: int) -> str:
        """Describe why a block is put into a slot that is not its own most probable one."""
        names = [self.survey.ids[row] for row in self.rows]
        return describe_reason(block, self.best.state, self.placed, names, self.structure.ids)

    def describe_slots(self, block: int) -> list[dict[str, Any]]:
        return [{"slot": name, "probability": chance} for name, chance in self.rank_slots(block)]

    def describe_block(self, row: int) -> dict[str, Any]:
        """Describe one block of the survey; `basis` separates what is seen from what is inferred."""
        where: dict[str, Any] = {
            "id": self.survey.ids[row],
            "certainty": float(self.survey.certainty[row]),
            "slot": None,
            "probability": None,
            "alternatives": [],
            "nine_in_ten": [],
        }
        if row in self.flaws:
            return where | {"basis": "left out", "reason": self.flaws[row]}
        block = int(np.flatnonzero(self.rows == row)[0])
        slot = int(self.best.state.slot[block])
        ranked = self.describe_slots(block)
        if slot == UNASSIGNED and self.pinned[block] != UNASSIGNED:
            reason = "it seems to stand still, but the first proposal is without it"
            return where | {"alternatives": ranked, "basis": "left out", "reason": reason}
        if slot == UNASSIGNED:
            reason = self.assignment.reasons[block] or "others fit better into the slots that it may have stood in"
            return where | {"alternatives": ranked, "basis": "left out", "reason": reason}
        return where | {
            "slot": self.structure.ids[slot],
            "probability": float(self.placed[block, slot]),
            "alternatives": ranked,
            "nine_in_ten": self.find_set(block),
            "basis": "evidence" if self.pinned[block] != UNASSIGNED else "inference",
            "reason": describe_evidence(where["certainty"]) if self.pinned[block] != UNASSIGNED else self.describe_reason(block),
        }


def describe_reason(block: int, state: TowerState, placed: Floats, blocks: Sequence[str], slots: Sequence[str]) -> str:
    """Describe why a state puts a block into its slot; "" where that is the most probable one.

    `placed` (B, S): probabilities; `blocks`, `slots`: their names.
    """
    slot, best = int(state.slot[block]), int(placed[block].argmax())
    if placed[block, slot] >= placed[block, best]:
        return ""
    others = np.flatnonzero(state.slot == best)
    if len(others):
        other = int(others[0])
        better = placed[other, best] >= placed[block, best]
        return f"{blocks[other]} fits better into {slots[best]}" if better else f"{slots[best]} is needed for {blocks[other]}"
    without = state.filled.copy()
    without[slot] = False
    if find_weak_course(without) is not None:
        return f"layer {slot // BLOCKS_PER_COURSE} could not have borne what is above it without"
    return f"{slots[best]} is {'of a block that was not found' if state.filled[best] else 'empty'} in this proposal"


def describe_evidence(certainty: float) -> str:
    """Describe why a block is where it is seen; the detector may be unsure whether it is one."""
    return "it still stands there" if certainty > CERTAIN_PROBABILITY else f"it seems to stand there still, {certainty:.0%} sure"


def describe_pull(pull: Pull) -> dict[str, Any]:
    return {"slot": pull.block, "axis": pull.axis, "sign": pull.sign}


def describe_step(step: Step) -> dict[str, Any]:
    row = {"step": step.number, "slot": step.slot or None, "stands": step.stands}
    return row | {"safety_g": finite_or_none(step.safety), "margin_mm": to_mm(step.margin)}


def describe_reference(reference: Reference) -> dict[str, Any]:
    fall = reference.fall
    mirrored = [axis for axis, sign in zip("xy", reference.signs, strict=True) if sign < 0]
    return {
        "how": reference.how, "episode": fall.name, "seed": fall.seed, "layers": fall.layers, "friction": fall.friction,
        "policy": fall.policy, "rule": fall.rule, "fingerprint": fall.fingerprint, "mirrored": mirrored,
        "distance_mm": to_mm(reference.distance),
    }  # fmt: skip


def to_mm(metres: float) -> float | None:
    return finite_or_none(metres_to_millimetres(metres))
