"""Surveys of fallen stones: their files, their errors, and checks for mistakes."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.survey.cells import locate_errors, parse_number
    from anastylosis.survey.checks import check_survey, find_unsure
    from anastylosis.survey.csv_file import guard_formula
    from anastylosis.survey.json_file import load_json
    from anastylosis.survey.noise import Noise, survey_debris
    from anastylosis.survey.number_columns import read_number_columns
    from anastylosis.survey.survey import SEEN, SOURCE_MAX, Ground, Survey, clean_text
    from anastylosis.survey.survey_file import read_survey, read_text, write_survey

__all__ = [
    "SEEN",
    "SOURCE_MAX",
    "Ground",
    "Noise",
    "Survey",
    "check_survey",
    "clean_text",
    "find_unsure",
    "guard_formula",
    "load_json",
    "locate_errors",
    "parse_number",
    "read_number_columns",
    "read_survey",
    "read_text",
    "survey_debris",
    "write_survey",
]

__getattr__, __dir__ = load_on_demand(__name__)
