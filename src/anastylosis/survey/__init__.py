"""Surveys of fallen stones: their files, their errors, and checks for mistakes."""

from anastylosis.survey.checks import SurveyIssue, check_survey
from anastylosis.survey.noise import Noise, disturb_poses, survey_debris
from anastylosis.survey.survey import Ground, Survey, sort_axes
from anastylosis.survey.survey_file import read_survey, write_survey

__all__ = [
    "Ground",
    "Noise",
    "Survey",
    "SurveyIssue",
    "check_survey",
    "disturb_poses",
    "read_survey",
    "sort_axes",
    "survey_debris",
    "write_survey",
]
