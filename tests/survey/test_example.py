"""The survey that ships, and those that the page about the format shows."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from anastylosis.structure import jenga_tower
from anastylosis.survey import check_survey, read_survey, write_survey
from support.surveys import same_turns


def test_the_survey_that_ships(project: Path) -> None:
    folder = project / "examples" / "survey"
    survey = read_survey(folder / "fallen-tower.csv")
    with (folder / "truth.csv").open(newline="") as file:
        slots = {line["stone"]: line["slot"] for line in csv.DictReader(file)}
    assert tuple(slots) == survey.ids
    assert set(slots.values()) - {"foreign"} < set(jenga_tower(18).ids)
    assert list(slots.values()).count("foreign") == 2
    assert len(set(slots.values())) == len(survey) - 1
    assert set(survey.position_sd) == {0.005}
    np.testing.assert_allclose(survey.orientation_sd, np.radians(5))
    assert survey.warnings == ()
    assert check_survey(survey) == []


@pytest.mark.parametrize("language", ["", "json"])
def test_the_page_shows_surveys_that_can_be_read(project: Path, tmp_path: Path, language: str) -> None:
    page = (project / "docs" / "reference" / "survey-format.md").read_text(encoding="utf-8")
    path = tmp_path / f"survey.{language or 'csv'}"
    path.write_text(re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0], encoding="utf-8")
    survey = read_survey(path)
    assert survey.ids[0] == "A1"
    assert survey.size[0].tolist() == [0.081, 0.026, 0.018]
    # 210 mm east and 78 mm south of the foot, seen from a frame that is turned by 30 degrees.
    cos, sin = np.cos(np.radians(30)), np.sin(np.radians(30))
    np.testing.assert_allclose(survey.position[0], (0.21 * cos - 0.078 * sin, -0.21 * sin - 0.078 * cos, 0.009), atol=1e-9)
    assert survey.warnings == ()
    write_survey(path, survey)
    assert same_turns(read_survey(path).orientation, survey.orientation).max() < 1e-14
