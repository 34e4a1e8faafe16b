"""Training and evaluation of all nets, by torch. Elsewhere only `Dataset.as_torch` imports it, when it is called."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.training.assignment.config import ASSIGNMENT_PRESETS
    from anastylosis.training.assignment.evaluation import (
        SURVEY_BASELINES,
        count_answers,
        evaluate_surveys,
        list_survey_trials,
        open_survey_test,
    )
    from anastylosis.training.assignment.job import open_assignment_job, train_assignment_net
    from anastylosis.training.assignment.seen_job import open_seen_job, train_seen_net
    from anastylosis.training.detection.config import DETECTOR_PRESETS, DetectorConfig
    from anastylosis.training.detection.evaluation import evaluate_detector, list_detection_trials
    from anastylosis.training.detection.job import (
        DetectorJob,
        ProposalCache,
        gather_proposals,
        open_detector_job,
        train_detector_net,
    )
    from anastylosis.training.loop import Epoch, count_epochs, open_board
    from anastylosis.training.picture.config import PRESETS, change_config, ridge_config
    from anastylosis.training.picture.evaluation import BASELINES, evaluate, list_trials, name_model, open_picture_test
    from anastylosis.training.picture.heads import PICTURE_HEADS
    from anastylosis.training.picture.job import open_picture_job
    from anastylosis.training.picture.ridge import train_ridge
    from anastylosis.training.picture.train import train_picture_net
    from anastylosis.training.ranks import leader_first

__all__ = [
    "ASSIGNMENT_PRESETS",
    "BASELINES",
    "DETECTOR_PRESETS",
    "PICTURE_HEADS",
    "PRESETS",
    "SURVEY_BASELINES",
    "DetectorConfig",
    "DetectorJob",
    "Epoch",
    "ProposalCache",
    "change_config",
    "count_answers",
    "count_epochs",
    "evaluate",
    "evaluate_detector",
    "evaluate_surveys",
    "gather_proposals",
    "leader_first",
    "list_detection_trials",
    "list_survey_trials",
    "list_trials",
    "name_model",
    "open_assignment_job",
    "open_board",
    "open_detector_job",
    "open_picture_job",
    "open_picture_test",
    "open_seen_job",
    "open_survey_test",
    "ridge_config",
    "train_assignment_net",
    "train_detector_net",
    "train_picture_net",
    "train_ridge",
    "train_seen_net",
]

__getattr__, __dir__ = load_on_demand(__name__)
