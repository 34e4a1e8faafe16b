"""Training and evaluation of all nets, by torch. Elsewhere only `Dataset.as_torch` imports it, when it is called."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.training.assignment.config import ASSIGNMENT_PRESETS
    from anastylosis.training.assignment.evaluation import SurveyTest
    from anastylosis.training.assignment.job import open_assignment_job, train_assignment_net
    from anastylosis.training.assignment.seen_job import open_seen_job, train_seen_net
    from anastylosis.training.detection.config import DETECTOR_PRESETS
    from anastylosis.training.detection.evaluation import DetectorTest
    from anastylosis.training.detection.job import open_detector_job, train_detector_net
    from anastylosis.training.loop import Epoch, count_epochs, open_board
    from anastylosis.training.picture.config import PRESETS
    from anastylosis.training.picture.evaluation import PictureTest, name_model
    from anastylosis.training.picture.heads import PICTURE_HEADS
    from anastylosis.training.picture.job import open_picture_job
    from anastylosis.training.picture.ridge import train_ridge
    from anastylosis.training.picture.train import train_picture_net
    from anastylosis.training.ranks import leader_first

__all__ = [
    "ASSIGNMENT_PRESETS",
    "DETECTOR_PRESETS",
    "PICTURE_HEADS",
    "PRESETS",
    "DetectorTest",
    "Epoch",
    "PictureTest",
    "SurveyTest",
    "count_epochs",
    "leader_first",
    "name_model",
    "open_assignment_job",
    "open_board",
    "open_detector_job",
    "open_picture_job",
    "open_seen_job",
    "train_assignment_net",
    "train_detector_net",
    "train_picture_net",
    "train_ridge",
    "train_seen_net",
]

__getattr__, __dir__ = load_on_demand(__name__)
