"""Surveys of fallen stones: their files, their errors, and checks for mistakes."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.survey.checks import check_survey, find_unsure
    from anastylosis.survey.noise import Noise, survey_debris
    from anastylosis.survey.number_columns import read_number_columns
    from anastylosis.survey.survey import SEEN, Ground, Survey
    from anastylosis.survey.survey_file import SURVEY_ENDINGS, read_survey, write_survey

__all__ = [
    "SEEN",
    "SURVEY_ENDINGS",
    "Ground",
    "Noise",
    "Survey",
    "check_survey",
    "find_unsure",
    "read_number_columns",
    "read_survey",
    "survey_debris",
    "write_survey",
]

__getattr__, __dir__ = load_on_demand(__name__)
