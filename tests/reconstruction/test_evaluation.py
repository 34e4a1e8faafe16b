"""Scoring reconstructions: closed forms of what is counted, ranked and covered."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.reconstruction import folder
from anastylosis.reconstruction.comparison import METHODS, ComparedFall, MethodComparison, compare_methods, count_refusal
from anastylosis.reconstruction.evaluation import chance_in_top, find_nearest, score_records
from anastylosis.reconstruction.scoring import Answer, count_answer, count_wrong, survey_fall
from anastylosis.survey import Noise
from support.heaps import small_fall


@pytest.fixture(scope="module")
def heap():
    return survey_fall(small_fall(), Noise())


def test_the_truth_is_all_right(heap) -> None:
    """But for parts that had drifted further than half a block's width from their slots: here none had."""
    counts = count_answer(heap, Answer(heap.slot, heap.filled))
    assert counts["standing_right"] == counts["standing"] == counts["standing_said"]
    assert counts["empty_right"] == counts["empty"]
    assert counts["parts_right"] == counts["parts"] == len(heap.survey)
    assert counts["way"] / counts["placed"] < 0.013
    assert count_wrong(heap, Answer(heap.slot, heap.filled)) == (0, 0)


def test_two_blocks_exchanged_are_two_wrong_parts_and_the_same_tower(heap) -> None:
    slot = heap.slot.copy()
    slot[[0, 1]] = slot[[1, 0]]
    counts = count_answer(heap, Answer(slot, heap.filled))
    assert counts["parts_right"] == counts["parts"] - 2
    assert count_wrong(heap, Answer(slot, heap.filled)) == (2, 0)


def test_a_block_left_out_is_a_wrong_part_that_is_nowhere(heap) -> None:
    slot = heap.slot.copy()
    slot[0] = UNASSIGNED
    counts = count_answer(heap, Answer(slot, heap.filled))
    assert counts["parts_right"] == counts["parts"] - 1
    assert counts["placed"] == counts["parts"] - 1


def test_foreign_stones_are_no_parts() -> None:
    heap = survey_fall(small_fall(), Noise(foreign=2))
    assert (heap.slot == UNASSIGNED).sum() == 2
    counts = count_answer(heap, Answer(heap.slot, heap.filled))
    assert counts["parts"] == counts["parts_right"] == len(heap.survey) - 2


def test_towers_of_another_height_are_compared_slot_by_slot_from_the_floor(heap) -> None:
    lower = heap.filled[:-3]
    counts = count_answer(heap, Answer(heap.slot, lower))
    assert counts["standing_said"] == counts["standing"] - int(heap.filled[-3:].sum())


@pytest.mark.parametrize(
    ("proposals", "nearest", "chance"), [(32, 1, 5 / 32), (5, 1, 1.0), (10, 2, 1 - (8 * 7 * 6 * 5 * 4) / (10 * 9 * 8 * 7 * 6))]
)
def test_chance_of_the_first_five(proposals: int, nearest: int, chance: float) -> None:
    assert chance_in_top(proposals, nearest) == pytest.approx(chance)


def make_record(wrong: list[tuple[int, int]], probability: list[float], share: list[float], right: int = 8) -> dict:
    counts = {
        "standing_right": right, "standing_said": 10, "standing": 10, "empty_right": 1, "empty_said": 2, "empty": 2, "parts": 10,
        "parts_right": right, "fell": 5, "fell_right": right - 5, "placed": 10, "way": 0.1,
    }  # fmt: skip
    proposals = [
        {"slots": slots, "wrong": blocks, "probability": p, "share": s, "distance": 0.02, "fell": True, "stands": True}
        for (slots, blocks), p, s in zip(wrong, probability, share, strict=True)
    ]
    blocks = [{"true": 3, "set": [3, 4]}, {"true": 5, "set": [6]}]
    return {"split": "test", "methods": dict.fromkeys(METHODS, counts), "proposals": proposals, "blocks": blocks}


def test_the_nearest_has_the_fewest_wrong_slots_then_blocks() -> None:
    record = make_record([(2, 0), (0, 3), (0, 1), (0, 1)], [0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4])
    assert find_nearest(record).tolist() == [False, False, True, True]


