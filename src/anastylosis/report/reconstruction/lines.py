"""Lines: every prediction in plain words, with the paper's names and ranges. The panel draws them, the report lists them.

Paper, table "Practical interpretation of model outputs".
"""

from typing import NamedTuple

from anastylosis.models import Prediction
from anastylosis.reconstruction import Reconstruction
from anastylosis.report.reconstruction.card import describe_balance, describe_torque
from anastylosis.report.reconstruction.naming import describe_height, name_some
from anastylosis.report.reconstruction.standing import describe_standing

SHOWN = 24  # slots that are named; the map has all

BALANCE = "its centre of weight, seen from above; outside, it tips"


class Line(NamedTuple):
    """One row of the table."""

    name: str
    code: str  # its name in files and in the paper; "": the same
    value: str
    typical: str  # of the paper; "": it is not in the paper
    meaning: str

    @property
    def label(self) -> str:
        return f"{self.name} ({self.code})" if self.code else self.name


def list_lines(found: Reconstruction, prediction: Prediction) -> list[Line]:
    """List every prediction in plain words, with the paper's names and ranges."""
    assignment = found.assignment
    count, friction = assignment.num_removed, assignment.friction
    likeliest = name_some([found.structure.ids[slot] for slot in found.emptiest], SHOWN)
    known = friction.words(2) if found.known_friction is None else f"{found.known_friction.words} (told)"
    height = describe_height(assignment)
    gave_way = f"{assignment.failure_course} ({assignment.failure[assignment.failure_course]:.0%})"
    blocks = [found.describe_block(row) for row in range(len(found.survey))]
    return [
        Line(
            "blocks found",
            "",
            f"{len(blocks)}; {describe_standing(blocks)}",
            "",
            "what still stands is evidence, the rest inference",
        ),
        Line("blocks taken out", "num_removed", count.words(), "3 to 8", "gone before the fall"),
        Line(
            "slots most probably empty",
            "removed_locs",
            likeliest or "none",
            "0 to 1, for each slot",
            "where blocks were taken out",
        ),
        Line("balance", "imbalance_score", describe_balance(found), "0 to 30 mm, of another kind", BALANCE),
        Line("dangerous moves", "torque_risk", describe_torque(prediction), "0 to 5", "pulls across a block's length"),
        Line("layer that gave way", "failure_layer", gave_way, "", "the lowest that did; 0 is on the floor"),
        Line("friction", "", known, "0.25 to 0.60", "coefficient, block on block"),
        Line("layers", "", f"{assignment.courses} ({height})", "18", "height before the fall"),
    ]
