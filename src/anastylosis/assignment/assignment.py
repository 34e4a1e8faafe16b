"""Assignment: the slots of the blocks of a survey, ranked by probability; the best complete match; its tables and statics."""

import csv
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.arrays import Floats, Vector
from anastylosis.mechanics import Balance, measure_balance
from anastylosis.models import Estimate
from anastylosis.number import finite_or_none, round_chance
from anastylosis.structure import Structure
from anastylosis.survey import Survey
from anastylosis.text_file import guard_formula
from anastylosis.units import metres_to_millimetres
from anastylosis.whole_file import write_whole

UNASSIGNED = -1  # instead of a slot: the block is in none
PROBABILITY_FLOOR = 1e-12  # lower bound of probabilities, before their logarithm
FELL_DISTANCE = 0.03  # [m] a block that lies further than this from where it stood has fallen: more than its own width
RANKED = 5  # slots of a block that are listed
BLOCK_COLUMNS = (
    "id", "slot", "layer", "place", "probability", "unplaced_probability", "x", "y", "z", "qw", "qx", "qy", "qz",
    *(f"{name}_{rank}" for rank in range(1, RANKED + 1) for name in ("slot", "probability")), "reason",
)  # fmt: skip
SLOT_COLUMNS = ("slot", "layer", "place", "removed_probability", "block", "probability")
REMOVED = 0.5  # probability from which a slot counts as empty before the fall


