"""Origin and heading: a stump that stands elsewhere, or turned, is an error that names what would fit, or is believed."""

import math
from dataclasses import replace

import numpy as np
import pytest

import anastylosis
from anastylosis.assignment.frame import find_frame
from anastylosis.errors import InvalidInput
from anastylosis.structure import BLOCK_SIZE
from anastylosis.survey import Ground, Noise, Survey
from support.heaps import small_fall, survey_of
from support.surveys import tower_survey

FRAMES = [
    Ground(heading=math.pi / 2),
    Ground(heading=math.radians(30)),
    Ground(origin=(2.0, -3.0, 0.0)),  # type: ignore[arg-type]
    Ground(origin=(0.0, 0.0, 0.4)),  # type: ignore[arg-type]
    Ground(origin=(0.1, 0.05, -0.2), heading=math.radians(-50)),  # type: ignore[arg-type]
]


def view_from(survey: Survey, wrong: Ground) -> Survey:
    """The same stones as whoever takes `wrong` for the tower's frame writes them down."""
    position, orientation = wrong.from_site(survey.position, survey.orientation)
    return replace(survey, position=position, orientation=orientation)


@pytest.mark.parametrize("wrong", FRAMES)
def test_a_stump_elsewhere_is_an_error_that_names_what_would_fit(wrong: Ground) -> None:
    with pytest.raises(InvalidInput, match=r"18 blocks still stand .* give --origin \S+ --heading \S+, or --fit-frame") as caught:
        anastylosis.assign(view_from(tower_survey(6), wrong), layers=6)
    assert caught.value.kind == "frame_contradicted"


@pytest.mark.parametrize("wrong", FRAMES)
def test_the_frame_that_fits_is_taken_if_asked_for(wrong: Ground) -> None:
    found = anastylosis.assign(view_from(tower_survey(6), wrong), layers=6, fit_frame=True)
    turned = np.cos(wrong.heading + found.survey.ground.heading) < 0  # a tower is the same both ways round
    slots = np.arange(18).reshape(6, 3)
    assert found.slot.tolist() == (slots[:, ::-1] if turned else slots).ravel().tolist()
    assert "origin and heading are taken from 18 blocks" in found.warnings[0]


@pytest.mark.parametrize("noise", [Noise(), Noise(position=0.005, angle=math.radians(4))])
def test_a_survey_in_the_right_frame_is_left_alone(noise: Noise) -> None:
    survey, _ = survey_of(small_fall(), noise)
    fit = find_frame(survey, BLOCK_SIZE)
    assert fit is None or fit.given > 0
    assert not any("origin" in warning for warning in anastylosis.assign(survey, layers=6, fit_frame=True).warnings)


def test_an_origin_that_is_metres_away_is_an_error_though_nothing_stands() -> None:
    survey, _ = survey_of(small_fall())
    low = survey.select(np.flatnonzero(survey.position[:, 2] < 0.02)[:6])
    with pytest.raises(InvalidInput, match=r"no block lies within \S+ m of the foot .* --origin"):
        anastylosis.assign(replace(low, position=low.position + np.array((3.0, 0.0, 0.0))), layers=6)


def test_places_in_another_unit_leave_no_room() -> None:
    survey, _ = survey_of(small_fall())
    for position in (survey.position * 1e-3, np.zeros_like(survey.position)):
        with pytest.raises(InvalidInput, match="times the room in which they are said to lie") as caught:
            anastylosis.assign(replace(survey, position=position), layers=6)
        assert caught.value.kind == "blocks_packed"
