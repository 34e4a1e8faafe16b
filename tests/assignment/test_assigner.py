"""From a survey to an assignment, with a model that puts each block where it is; and every survey that cannot be right."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import anastylosis
from anastylosis.assignment.assigner import Assigner
from anastylosis.assignment.assignment import BLOCK_COLUMNS, UNASSIGNED, list_blocks, list_slots, write_rows
from anastylosis.assignment.doubts import doubt_count, doubt_friction
from anastylosis.assignment.model import write_assignment_card
from anastylosis.errors import InvalidInput
from anastylosis.mechanics import measure_balance
from anastylosis.models.predictor import Estimate
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT
from anastylosis.structure import jenga_tower
from anastylosis.survey import Ground, Survey, read_survey
from support.assignments import make_assignment_card, write_assigner

EXAMPLE = Path(anastylosis.__file__).parent / "examples" / "survey.csv"


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("models") / "assigner.onnx"
    write_assigner(file, history=[{"epoch": 1, "train": 2.0, "val": 1.5}])
    return file


@pytest.fixture(scope="module")
def assigner(path: Path) -> Assigner:
    return Assigner.from_file(path)


def survey_tower(layers: int = 6, without: tuple[str, ...] = (), seed: int = 0, **changes) -> tuple[Survey, list[str]]:
    """A tower that stands, its blocks in any order, and the slot of each."""
    tower = jenga_tower(layers)
    tower = tower.without(*without) if without else tower
    order = np.random.default_rng(seed).permutation(len(tower))
    parts = {
        "ids": tuple(f"stone-{number}" for number in range(len(tower))), "size": tower.blocks.size[order],
        "position": tower.position[order], "orientation": tower.orientation[order],
    }  # fmt: skip
    return Survey(**(parts | changes)), [tower.ids[row] for row in order]


def test_each_block_goes_where_it_is(assigner: Assigner) -> None:
    survey, slots = survey_tower()
    assignment = assigner.assign(survey, 6)
    assert [assignment.structure.ids[slot] for slot in assignment.slot] == slots
    for block, slot in enumerate(slots):
        best, *rest = assignment.rank_slots(block)
        assert best.slot == slot
        assert best.probability > 0.9
        assert all(after.probability <= best.probability for after in rest)
    np.testing.assert_allclose(assignment.placed.sum(axis=1) + assignment.unplaced, 1, rtol=1e-4)


def test_what_is_missing_was_removed(assigner: Assigner) -> None:
    gone = ("L02_1", "L03_0")
    survey, _ = survey_tower(without=gone)
    assignment = assigner.assign(survey, 6, "nominal")
    removed = dict(zip(assignment.structure.ids, assignment.removed, strict=True))
    assert {name for name, chance in removed.items() if chance > 0.5} == set(gone)
    assert assignment.num_removed.value == pytest.approx(2, abs=0.4)
    assert assignment.num_removed.low == pytest.approx(assignment.num_removed.value - 1.5)
    assert assignment.friction_given == 0.4


def test_a_survey_that_is_complete_has_no_slot_in_doubt(assigner: Assigner) -> None:
    survey, _ = survey_tower(without=("L02_1",))
    allowed, complete = (assigner.assign(survey, 6, complete=yes) for yes in (False, True))
    slot = complete.structure.ids.index("L02_1")
    assert allowed.removed[slot] < complete.removed[slot]
    assert complete.num_removed == Estimate(value=1.0, low=1.0, high=1.0, counted=True)  # 18 slots, 17 blocks: not guessed
    assert complete.num_removed.words() == "1, counted"
    assert complete.as_document()["num_removed_counted"]
    assert allowed.num_removed.low < allowed.num_removed.high
    unsure = assigner.assign(survey, complete=True)  # of how many slots is not known
    assert unsure.num_removed.low < unsure.num_removed.high


def test_statics_are_those_of_what_stood(assigner: Assigner) -> None:
    gone = ("L00_0",)
    survey, _ = survey_tower(without=gone)
    balance = assigner.assign(survey, 6).balance
    assert balance is not None
    assert balance.imbalance == pytest.approx(measure_balance(jenga_tower(6).without(*gone)).imbalance)


def test_the_order_of_the_survey_does_not_matter(assigner: Assigner) -> None:
    one, other = survey_tower(seed=1), survey_tower(seed=2)
    said = [assigner.assign(survey, 6) for survey, _ in (one, other)]
    places = [dict(zip(slots, each.placed.max(axis=1), strict=True)) for each, (_, slots) in zip(said, (one, other), strict=True)]
    assert places[0] == pytest.approx(places[1], rel=1e-4)


def test_the_height_is_inferred_when_it_is_not_told(assigner: Assigner) -> None:
    survey, _ = survey_tower(6, without=("L05_2",))  # 17 blocks just fill six layers
    assignment = assigner.assign(survey)
    assert (assignment.courses, assignment.courses_given) == (6, False)
    assert 0.9 < assignment.courses_probability < 1
    told = assigner.assign(survey, 7)
    assert (told.courses, told.courses_given, told.courses_probability) == (7, True, 1.0)


def test_a_block_of_another_size_is_left_out_with_the_reason(assigner: Assigner) -> None:
    survey, slots = survey_tower()
    size = np.array(survey.size)
    size[4] = (0.05, 0.05, 0.05)
    assignment = assigner.assign(replace(survey, size=size), 6)
    assert assignment.slot[4] == UNASSIGNED
    assert assignment.reasons[4] == "its size, 50 x 50 x 50 mm, fits no slot"
    assert assignment.unplaced[4] == 1
    assert [reason for reason in assignment.reasons if reason] == [assignment.reasons[4]]
    assert [assignment.structure.ids[slot] for slot in np.delete(assignment.slot, 4)] == slots[:4] + slots[5:]


def test_a_block_that_stood_in_no_slot_is_left_out_with_the_reason(assigner: Assigner) -> None:
    survey, _ = survey_tower()
    position = np.array(survey.position)
    position[0] += (0.4, 0.1, 0.0)
    position[0, 2] = 0.009
    assignment = assigner.assign(replace(survey, position=position), 6)
    assert assignment.slot[0] == UNASSIGNED
    assert assignment.reasons[0] == "it more probably stood in none of the slots"
    gone = assigner.assign(replace(survey, position=position), 6, complete=True).num_removed
    assert gone.value == 1
    assert not gone.counted  # that it stood in none is a guess
    assert gone.low < gone.high


def test_more_blocks_than_slots(assigner: Assigner) -> None:
    survey, _ = survey_tower(6)
    assignment = assigner.assign(survey, 5)
    assert (assignment.slot == UNASSIGNED).sum() == 3
    assert {reason for reason in assignment.reasons if reason} <= {
        "there are more blocks than slots, and others fit better",
        "it more probably stood in none of the slots",
    }
    assert any("18 blocks are more than the 15 slots of 5 layers" in warning for warning in assignment.warnings)
    with pytest.raises(InvalidInput, match="18 blocks lie there, and a tower of 3 layers has 9 slots"):
        assigner.assign(survey, 3)


@pytest.mark.parametrize(("factor", "says"), [(1000.0, "1,000 times"), (0.001, "1/1,000")])
def test_units_that_are_mixed_up_are_said_to_be(assigner: Assigner, factor: float, says: str) -> None:
    survey, _ = survey_tower()
    with pytest.raises(InvalidInput, match=f"no block fits a slot: .*{says}"):
        assigner.assign(replace(survey, size=factor * survey.size), 6)


@pytest.mark.parametrize("layers", [0, -1, 1001, 2.5, True])
def test_heights_that_no_tower_has(assigner: Assigner, layers) -> None:
    with pytest.raises(InvalidInput, match="layers is"):
        assigner.assign(survey_tower()[0], layers)


@pytest.mark.parametrize("friction", ["slippery", -0.1, 0.0, math.nan, 11.0])
def test_frictions_that_cannot_be(assigner: Assigner, friction) -> None:
    with pytest.raises(InvalidInput, match="choose one of low, nominal, high, unknown, or a coefficient"):
        assigner.assign(survey_tower()[0], 6, friction)


def test_too_much_to_compare_is_refused(assigner: Assigner) -> None:
    with pytest.raises(InvalidInput, match="too many to compare; together up to 3,000 can be"):
        assigner.assign(survey_tower()[0], 1000)


def test_what_the_model_does_not_know_is_a_warning(assigner: Assigner) -> None:
    survey, _ = survey_tower(6, position_sd=np.full(18, 0.1))
    warnings = assigner.assign(survey, 30, 0.9).warnings
    assert any("knows towers of 3 to 24 layers, not of 30" in warning for warning in warnings)
    assert any("friction 0.9 is outside" in warning for warning in warnings)
    assert any("good to 15 mm and 15 degrees; this one is worse" in warning for warning in warnings)


def test_blocks_that_float_are_a_warning(assigner: Assigner) -> None:
    survey, _ = survey_tower()
    position = np.array(survey.position)
    position[2, 2] += 1.0
    assert any("stone-2" in warning for warning in assigner.assign(replace(survey, position=position), 6).warnings)


def test_few_blocks_for_many_slots_are_a_warning(assigner: Assigner) -> None:
    survey, _ = survey_tower(3)
    said = [assigner.assign(survey, 6, complete=yes).warnings for yes in (False, True)]
    assert any("9 blocks for 18 slots: what was not found is taken for removed" in warning for warning in said[0])
    assert not any("blocks for" in warning for warning in said[1])


def test_a_count_that_the_net_does_not_expect_is_a_warning(assigner: Assigner) -> None:
    """Of 12 that are counted where 5 are expected, give or take 1.5; not of 6, and not of a survey that says so itself."""
    counts = [Estimate(value=value, low=value, high=value, counted=True) for value in (12.0, 6.0)]
    told, nothing = (list(doubt_count(counted, 5.0, 1.5)) for counted in counts)
    assert nothing == []
    assert len(told) == 1
    assert "12 slots were empty before the fall; from how the blocks lie 4 to 6 would be expected" in told[0]
    survey = survey_tower(without=("L02_1",))[0]
    shipped, example = Assigner.from_file(SHIPPED_ASSIGNMENT), read_survey(EXAMPLE)  # five were gone, and three are missing
    assert (
        sum("every block is said to be surveyed" in warning for warning in shipped.assign(example, 18, complete=True).warnings)
        == 1
    )
    assert not any("every block is said to be surveyed" in warning for warning in shipped.assign(example, 18).warnings)
    assert not any(
        "every block is said to be surveyed" in warning for warning in assigner.assign(survey, 6, complete=True).warnings
    )


def test_a_height_that_the_blocks_speak_against_is_a_warning_beside_the_likely_one(assigner: Assigner) -> None:
    survey, _ = survey_tower(6)
    told, right = assigner.assign(survey, 9), assigner.assign(survey, 6)
    assert any("9 layers are told, and the blocks speak for 6 (" in warning for warning in told.warnings)
    assert not any("layers are told" in warning for warning in right.warnings)
    assert told.as_document()["layers_ranked"][0]["layers"] == 6


@pytest.mark.parametrize(
    ("low", "told", "says"),
    [
        (0.15, None, "friction may have been below 0.20, the least that the model knows (0.15 to 0.47 by how the blocks lie)"),
        (0.21, None, None),
        (0.15, 0.4, None),
        (0.5, 0.25, "friction 0.25 is low"),
    ],
)
def test_friction_that_may_be_low_is_a_warning(low: float, told: float | None, says: str | None) -> None:
    said = list(doubt_friction(Estimate(value=low + 0.16, low=low, high=low + 0.32), told, 0.20))
    assert len(said) == (says is not None)
    assert all(says in each and "got a wrong slot" in each for each in said)  # type: ignore[operator]


def test_what_is_no_survey_is_refused(assigner: Assigner) -> None:
    with pytest.raises(InvalidInput, match="it is a Survey, which `read_survey` reads from a file"):
        assigner.assign("fallen-tower.csv")  # type: ignore[arg-type]


def test_friction_is_read_off_the_poses_also_when_it_is_told(assigner: Assigner) -> None:
    survey, _ = survey_tower()
    assert assigner.assign(survey, 6, 0.25).friction == assigner.assign(survey, 6).friction


def test_the_document_is_json_and_flat(assigner: Assigner) -> None:
    survey, slots = survey_tower(without=("L01_0",))
    document = json.loads(json.dumps(assigner.assign(survey, 6).as_document(), allow_nan=False))
    assert {"layers", "blocks", "removed", "num_removed", "failure_layer", "friction", "imbalance_mm", "warnings"} <= set(
        document
    )
    assert [block["slot"] for block in document["blocks"]] == slots
    assert len(document["blocks"][0]["ranked"]) == 5
    assert len(document["removed"]) == 18


def test_a_tower_of_which_nothing_stood_has_no_balance(assigner: Assigner) -> None:
    survey, _ = survey_tower(3)
    far = survey.position + np.array([0.5, 0.5, 0.0])
    assignment = assigner.assign(replace(survey, position=far), 3, fit_frame=False)
    assert (assignment.slot == UNASSIGNED).all()
    assert assignment.balance is None
    assert assignment.as_document()["imbalance_mm"] is None


def test_tables_tell_slots_in_the_coordinates_of_the_site(assigner: Assigner, tmp_path: Path) -> None:
    ground = Ground(origin=np.array([487213.402, 2251876.118, 43.2]), heading=math.radians(30))
    survey, slots = survey_tower(3, ground=ground)
    assignment = assigner.assign(survey, 3)
    write_rows(tmp_path / "a.csv", BLOCK_COLUMNS, list_blocks(assignment))
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert len(lines) == 1 + len(survey)
    wanted, _ = ground.to_site(np.array(survey.position), np.array(survey.orientation))  # the blocks stand in their slots
    for row, slot, place in zip(list_blocks(assignment), slots, wanted, strict=True):
        assert row["slot"] == row["slot_1"] == slot
        np.testing.assert_allclose([row["x"], row["y"], row["z"]], place, rtol=0, atol=1e-6)
    rows = list_slots(assignment)
    assert [row["slot"] for row in rows] == list(assignment.structure.ids)
    assert {row["block"] for row in rows} == set(survey.ids)


def test_the_table_is_a_survey_of_the_standing_tower(assigner: Assigner, tmp_path: Path) -> None:
    """It has the columns of one but for the sizes: with them it can be read back."""
    survey, _ = survey_tower(3)
    rows = [
        row | dict(zip(("length", "width", "height"), size.tolist(), strict=True))
        for row, size in zip(list_blocks(assigner.assign(survey, 3)), survey.size, strict=True)
    ]
    columns = ("id", "length", "width", "height", "x", "y", "z", "qw", "qx", "qy", "qz")
    write_rows(tmp_path / "stood.csv", columns, rows)
    np.testing.assert_allclose(read_survey(tmp_path / "stood.csv").position, survey.position, atol=1e-9)


def test_its_history_is_read(assigner: Assigner) -> None:
    assert assigner.model.history == [{"epoch": 1, "train": 2.0, "val": 1.5}]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 99}, "it has format 99"),
        ({"kind": "picture_net"}, "it reads pictures, so give it to `anastylosis predict`"),
        ({"friction": [0.2]}, "not one of ours"),
        ({"preset": "a|b"}, "not one of ours"),
        ({"most_courses": 0}, "not one of ours"),
        ({"calibration": {}}, "not one of ours"),
        ({"dataset": {}}, "not one of ours"),
    ],
)
def test_a_card_that_is_not_of_an_assigner_is_refused(tmp_path: Path, change: dict, says: str) -> None:
    card = json.loads(write_assignment_card(make_assignment_card())) | change
    write_assigner(tmp_path / "m.onnx", card=json.dumps(card))
    with pytest.raises(InvalidInput, match=says):
        Assigner.from_file(tmp_path / "m.onnx")


def test_a_picture_model_and_an_assigner_are_told_apart(path: Path, tmp_path: Path) -> None:
    from anastylosis.models.picture_model import PictureModel
    from support.models import write_model

    write_model(tmp_path / "picture.onnx")
    with pytest.raises(InvalidInput, match="give it to `anastylosis predict`"):
        Assigner.from_file(tmp_path / "picture.onnx")
    with pytest.raises(InvalidInput, match="give it to `anastylosis assign`"):
        PictureModel.from_file(path)


def test_the_card_is_as_it_was_written(assigner: Assigner) -> None:
    assert asdict(assigner.card) == asdict(make_assignment_card())