def match_blocks(placed: NDArray[np.floating], unplaced: NDArray[np.floating], empty: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the slot (B,) of each block, or UNASSIGNED: the complete assignment whose probabilities have the largest product.

    `placed` (B, S), `unplaced` (B,) and `empty` (S,). Blocks may stay unassigned and slots empty, each at its own cost, so
    the problem is made square: a column more for each block, a row more for each slot (Hungarian method; Kuhn 1955).
    """
    blocks, slots = placed.shape
    cost = np.full((blocks + slots, slots + blocks), np.inf)
    cost[:blocks, :slots] = -log_of(placed)
    cost[:blocks, slots:][np.diag_indices(blocks)] = -log_of(unplaced)
    cost[blocks:, :slots][np.diag_indices(slots)] = -log_of(empty)
    cost[blocks:, slots:] = 0
    columns = linear_sum_assignment(cost)[1][:blocks]
    return np.where(columns < slots, columns, UNASSIGNED).astype(np.int64)


def log_of(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.log(np.maximum(probability.astype(np.float64), PROBABILITY_FLOOR))


def list_blocks(assignment: "Assignment") -> list[dict[str, Any]]:
    """List a row a block: its slot in the best complete assignment, where that is on the site [m], and the slots by rank."""
    tower = assignment.structure
    position, orientation = assignment.survey.ground.to_site(np.array(tower.position), np.array(tower.orientation))
    rows = []
    for block, name in enumerate(assignment.survey.ids):
        slot = int(assignment.slot[block])
        row: dict[str, Any] = dict.fromkeys(BLOCK_COLUMNS, "") | {"id": name, "reason": assignment.reasons[block]}
        row["unplaced_probability"] = round_chance(assignment.unplaced[block])
        if slot != UNASSIGNED:
            row |= {"slot": tower.ids[slot], "layer": int(tower.course[slot]), "place": int(tower.place[slot])}
            row["probability"] = round_chance(assignment.placed[block, slot])
            row |= dict(zip(("x", "y", "z"), position[slot].tolist(), strict=True))
            row |= dict(zip(("qw", "qx", "qy", "qz"), orientation[slot].tolist(), strict=True))
        for rank, ranked in enumerate(assignment.rank_slots(block, RANKED), 1):
            row |= {f"slot_{rank}": ranked.slot, f"probability_{rank}": round_chance(ranked.probability)}
        rows.append(row)
    return rows


def list_slots(assignment: "Assignment") -> list[dict[str, Any]]:
    """List a row a slot: the probability that it was empty before the fall, and the block that is put back into it."""
    tower = assignment.structure
    block_of = {int(slot): block for block, slot in enumerate(assignment.slot) if slot != UNASSIGNED}
    rows = []
    for slot, name in enumerate(tower.ids):
        block = block_of.get(slot)
        rows.append(
            {
                "slot": name,
                "layer": int(tower.course[slot]),
                "place": int(tower.place[slot]),
                "removed_probability": round_chance(assignment.removed[slot]),
                "block": "" if block is None else assignment.survey.ids[block],
                "probability": "" if block is None else round_chance(assignment.placed[block, slot]),
            }
        )
    return rows


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """Write a CSV file, whole or not at all."""
    with write_whole(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([format_cell(row[name]) for name in columns] for row in rows)


def format_cell(value: Any) -> str:
    """Return a cell as text; texts that a spreadsheet would run are guarded."""
    return guard_formula(value) if isinstance(value, str) else repr(value)


class RankedSlot(NamedTuple):
    """A slot in which a block may have stood, and how probably."""

    slot: str
    probability: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Assignment:
    """Assignment of B surveyed blocks to the S slots of a structure. SI units, in the ground frame."""

    survey: Survey
    structure: Structure  # as it was built, every slot filled
    placed: Floats  # (B, S) probability that this block stood in this slot
    unplaced: Floats  # (B,) that it stood in none
    removed: Floats  # (S,) that the slot was empty before the fall
    slot: NDArray[np.int64]  # (B,) of the best complete assignment; UNASSIGNED: none
    reasons: tuple[str, ...]  # (B,) why a block is left out; "" where it is not
    courses_given: bool  # the caller gave the height; otherwise it was inferred
    courses_probability: float
    courses_ranked: tuple[tuple[int, float], ...]  # heights and their probabilities by the blocks alone, the best first
    num_removed: Estimate
    failure: Floats  # (courses,) probability that this was the lowest course to give way
    friction: Estimate  # coefficient, from the poses alone
    friction_given: float | None
    direction: float  # of the fall, from x, counter-clockwise [rad]
    direction_certainty: float  # 0..1
    model: str  # preset
    warnings: tuple[str, ...] = ()

    @property
    def courses(self) -> int:
        """Number of courses of the structure."""
        return int(self.structure.course.max()) + 1

    @property
    def block_size(self) -> Vector:
        """Length, width and height of the blocks that the slots are built for [m]."""
        length, width, height = self.structure.blocks.size[0].tolist()
        return length, width, height

    @property
    def failure_course(self) -> int:
        """Most probable lowest course to give way, 0 at the bottom."""
        return int(self.failure.argmax())

    def rank_slots(self, block: int, count: int = 5) -> list[RankedSlot]:
        """Return the slots in which a block most probably stood, the best first."""
        best = np.argsort(-self.placed[block], kind="stable")[:count]
        return [RankedSlot(self.structure.ids[slot], float(self.placed[block, slot])) for slot in best]

    @cached_property
    def standing(self) -> NDArray[np.bool_]:
        """Slots (S,) that were filled before the fall: those that a block is put back into, and those that were not removed."""
        filled = self.removed < REMOVED
        filled[self.slot[self.slot != UNASSIGNED]] = True
        return filled

    @cached_property
    def balance(self) -> Balance | None:
        """Statics of the structure put back, by closed forms; None when no slot was filled."""
        return measure_balance(self.structure.select(self.standing)) if self.standing.any() else None

    def as_document(self) -> dict[str, Any]:
        """Return the document of `anastylosis assign --json`, in its units."""
        ids = self.structure.ids
        balance = self.balance
        return {
            "layers": self.courses,
            "layers_given": self.courses_given,
            "layers_probability": self.courses_probability,
            "layers_ranked": [{"layers": courses, "probability": chance} for courses, chance in self.courses_ranked],
            "blocks": [self.describe_block(block) for block in range(len(self.survey))],
            "removed": {name: float(share) for name, share in zip(ids, self.removed, strict=True)},
            "num_removed": self.num_removed.value,
            "num_removed_low": self.num_removed.low,
            "num_removed_high": self.num_removed.high,
            "num_removed_counted": self.num_removed.counted,
            "failure_layer": self.failure_course,
            "failure_layer_probability": float(self.failure[self.failure_course]),
            "friction": self.friction.value,
            "friction_low": self.friction.low,
            "friction_high": self.friction.high,
            "friction_given": self.friction_given,
            "direction_degrees": math.degrees(self.direction + self.survey.ground.heading) % 360,
            "direction_certainty": self.direction_certainty,
            "imbalance_mm": None if balance is None else finite_or_none(metres_to_millimetres(balance.imbalance)),
            "weakest_margin_mm": None if balance is None else finite_or_none(metres_to_millimetres(balance.weakest_margin)),
            "weakest_layer": None if balance is None else balance.weakest,
            "model": self.model,
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        """Say the answer in a line."""
        back = int((self.slot != UNASSIGNED).sum())
        gone = f"{self.num_removed.words()} slots empty"
        return f"<Assignment: {back} of {len(self.survey)} blocks put back, tower of {self.courses} layers, {gone}>"

    def save(self, path: Path | str) -> None:
        """Write a table, one line a block: its slot, the position there, and the next best slots."""
        write_rows(Path(path), BLOCK_COLUMNS, self.list_blocks())

    def save_slots(self, path: Path | str) -> None:
        """Write a table, one line a slot: how probably it was empty before the fall, and its block."""
        write_rows(Path(path), SLOT_COLUMNS, list_slots(self))

    def list_blocks(self) -> list[dict[str, Any]]:
        """List the lines of the table that `save` writes."""
        return list_blocks(self)

    def to_json(self) -> str:
        """Return the text that `anastylosis assign --json` prints about the blocks and slots."""
        return json.dumps(self.as_document(), indent=1, allow_nan=False)

    def describe_block(self, block: int) -> dict[str, Any]:
        """Return the part of the document about one block."""
        slot = int(self.slot[block])
        return {
            "id": self.survey.ids[block],
            "slot": None if slot == UNASSIGNED else self.structure.ids[slot],
            "probability": float(self.unplaced[block] if slot == UNASSIGNED else self.placed[block, slot]),
            "unplaced_probability": float(self.unplaced[block]),
            "ranked": [ranked._asdict() for ranked in self.rank_slots(block)],
            "reason": self.reasons[block],
        }
