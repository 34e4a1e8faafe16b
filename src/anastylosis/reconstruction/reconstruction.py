"""Reconstruction: ranked proposals of how a tower stood, what they have in common, and all that is needed to make them again."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.assignment.assignment import Assignment
from anastylosis.assignment.matching import UNASSIGNED
from anastylosis.episode import Pull
from anastylosis.mechanics import measure_balance
from anastylosis.reconstruction.assembly import Step
from anastylosis.reconstruction.case import Friction
from anastylosis.reconstruction.draws import State
from anastylosis.reconstruction.reasons import tell_reason
from anastylosis.reconstruction.resimulation import Trial
from anastylosis.reconstruction.retrieval import Reference
from anastylosis.reconstruction.weighing import find_set, measure_telling
from anastylosis.structure import Structure
from anastylosis.survey import Survey
from anastylosis.units import metres_to_millimetres

__all__ = ["LIMITS", "WHOLE_WORDS", "Check", "Hypothesis", "Reconstruction"]

SURE = 0.95  # slots that are filled, or empty, with at least this probability: the proposals agree
CERTAIN = 0.995  # of a block that stands: above, nothing is said of how sure that is
CHECKS, WORTH = 5, 0.01  # blocks to look at again; [bits] below which that is not worth a walk
LIMITS = (
    "Re-simulation tells the layer that gave way and what was below it; above it the same tower falls otherwise when its "
    "blocks are moved by a tenth of a millimetre, so details up there rest on the net alone.",
    "Blocks are alike: that two of them are exchanged changes no heap, and re-simulation cannot tell them apart.",
    "A tower whose blocks had shifted before it fell is proposed with its blocks in their slots; some that fell do not fall so.",
    "Probabilities of proposals are among these proposals, not among all that are possible.",
    "The net and the re-simulation know one engine; debris of another one, or of stone, they know less well.",
)
WHOLE_WORDS = (
    "The map of the slots tells of each slot by itself; a proposal is a whole tower that must stand, so even the first may fill "
    "a slot that was more probably empty, or the other way round."
)
Floats = NDArray[np.float64]


class Hypothesis(NamedTuple):
    """One proposal."""

    state: State
    share: float  # of the draws; where blocks may not have been found, of those that are most like it
    votes: Floats  # (A, S) share of the draws of this tower in which a block was in a slot
    stands: bool  # by the linear programme
    probability: float  # among all proposals; NaN: nothing was compared
    pull: Pull | None  # that may have brought it down; None: nothing was simulated
    friction: float
    distance: float  # [m] between its heap and the surveyed one; NaN: nothing was simulated, infinite: the engine gave up
    fell: bool
    trial: Trial | None = None
    attempt: int = 0  # of the trial: which of its pulls this was
    came_down: NDArray[np.bool_] | None = None  # (S,) slots whose blocks left them in the replay, but for the pulled one


class Check(NamedTuple):
    """A fallen block that should be looked at again."""

    block: int  # of `assignment`
    bits: float  # that its slot would tell about which hypothesis is right


@dataclass(frozen=True, kw_only=True, eq=False)
class Reconstruction:
    """B surveyed blocks, S slots. SI units, in the ground frame."""

    survey: Survey  # all of it
    rows: NDArray[np.int64]  # (A,) of the survey that `assignment` is about: those without a flaw
    flaws: dict[int, str]  # row of the survey -> why it is left out
    assignment: Assignment  # of A blocks
    pinned: NDArray[np.int64]  # (A,) slots of blocks that still stand; UNASSIGNED: it fell
    placed: Floats  # (A, S) probability that this block stood in this slot
    filled: Floats  # (S,) that the slot was filled
    level: float  # of the sets of slots that hold the true one nine times in ten
    hypotheses: tuple[Hypothesis, ...]  # the most probable first; one at least
    told_friction: Friction | None
    tried_friction: Friction | None  # least and most of all that was re-simulated; None: nothing was
    building_friction: float  # coefficient that `steps` are checked with, the lower end of what is known
    dropped: int = 0  # proposals that could not have stood
    moves: tuple[tuple[Pull, float, float], ...] = ()  # pulls that were tried on the first state: probability, distance [m]
    steps: tuple[Step, ...] = ()
    reference: Reference | None = None
    warnings: tuple[str, ...] = ()

    @property
    def structure(self) -> Structure:
        return self.assignment.structure

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[0]

    @property
    def imbalance(self) -> float:
        """Of the best proposal, the paper's: minus the margin of its weight over what bears it on the ground [m]; below 0 its
        weight is over its foot, which is necessary, not sufficient."""
        return measure_balance(self.structure.select(self.best.state.filled)).imbalance

    @property
    def fallen(self) -> int:
        """How many of the surveyed blocks fell."""
        return int((self.pinned == UNASSIGNED).sum())

    def find_contradicted(self, hypothesis: Hypothesis) -> list[int]:
        """Slots whose blocks still stand there, and came down in the replay of a proposal."""
        down = hypothesis.came_down
        return [] if down is None else [int(slot) for slot in np.sort(self.pinned[self.pinned != UNASSIGNED]) if down[slot]]

    def rank_slots(self, block: int, count: int = 3) -> list[tuple[str, float]]:
        """The slots in which a block of `assignment` most probably stood."""
        order = np.argsort(-self.placed[block], kind="stable")[:count]
        return [(self.structure.ids[slot], float(self.placed[block, slot])) for slot in order]

    def find_set(self, block: int) -> list[str]:
        """The slots of which one is the true one nine times in ten."""
        return [self.structure.ids[slot] for slot in find_set(self.placed[block], self.level)]

    def list_checks(self, count: int = CHECKS) -> list[Check]:
        """The blocks whose slots would tell most, the most telling first; none without physics."""
        weights = np.array([each.probability for each in self.hypotheses])
        if len(weights) < 2 or not np.isfinite(weights).all():
            return []
        bits = measure_telling(weights, np.array([each.votes for each in self.hypotheses]))
        bits[self.pinned != UNASSIGNED] = 0.0
        order = np.argsort(-bits, kind="stable")[:count]
        return [Check(int(block), float(bits[block])) for block in order if bits[block] >= WORTH]

    def name_slots(self, mask: NDArray[np.bool_]) -> list[str]:
        return [self.structure.ids[slot] for slot in np.flatnonzero(mask)]

    def as_document(self) -> dict[str, Any]:
        """In the types and units of `reconstruction.json`."""
        said = self.assignment.as_document()
        return {
            "prediction": {name: value for name, value in said.items() if name != "blocks"},
            "hypotheses": [self.describe_hypothesis(rank, each) for rank, each in enumerate(self.hypotheses, 1)],
            "dropped": self.dropped,
            "fallen": self.fallen,
            "moves": [describe_pull(pull) | {"probability": p, "distance_mm": to_mm(d)} for pull, p, d in self.moves],
            "slots": dict(zip(self.structure.ids, self.filled.tolist(), strict=True)),
            "agree_standing": self.name_slots(self.filled >= SURE),
            "agree_empty": self.name_slots(self.filled <= 1 - SURE),
            "differ": self.name_slots((self.filled < SURE) & (self.filled > 1 - SURE)),
            "blocks": [self.describe_block(row) for row in range(len(self.survey))],
            "check_next": [
                {"id": self.survey.ids[self.rows[block]], "bits": bits, "alternatives": self.describe_slots(block)}
                for block, bits in self.list_checks()
            ],
            "friction_told": self.told_friction and list(self.told_friction),
            "friction_tried": self.tried_friction and list(self.tried_friction),
            "assembly_friction": self.building_friction,
            "assembly": [describe_step(step) for step in self.steps],
            "reference": None if self.reference is None else describe_reference(self.reference),
            "limits": list(LIMITS),
            "warnings": list(self.warnings),
        }

    def describe_hypothesis(self, rank: int, hypothesis: Hypothesis) -> dict[str, Any]:
        state, ids = hypothesis.state, self.structure.ids
        placed = {self.survey.ids[self.rows[row]]: ids[slot] for row, slot in enumerate(state.slot) if slot != UNASSIGNED}
        unseen = state.filled.copy()
        unseen[state.slot[state.slot != UNASSIGNED]] = False
        return {
            "rank": rank,
            "probability": finite(hypothesis.probability),
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

    def tell_reason(self, block: int) -> str:
        """Why a block is put into a slot that is not its own most probable one."""
        names = [self.survey.ids[row] for row in self.rows]
        return tell_reason(block, self.best.state, self.placed, names, self.structure.ids)

    def describe_slots(self, block: int) -> list[dict[str, Any]]:
        return [{"slot": name, "probability": chance} for name, chance in self.rank_slots(block)]

    def describe_block(self, row: int) -> dict[str, Any]:
        """One block of the survey; `basis` tells what is seen from what is inferred."""
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
            "reason": tell_evidence(where["certainty"]) if self.pinned[block] != UNASSIGNED else self.tell_reason(block),
        }


def tell_evidence(certainty: float) -> str:
    """Why a block is where it is seen; an eye may be unsure whether it sees one."""
    return "it still stands there" if certainty > CERTAIN else f"it seems to stand there still, {certainty:.0%} sure"


def describe_pull(pull: Pull) -> dict[str, Any]:
    return {"slot": pull.block, "axis": pull.axis, "sign": pull.sign}


def describe_step(step: Step) -> dict[str, Any]:
    said = {"step": step.number, "slot": step.slot or None, "stands": step.stands}
    return said | {"safety_g": finite(step.safety), "margin_mm": to_mm(step.margin)}


def describe_reference(reference: Reference) -> dict[str, Any]:
    fall = reference.fall
    mirrored = [axis for axis, sign in zip("xy", reference.signs, strict=True) if sign < 0]
    return {
        "how": reference.how, "episode": fall.name, "seed": fall.seed, "layers": fall.layers, "friction": fall.friction,
        "policy": fall.policy, "rule": fall.rule, "fingerprint": fall.fingerprint, "mirrored": mirrored,
        "distance_mm": to_mm(reference.distance),
    }  # fmt: skip


def to_mm(metres: float) -> float | None:
    return finite(metres_to_millimetres(metres))


def finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
