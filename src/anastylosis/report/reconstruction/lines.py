"""Lines: every prediction in plain words, with the paper's names and ranges. The panel draws them, the report lists them.

Paper, table "Practical interpretation of model outputs".
"""

from collections.abc import Sequence
from typing import NamedTuple

from anastylosis.predict.prediction import Prediction
from anastylosis.reconstruct.reconstruction import Reconstruction
from anastylosis.report.reconstruction.card import choose_stars
from anastylosis.units import metres_to_millimetres

__all__ = ["Line", "list_lines", "name_some"]

SHOWN = 5  # slots on one line of the panel


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
    """Every prediction in plain words, with the paper's names and ranges."""
    said = found.assignment
    count, friction = said.num_removed, said.friction
    tilt = f"{metres_to_millimetres(found.imbalance):.0f} mm"
    likeliest = name_some([found.structure.ids[slot] for slot in choose_stars(found)], SHOWN)
    known = friction.words(2) if found.told_friction is None else f"{found.told_friction.words} (told)"
    height = "told" if said.courses_given else f"{said.courses_probability:.0%}"
    gave_way = f"{said.failure_course} ({said.failure[said.failure_course]:.0%})"
    return [
        Line("blocks taken out", "num_removed", count.words(), "3 to 8", "gone before the fall"),
        Line("slots most probably empty", "removed_locs", likeliest or "none", "map, 0 to 1", "where blocks were taken out"),
        Line("imbalance", "imbalance_score", tilt, "0 to 30 mm", "below 0 its weight is over its foot"),
        Line("dangerous moves", "torque_risk", prediction.torque_risk.words(), "0 to 5", "pulls across a block's length"),
        Line("layer that gave way", "failure_layer", gave_way, "", "the lowest that did; 0 is on the floor"),
        Line("friction", "", known, "0.25 to 0.60", "coefficient, block on block"),
        Line("layers", "", f"{said.courses} ({height})", "18", "height before the fall"),
    ]


def name_some(names: Sequence[str], most: int) -> str:
    """The first of them, and how many more there are; a single one more takes no more room than saying so."""
    more = len(names) - most
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:most])} and {more} more"
