"""Tables of an assignment for spreadsheets: one of blocks, one of slots."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.assignment.assignment import Assignment
from anastylosis.assignment.matching import UNASSIGNED
from anastylosis.survey.csv_file import guard_formula
from anastylosis.whole_file import write_whole

__all__ = ["BLOCK_COLUMNS", "SLOT_COLUMNS", "list_blocks", "list_slots", "write_rows"]

RANKED = 5
BLOCK_COLUMNS = (
    "id", "slot", "layer", "place", "probability", "unplaced_probability", "x", "y", "z", "qw", "qx", "qy", "qz",
    *(f"{name}_{rank}" for rank in range(1, RANKED + 1) for name in ("slot", "probability")), "reason",
)  # fmt: skip
SLOT_COLUMNS = ("slot", "layer", "place", "removed_probability", "block", "probability")


def list_blocks(assignment: Assignment) -> list[dict[str, Any]]:
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


def list_slots(assignment: Assignment) -> list[dict[str, Any]]:
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


def round_chance(probability: float) -> float:
    """Round a probability to six decimals."""
    return round(float(probability), 6)
