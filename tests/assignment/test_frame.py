"""Origin and heading: a stump that stands elsewhere, or turned, is an error that names what would fit, or is believed."""

import math
from dataclasses import replace

import numpy as np
import pytest

import anastylosis
from anastylosis.assignment import UNASSIGNED, find_standing
from anastylosis.assignment.doubts import doubt_heading
from anastylosis.assignment.frame import find_frame
from anastylosis.assignment.model import AssignmentOutput, build_input
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.pipeline import run_pipeline
from anastylosis.reconstruction.problem import Knowledge, ReconstructionConfig
from anastylosis.reconstruction.toolset import Toolset
from anastylosis.structure import BLOCK_SIZE, jenga_tower
from anastylosis.survey import Ground, Noise, Survey
from support.heaps import small_fall, survey_of
from support.surveys import tower_survey

NO_PHYSICS = ReconstructionConfig(hypotheses=0, assembly=False, picture_net=False)
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
    with pytest.raises(InvalidInput, match=r"18 blocks still stand .* give --origin \S+ --heading \S+; --fit-frame") as caught:
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
    warnings = anastylosis.assign(survey, layers=6, fit_frame=True).warnings
    assert not any("origin and heading are taken" in warning for warning in warnings)


@pytest.mark.parametrize("wrong", FRAMES)
def test_the_frame_that_was_given_is_kept_if_asked_for_and_that_is_said_once(wrong: Ground) -> None:
    survey = view_from(tower_survey(6), wrong)
    assignment = anastylosis.assign(survey, layers=6, fit_frame=False)
    assert (assignment.survey.position == survey.position).all()
    kept = run_pipeline(survey, Knowledge(layers=6, fit_frame=False), NO_PHYSICS, Toolset(library=[small_fall()]))
    for warnings in (assignment.warnings, kept.warnings):
        assert sum("18 blocks still stand on each other" in warning for warning in warnings) == 1


def test_a_stump_that_shifted_a_little_is_a_warning() -> None:
    survey = view_from(tower_survey(6), Ground(origin=np.array((0.013, 0.013, 0.0))))
    warnings = anastylosis.assign(survey, layers=6).warnings
    assert any("18 blocks still stand on each other" in warning for warning in warnings)


@pytest.mark.parametrize(("height", "where"), [(0.08, "above"), (-0.05, "below")])
def test_a_ground_that_is_elsewhere_is_an_error_though_nothing_stands(height: float, where: str) -> None:
    survey, _ = survey_of(small_fall())
    low = survey.select(np.flatnonzero(survey.position[:, 2] < 0.02)[:4])
    wrong = replace(low, position=low.position + np.array((0.0, 0.0, height)))
    with pytest.raises(
        InvalidInput, match=rf"lowest blocks lie {abs(height):.3f} m {where} the ground .* give --origin \S+,{height:.3f}"
    ):
        anastylosis.assign(wrong, layers=6)
    fitted = anastylosis.assign(wrong, layers=6, fit_frame=True)
    assert fitted.survey.position == pytest.approx(low.position, abs=1e-3)
    assert any("the ground is taken from the lowest blocks" in warning for warning in fitted.warnings)


def test_errors_of_a_survey_are_no_contradiction() -> None:
    """A stump without its bottom course, 5 mm and 5 degrees off: it stands where it is said to, whatever the parity."""
    rng = np.random.default_rng(3)
    tower = tower_survey(10)
    for _ in range(5):
        rows = np.flatnonzero((np.arange(30) > 2) & (rng.random(30) > 0.06))
        part = tower.select(rows)
        noisy = replace(
            part, position=part.position + rng.normal(0, 0.005, part.position.shape), position_sd=np.full(len(part), 0.005)
        )
        assert len(anastylosis.assign(noisy, layers=10).slot) == len(part)


def test_where_nothing_stands_it_is_said_that_nothing_confirms_the_frame() -> None:
    survey, _ = survey_of(small_fall())
    tower = jenga_tower(6)
    fallen = survey.select(np.flatnonzero(find_standing(survey, tower) == UNASSIGNED))
    for turn in (0.0, math.pi / 2):
        warnings = anastylosis.assign(view_from(fallen, Ground(heading=turn)), layers=6).warnings
        assert sum("confirms origin and heading" in each or "is the heading right?" in each for each in warnings) == 1


def test_a_quarter_turn_is_doubted_where_the_blocks_fit_better_without() -> None:
    """A net that puts each block where it is: half a column that lies beside its slots, turned and not."""
    answers = {True: 0.6, False: 0.9}  # how sure it is of the blocks, as told and turned
    tower = tower_survey(6)
    lying = tower.select(np.arange(6, 18))  # next to nothing stands without the courses below

    class Net:
        def run(self, sheet):
            turned = not np.allclose(sheet.block_position[0], lying.position, atol=1e-6)
            return found._replace(
                placed=np.full((1, 12, 18), answers[not turned] / 18) + np.eye(12, 18)[None] * answers[not turned]
            )

    found = AssignmentOutput(*([np.zeros((1, 12))] * len(AssignmentOutput._fields)))
    first = found._replace(placed=Net().run(build_input(lying, jenga_tower(6))).placed)
    (said,) = doubt_heading(Net(), lying, jenga_tower(6), None, first)
    assert "turned by 90 degrees the blocks would fit their slots better" in said
    answers[False] = 0.61  # turned, it is no surer than chance allows
    (said,) = doubt_heading(Net(), lying, jenga_tower(6), None, first)
    assert "nothing here confirms origin and heading" in said


def test_an_origin_that_is_metres_away_is_an_error_though_nothing_stands() -> None:
    survey, _ = survey_of(small_fall())
    low = survey.select(np.flatnonzero(survey.position[:, 2] < 0.02)[:6])
    with pytest.raises(InvalidInput, match=r"no block lies within \S+ m of the foot .* --origin"):
        anastylosis.assign(replace(low, position=low.position + np.array((3.0, 0.0, 0.0))), layers=6)


@pytest.mark.parametrize("blocks", [14, 6, 3])
def test_places_in_another_unit_leave_no_room(blocks: int) -> None:
    survey = survey_of(small_fall())[0].select(np.arange(blocks))
    for position in (survey.position * 1e-3, np.zeros_like(survey.position)):
        with pytest.raises(InvalidInput, match="have no room where they are said to lie") as caught:
            anastylosis.assign(replace(survey, position=position), layers=6)
        assert caught.value.kind == "blocks_packed"
        with pytest.raises(InvalidInput, match="have no room"):  # before most of them are left out, one in another
            run_pipeline(replace(survey, position=position), Knowledge(layers=6), NO_PHYSICS, Toolset(library=[small_fall()]))
