"""Assignment: a survey of fallen blocks in, ranked slots for each of them out. Runs on onnxruntime alone."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.assignment.assigner import Assigner
    from anastylosis.assignment.assignment import (
        FELL_DISTANCE,
        UNASSIGNED,
        Assignment,
        find_fitting,
        write_rows,
    )
    from anastylosis.assignment.model import AssignmentModel

__all__ = [
    "FELL_DISTANCE",
    "UNASSIGNED",
    "Assigner",
    "Assignment",
    "AssignmentModel",
    "find_fitting",
    "write_rows",
]

__getattr__, __dir__ = load_on_demand(__name__)
