"""Training and evaluation of all nets, by torch. Elsewhere only `Dataset.as_torch` imports it, when it is called."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.training.assignment.evaluation import SurveyTest
    from anastylosis.training.assignment.job import AssignmentJob
    from anastylosis.training.assignment.seen_job import SeenJob
    from anastylosis.training.detection.evaluation import DetectorTest
    from anastylosis.training.detection.job import DetectorJob
    from anastylosis.training.loop import Epoch, count_epochs, open_board
    from anastylosis.training.picture.evaluation import PictureTest, name_model
    from anastylosis.training.picture.heads import PICTURE_HEADS
    from anastylosis.training.picture.job import PictureJob
    from anastylosis.training.picture.submission import Submission
    from anastylosis.training.ranks import leader_first

__all__ = [
    "PICTURE_HEADS",
    "AssignmentJob",
    "DetectorJob",
    "DetectorTest",
    "Epoch",
    "PictureJob",
    "PictureTest",
    "SeenJob",
    "Submission",
    "SurveyTest",
    "count_epochs",
    "leader_first",
    "name_model",
    "open_board",
]

__getattr__, __dir__ = load_on_demand(__name__)
