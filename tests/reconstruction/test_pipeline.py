"""A small tower that fell, put back: ranked proposals that can have stood, and what is seen told from what is inferred."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.executors import run_pool
from anastylosis.reconstruction.conclusion import warn_of_proposals
from anastylosis.reconstruction.draws import can_stand
from anastylosis.reconstruction.folder import list_blocks
from anastylosis.reconstruction.observation import Observation
from anastylosis.reconstruction.pipeline import run_pipeline
from anastylosis.reconstruction.problem import Friction, Knowledge, Problem, ReconstructionConfig, pose_problem
from anastylosis.reconstruction.proposals import count_draws, draw_towers, keep_standing
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.resimulation import rank
from anastylosis.reconstruction.toolset import Toolset
from anastylosis.survey import Noise, Survey
from support.heaps import small_fall, survey_of
from support.surveys import tower_survey

FEW = ReconstructionConfig(hypotheses=4, moves=3, picture_net=False)
NO_PHYSICS = ReconstructionConfig(hypotheses=0, assembly=False, picture_net=False)
TOOLS = Toolset(library=[small_fall()])


def pose(survey: Survey, config: ReconstructionConfig, *, complete: bool) -> Problem:
    assignment = TOOLS.open_assigner(survey).assign(survey, 6)
    return pose_problem(assignment, TOOLS.calibration, None, config, complete=complete)


@pytest.fixture(scope="module")
def found() -> Reconstruction:
    observation = Observation(survey=survey_of(small_fall())[0], name="small_exp_0001")
    return run_pipeline(observation, Knowledge(layers=small_fall().courses, complete=True), FEW, TOOLS)


def test_proposals_are_ranked_differ_and_can_have_stood(found) -> None:
    chances = [each.probability for each in found.hypotheses]
    assert sum(chances) + found.probability_other == pytest.approx(1)
    fell = [each.fell for each in found.hypotheses]
    assert fell == sorted(fell, reverse=True)
    assert found.best.probability == max(each.probability for each in found.hypotheses if each.fell == found.best.fell)
    assert len({each.state.outline for each in found.hypotheses}) == len(found.hypotheses) > 1
    assert all(each.stands and can_stand(each.state.filled, 0.4) for each in found.hypotheses)
    assert all(each.trial is not None and each.distance >= 0 for each in found.hypotheses)


@pytest.mark.parametrize("complete", [True, False])
def test_a_probability_does_not_depend_on_how_many_were_tried(complete) -> None:
    """Also where blocks may be missing: fewer proposals leave more for the others, and the first keep what they have."""
    survey = survey_of(small_fall())[0]
    chances = []
    for hypotheses in (2, 4):
        problem = pose(survey, replace(FEW, hypotheses=hypotheses), complete=complete)
        proposals, _ = keep_standing(problem, draw_towers(problem))
        assert len(proposals) == hypotheses
        chances.append([each.probability for each in rank(problem, proposals)])
    assert chances[1][:2] == pytest.approx(chances[0])
    assert sum(chances[0]) < sum(chances[1]) <= 1 + 1e-9


def test_a_tower_that_does_not_fall_again_is_first_only_where_none_does(found) -> None:
    problem = pose(survey_of(small_fall())[0], FEW, complete=True)
    stays, falls = (found.best._replace(fell=fell, share=share) for fell, share in ((False, 0.6), (True, 0.3)))
    ranked = rank(problem, [stays, falls])
    assert [each.fell for each in ranked] == [True, False]
    assert [each.probability for each in ranked] == pytest.approx([0.3, 0.6])
    assert any("the most probable tower, 60%, is proposal 2" in words for words in warn_of_proposals(problem, ranked))
    assert not rank(problem, [stays, stays])[0].fell


def test_what_was_tried_and_what_is_built_with_where_friction_is_not_told(found) -> None:
    said = found.assignment.friction
    tried = [said.value, *(each.friction for each in found.hypotheses)]
    assert found.known_friction is None
    assert found.tried_friction == (min(tried), max(tried))
    assert found.building_friction == max(said.low, 0.05) <= said.value
    assert max(step.safety for step in found.steps) <= found.building_friction + 1e-9


def test_most_blocks_go_back_to_where_they_stood(found) -> None:
    _, slot = survey_of(small_fall())
    assert (found.best.state.slot == slot).mean() > 0.5
    seen = found.pinned != UNASSIGNED
    assert seen.any()
    assert (found.pinned[seen] == slot[seen]).all()
    assert all((each.state.slot[seen] == slot[seen]).all() for each in found.hypotheses)
    assert found.placed[np.flatnonzero(seen), slot[seen]] == pytest.approx(1.0)


def test_what_still_stands_was_not_pulled(found) -> None:
    still = {found.structure.ids[slot] for slot in found.pinned[found.pinned != UNASSIGNED]}
    assert still
    pulled = {each.pull.block for each in found.hypotheses if each.pull} | {pull.block for pull, _, _ in found.moves}
    assert pulled
    assert not pulled & still


def test_probabilities_of_slots_are_probabilities(found) -> None:
    assert found.placed.min() >= 0
    assert found.placed.sum(axis=1).max() <= 1 + 1e-6
    assert ((found.filled >= 0) & (found.filled <= 1 + 1e-6)).all()
    document = found.as_document()
    named = {*document["agree_standing"], *document["agree_empty"], *document["differ"]}
    assert named == set(found.structure.ids)


def test_what_is_seen_is_evidence_and_the_rest_inference(found) -> None:
    basis = [block["basis"] for block in found.as_document()["blocks"]]
    assert basis.count("evidence") == int((found.pinned != UNASSIGNED).sum())
    assert "inference" in basis


def test_the_order_of_building_covers_all_that_fell(found) -> None:
    placed = {found.structure.ids[slot] for slot in np.flatnonzero(found.best.state.filled)}
    seen = {found.structure.ids[slot] for slot in found.pinned[found.pinned != UNASSIGNED]}
    assert [step.number for step in found.steps] == list(range(len(found.steps)))
    assert {step.slot for step in found.steps if step.slot} == placed - seen


def test_the_reference_is_told_and_how_it_was_found(found) -> None:
    assert found.as_document()["reference"]["how"] == "lookup"


def test_any_number_of_workers_gives_the_same_bits(found: Reconstruction) -> None:
    survey, _ = survey_of(small_fall())
    again = run_pipeline(
        Observation(survey=survey, name="small_exp_0001"), Knowledge(layers=small_fall().courses, complete=True),
        replace(FEW, assembly=False), TOOLS, execute=partial(run_pool, workers=2),
    )  # fmt: skip
    assert again.as_document() | {"assembly": []} == found.as_document() | {"assembly": []}


def test_without_physics_the_most_probable_tower_alone() -> None:
    survey, _ = survey_of(small_fall())
    found = run_pipeline(survey, Knowledge(layers=6), NO_PHYSICS, TOOLS)
    (only,) = found.hypotheses
    assert only.trial is None
    assert np.isnan(only.probability)
    assert found.moves == ()
    assert found.as_document()["reference"]["how"] == "nearest"


def test_evidence_is_as_sure_as_the_survey() -> None:
    """A block that seems to stand with 80 % says so; one with 40 % is no evidence, and the net is asked."""
    survey, _ = survey_of(small_fall())
    still = np.flatnonzero(run_pipeline(survey, Knowledge(layers=6), NO_PHYSICS, TOOLS).pinned != UNASSIGNED)
    sure = np.ones(len(survey))
    sure[still[:2]] = 0.8, 0.4
    found = run_pipeline(replace(survey, certainty=sure), Knowledge(layers=6), NO_PHYSICS, TOOLS)
    assert found.pinned[still[1]] == UNASSIGNED
    assert (found.pinned[np.delete(still, 1)] != UNASSIGNED).all()
    said = found.describe_block(int(still[0]))
    assert (said["basis"], said["certainty"], said["probability"]) == ("evidence", 0.8, 0.8)
    assert said["reason"] == "it seems to stand there still, 80% sure"
    assert found.filled[found.pinned[still[0]]] == pytest.approx(0.8)
    row = list_blocks(found)[int(still[0])]
    assert (row["certainty"], row["probability"]) == (0.8, 0.8)


@pytest.mark.parametrize("hypotheses", [0, 8])
def test_where_blocks_may_be_missing_the_first_proposal_is_what_the_draws_suggest(hypotheses: int) -> None:
    """Of all proposals it has the fewest slots that are otherwise in the draws, in the mean."""
    survey, _ = survey_of(small_fall(), Noise(hidden=0.4))
    config = ReconstructionConfig(hypotheses=hypotheses)
    problem = pose(survey, config, complete=False)
    proposals, _ = keep_standing(problem, draw_towers(problem))
    assert len(proposals) == max(1, hypotheses)
    drawn = count_draws(problem, problem.logp, 20 * max(1, hypotheses))
    share = sum(each.weight * each.filled for each in drawn)
    wrong = [np.abs(each.filled - share).sum() for each in drawn if can_stand(each.filled, problem.coefficient)]
    first = max(proposals, key=lambda each: each.share)
    assert np.abs(first.state.filled - share).sum() == pytest.approx(min(wrong[: hypotheses or None]))


@pytest.mark.parametrize(("complete", "level"), [(True, 0.2), (False, 0.8)])
def test_sets_of_slots_are_larger_where_blocks_may_be_missing(complete: bool, level: float) -> None:
    survey, _ = survey_of(small_fall())
    careful = replace(TOOLS, calibration=replace(TOOLS.calibration, level=0.2, level_incomplete=0.8))
    assert run_pipeline(survey, Knowledge(layers=6, complete=complete), NO_PHYSICS, careful).level == level


def test_towers_that_cannot_have_stood_are_told_with_what_may_be_wrong(found) -> None:
    survey, _ = survey_of(small_fall())
    problem = pose(survey, FEW, complete=True)
    assert not [words for words in warn_of_proposals(problem, found.hypotheses) if "statics" in words]
    fallen = [each._replace(stands=False) for each in found.hypotheses]
    said = next(iter(warn_of_proposals(problem, fallen)))
    assert said == "no state that was drawn could have stood by statics; was the tower perhaps of another height?"


@pytest.mark.parametrize(("expected", "says"), [(9.0, "fewer"), (0.0, "more"), (None, "")])
def test_a_first_proposal_with_another_number_of_gaps_than_is_expected_is_told(found, expected: float | None, says: str) -> None:
    survey, _ = survey_of(small_fall())
    problem = pose(survey, FEW, complete=False)
    slots = len(problem.removed)
    gaps = np.arange(slots) < 3
    hypotheses = [found.hypotheses[0]._replace(state=found.best.state._replace(filled=~gaps))]
    likely = np.full(slots, (3.5 if expected is None else expected) / slots)
    said = [words for words in warn_of_proposals(replace(problem, removed=likely), hypotheses) if "to be expected" in words]
    assert len(said) == bool(says)
    assert all(f"has {says} empty slots" in words for words in said)
    assert not [
        words for words in warn_of_proposals(replace(problem, removed=likely, complete=True), hypotheses) if "expected:" in words
    ]


def test_blocks_with_a_flaw_are_put_back_nowhere() -> None:
    position = tower_survey(6).position.copy()
    position[17] = position[16]
    size = tower_survey(6).size.copy()
    size[3] *= (1.6, 1, 1)
    survey = tower_survey(6, position=position, size=size)
    found = run_pipeline(survey, Knowledge(layers=6), NO_PHYSICS, TOOLS)
    blocks = found.as_document()["blocks"]
    assert [row for row, block in enumerate(blocks) if block["basis"] == "left out"] == [3, 17]
    assert "another block" in blocks[17]["reason"]
    assert "fits no slot" in blocks[3]["reason"]
    assert any(survey.ids[17] in warning for warning in found.warnings)


def test_a_survey_of_nothing_that_can_be_is_refused() -> None:
    survey = tower_survey(2).select([0])
    high = type(survey)(ids=survey.ids, size=survey.size, position=survey.position + 1.0, orientation=survey.orientation)
    with pytest.raises(InvalidInput, match="no block"):
        run_pipeline(high, Knowledge(layers=2), FEW, TOOLS)


@pytest.mark.parametrize("friction", [Friction(0.0, 0.4), Friction(0.3, 2.5), Friction(0.5, 0.4)])
def test_frictions_that_are_none_are_refused(friction: Friction) -> None:
    with pytest.raises(InvalidInput, match="friction"):
        run_pipeline(tower_survey(6), Knowledge(layers=6, friction=friction), NO_PHYSICS, TOOLS)


def test_settings_that_are_none_are_refused() -> None:
    for changes in ({"hypotheses": -1}, {"moves": 1.5}, {"seed": True}):
        with pytest.raises(InvalidConfig):
            ReconstructionConfig(**changes)
