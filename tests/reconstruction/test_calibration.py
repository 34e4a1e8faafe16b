"""The numbers that weigh proposals: what ships, what is refused, and that fitting finds what is in the records."""

import json
import runpy
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset.manifest import Manifest
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.weighing import SHIPPED_CALIBRATION, read_calibration, write_calibration


def test_what_ships_says_what_it_was_chosen_on() -> None:
    source = read_calibration().source
    assert source["moves"]["split"] == "train"
    assert source["weights"]["split"] == "val"
    assert source["moves"]["surprise"] < source["moves"]["surprise_uniform"]


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_calibration(tmp_path / "c.json", read_calibration())
    assert read_calibration(tmp_path / "c.json") == read_calibration()


@pytest.mark.parametrize(
    "changes",
    [
        {"scale": -1},
        {"temperature": 0},
        {"level": 1.5},
        {"physics": "much"},
        {"moves": {}},
        {"farthest": float("nan")},
        {"more": 1},
    ],
)
def test_others_are_refused(tmp_path: Path, changes: dict) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(asdict(read_calibration()) | changes))
    with pytest.raises(InvalidInput):
        read_calibration(path)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    for content in ("", "[", "[1]", " " * 200_000):
        path.write_text(content)
        with pytest.raises(InvalidInput):
            read_calibration(path)


def make_record(rng: np.random.Generator, *, telling: bool) -> dict:
    """Ten proposals, one of them true; with `telling` its heap is 3 cm nearer than the others, which are drawn as often."""
    true = int(rng.integers(10))
    far = rng.uniform(0.04, 0.06, 10)
    far[true] -= 0.03 * telling
    proposals = [{"slots": 2 * int(row != true), "wrong": 0, "share": 0.1, "distance": float(far[row])} for row in range(10)]
    blocks = [
        {"true": 7, "net": {"7": 0.6, "8": 0.4}, "votes": [{"7": 1.0} if row == true else {"8": 1.0} for row in range(10)]},
        {"true": 8, "net": {"7": 0.55, "8": 0.45}, "votes": [{"8": 1.0} if row == true else {"7": 1.0} for row in range(10)]},
    ]
    return {"proposals": proposals, "blocks": blocks}


@pytest.fixture(scope="module")
def tools(project: Path) -> dict:
    return runpy.run_path(str(project / "tools" / "calibrate_reconstruction.py"))


def test_heaps_that_tell_are_believed(tools: dict) -> None:
    rng = np.random.default_rng(0)
    fitted = tools["fit"]([make_record(rng, telling=True) for _ in range(20)], read_calibration())
    assert fitted.temperature <= 0.02
    assert fitted.physics > 0.5


def test_heaps_that_tell_nothing_are_not(tools: dict) -> None:
    rng = np.random.default_rng(0)
    records = [make_record(rng, telling=False) for _ in range(20)]
    fitted = tools["fit"](records, read_calibration())
    assert np.mean([tools["weigh"](record, fitted).max() for record in records]) < 0.2  # of ten, one has 0.1 by chance
    assert fitted.physics < 0.5


def test_the_level_covers_nine_in_ten_in_the_mean_over_kinds_of_falls(tools: dict) -> None:
    """Of measured blocks all are in their first slot; of seen ones half are in their second, behind 0.55 or so."""
    rng = np.random.default_rng(0)
    seen = [make_record(rng, telling=False) for _ in range(20)]
    measured = [record | {"blocks": record["blocks"][:1]} for record in seen]
    calibration = replace(read_calibration(), physics=0.0)
    assert tools["fit_level"]({"measured": measured}, calibration) == (0.01, {"measured": 1.0})
    assert tools["fit_level"]({"measured": measured, "seen": seen}, calibration) == (0.56, {"measured": 1.0, "seen": 1.0})


def test_surveys_and_pictures_have_levels_of_their_own(tools: dict) -> None:
    rng = np.random.default_rng(0)
    seen = [make_record(rng, telling=False) for _ in range(20)]
    measured = [record | {"blocks": record["blocks"][:1]} for record in seen]
    before = replace(read_calibration(), physics=0.0, level=0.3, level_incomplete=0.3)
    fitted = tools["fit_levels"]({"val": measured, "val-picture": seen}, before, {"split": "val"})
    assert (fitted.level, fitted.level_incomplete) == (0.01, 0.56)
    assert fitted.source["level"] == {"split": "val", "val": {"falls": 20, "covered": 1.0}}
    assert fitted.source["level_incomplete"] == {"split": "val", "val-picture": {"falls": 20, "covered": 1.0}}
    assert tools["fit_levels"]({"val": measured}, before, {}).level_incomplete == 0.3


def test_it_ships_beside_the_code() -> None:
    assert SHIPPED_CALIBRATION.stat().st_size < 10_000


def test_a_dataset_that_is_not_finished_has_no_fingerprint_to_be_named_by(tools: dict) -> None:
    plan = Manifest(code="c0de", seed=3, shares={}, shard=8, levels={})
    assert tools["name_dataset"](plan) == "unfinished, seed 3, code c0de"
    whole = replace(plan, files={"a.parquet": "00"})
    assert tools["name_dataset"](whole) == whole.fingerprint
