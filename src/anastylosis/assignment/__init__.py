"""Assignment: a survey of fallen blocks in, ranked slots for each of them out. Runs on onnxruntime alone."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.assignment.assigner import Assigner
    from anastylosis.assignment.assignment import (
        FELL_DISTANCE,
        UNASSIGNED,
        Assignment,
        write_rows,
    )
    from anastylosis.assignment.block_size import choose_block_size, find_fitting, scale_survey
    from anastylosis.assignment.frame import settle_frame
    from anastylosis.assignment.model import AssignmentModel
    from anastylosis.assignment.unfallen import find_standing, is_off

__all__ = [
    "FELL_DISTANCE",
    "UNASSIGNED",
    "Assigner",
    "Assignment",
    "AssignmentModel",
    "choose_block_size",
    "find_fitting",
    "find_standing",
    "is_off",
    "scale_survey",
    "settle_frame",
    "write_rows",
]

__getattr__, __dir__ = load_on_demand(__name__)