def test_rows_of_two_falls() -> None:
    many = [(2, 0)] * 7
    records = [
        make_record([*many, (0, 0)], [*np.linspace(0.2, 0.14, 7), 0.01], [*[0.1] * 7, 0.3]),
        make_record([(0, 0), *many], [0.9, *[0.01] * 7], [0.01, *[0.1] * 7], right=10),
    ]
    rows = {(row.head, row.metric, row.model): row for row in score_records(records)}
    assert rows["standing", "f1", "physics"].value == pytest.approx(2 * 18 / 40)
    assert rows["parts", "accuracy", "prior"].value == pytest.approx(18 / 20)
    assert rows["parts", "error_mm", "paper"].value == pytest.approx(10.0)
    assert rows["proposals", "top5", "physics"].value == 0.5  # eighth in one, first in the other
    assert rows["proposals", "top5", "assignment"].value == 0.5
    assert rows["proposals", "top5", "chance"].value == pytest.approx(5 / 8)
    assert rows["proposals", "rank", "physics"].value == pytest.approx(4.5)
    assert rows["sets", "coverage", "physics"].value == pytest.approx(0.5)
    assert rows["sets", "size", "physics"].value == pytest.approx(1.5)
    assert all(row.count == 2 for row in rows.values())
    assert rows["parts", "accuracy_stands", "physics"].value == pytest.approx((18 - 8) / (20 - 10))
    assert rows["first", "claimed", "physics"].value == pytest.approx((0.2 + 0.9) / 2)
    assert rows["first", "true", "physics"].value == 0.5
    assert rows["first", "true_any", "physics"].value == 1.0
    assert rows["first", "claimed_all", "physics"].value == pytest.approx((np.linspace(0.2, 0.14, 7).sum() + 0.01 + 0.97) / 2)


def test_a_first_proposal_that_stays_up_though_another_fell_is_counted() -> None:
    one, other, none = (make_record([(0, 0), (1, 0)], [0.6, 0.3], [0.6, 0.3]) for _ in range(3))
    one["proposals"][0]["fell"] = False
    for each in none["proposals"]:
        each["fell"] = False
    rows = {(row.head, row.metric): row.value for row in score_records([one, other, none]) if row.head == "first"}
    assert rows["first", "fell"] == pytest.approx(1 / 3)
    assert rows["first", "stays_though_others_fell"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("chances", "drift"), [([0.3, 0.2, 0.1, 0.1, 0.1], 0.0), ([0.15, 0.1, 0.05, 0.05, 0.05], 0.0875)])
def test_probabilities_that_depend_on_how_many_were_tried_are_measured(chances: list[float], drift: float) -> None:
    shares = [0.3, 0.2, 0.1, 0.1, 0.1]
    (record,) = (make_record([(0, 0)] * 5, chances, shares),)
    rows = {(row.head, row.metric): row.value for row in score_records([record])}
    assert rows["first", "by_number"] == pytest.approx(drift)


def test_a_fall_of_which_nothing_can_be_said_is_counted_not_left_out(heap) -> None:
    entry = ComparedFall(comparison=MethodComparison(), fall=small_fall(), split="test")
    prior = Answer(heap.slot, heap.filled)
    refused = count_refusal(entry, heap, prior, "nothing is seen")
    assert refused["methods"]["prior"] == count_answer(heap, prior)
    told = make_record([(0, 0)], [1.0], [1.0])
    rows = {(row.head, row.metric, row.model): row for row in score_records([refused | {"split": "test"}, told])}
    assert rows["standing", "f1", "physics"].value == pytest.approx(16 / (20 + heap.filled.sum()))
    assert rows["proposals", "top5", "physics"].value == 0.5
    assert rows["parts", "accuracy", "physics"].value == pytest.approx(8 / (10 + len(heap.survey)))
    assert score_records([refused])  # and nothing breaks where it is the only one


def test_a_fall_whose_picture_shows_nothing_is_counted_too() -> None:
    fall = small_fall()
    away = replace(fall, lies=fall.lies + np.array([5.0, 0, 0, 0, 0, 0, 0]))  # where nobody looks for blocks
    record = compare_methods(ComparedFall(comparison=MethodComparison(pictures=True, complete=False), fall=away, split="test"))
    assert "the camera does not look at the place where the tower stood" in record["refused"]
    assert record["methods"]["physics"]["standing_said"] == 0
    assert record["methods"]["prior"]["standing_said"] > 0


@pytest.mark.parametrize(
    ("path", "decides"), [("assignment/frame.py", True), ("detection/votes.py", True), ("web/words.py", False)]
)
def test_records_are_kept_until_code_that_decides_them_changes(path: str, decides: bool, tmp_path: Path, monkeypatch) -> None:
    before = MethodComparison().key
    shutil.copytree(folder.PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("*.onnx", "*.parquet", "*.png", "*.pyc"))
    monkeypatch.setattr(folder, "PACKAGE", tmp_path / "package")
    assert MethodComparison().key == before
    with (tmp_path / "package" / path).open("a") as file:
        file.write("# changed\n")
    assert (MethodComparison().key != before) is decides
