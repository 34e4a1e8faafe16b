"""A picture in, named numbers with ranges out."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import anastylosis
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS, name_slots
from anastylosis.models.predictor import Estimate, Predictor
from support.models import FRICTIONS, HALF_WIDTH, known_answers, make_card, write_model

HEAVY = ("torch", "sklearn", "matplotlib", "pyarrow", "numba", "scipy", "onnx")
FIELDS = {"num_removed", "removed_locs", "imbalance_mm", "torque_risk", "friction", "warnings"}  # DESIGN's


@pytest.fixture
def debris() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_model(tmp_path / "m.onnx", pull=(10.0, 20.0, 30.0))
    return tmp_path / "m.onnx"


@pytest.fixture
def predictor(path: Path) -> Predictor:
    return Predictor.from_file(path)


def test_numbers_have_the_ranges_of_the_card(predictor: Predictor, debris: np.ndarray) -> None:
    prediction = predictor.predict(debris)
    for name, value in (("num_removed", 4.0), ("imbalance", -0.006)):
        estimate = getattr(prediction, name)
        expected = (value, value - HALF_WIDTH[name], value + HALF_WIDTH[name])
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(expected)
    torque = prediction.torque_risk  # no fewer than 0 moves
    assert (torque.value, torque.low, torque.high) == pytest.approx((1.0, 0.0, 2.5))
    known = known_answers(predictor.card)
    assert prediction.removed_locs == pytest.approx(dict(zip(name_slots(6), known["removed_locs"].tolist(), strict=True)))
    assert (prediction.failure_layer, prediction.failure_layer_probability) == (5, pytest.approx(6 / 21))
    assert prediction.friction == pytest.approx({"low": 1 / 6, "nominal": 2 / 6, "high": 3 / 6})
    assert (prediction.answered_by, prediction.friction_given, prediction.warnings) == ("model", "unknown", ())


def test_the_document_is_in_the_units_of_people(predictor: Predictor, debris: np.ndarray) -> None:
    document = predictor.predict(debris, "low").as_document()
    assert document.keys() >= FIELDS
    assert document["imbalance_mm"] == pytest.approx(-6.0)
    assert (document["imbalance_low_mm"], document["imbalance_high_mm"]) == pytest.approx((-10.0, -2.0))
    assert (document["num_removed"], document["friction_given"], document["model"]) == (14.0, "low", "of-tests")
    assert list(document["removed_locs"]) == name_slots(6)
    assert document["warnings"] == []


def test_fewer_than_no_block_is_never_said(tmp_path: Path, debris: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", answers={"num_removed": -0.7, "torque_risk": -3.0})
    prediction = Predictor.from_file(tmp_path / "m.onnx").predict(debris)
    count, torque = prediction.num_removed, prediction.torque_risk
    assert (count.low, count.value, count.high) == pytest.approx((0.0, 0.0, 1.8))
    assert (torque.low, torque.value, torque.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("squares", "score"), [((0.04, 1.0), 0.5), ((0.25, 0.0), 1.0), ((0.2501, 0.0), 1.0002), ((-1e-9, 36.0), 3.0)]
)
def test_a_picture_unlike_those_of_the_training_is_said_first(
    tmp_path: Path, debris: np.ndarray, squares: tuple[float, float], score: float
) -> None:
    """Of the two parts, with the limits 0.5 and 2, the farther one counts. At 1 a picture is still known."""
    write_model(tmp_path / "m.onnx", answers={"unlikeness": squares})
    found = Predictor.from_file(tmp_path / "m.onnx").predict(debris, 0.9)
    assert found.unlikeness == pytest.approx(score, rel=1e-5)
    assert found.unlike == (score > 1)
    document = found.as_document()
    assert (document["unlikeness"], document["unlike"]) == (found.unlikeness, found.unlike)
    assert ["unlike any that the net has learned from" in each for each in found.warnings] == [True] * found.unlike + [False]
    assert (found.num_removed.value, set(found.friction)) == (4.0, set(FRICTIONS))  # the rest is told as ever


def test_a_net_without_the_score_says_that_it_cannot_tell(tmp_path: Path, debris: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", card=make_card(unlikeness=None))
    found = Predictor.from_file(tmp_path / "m.onnx").predict(debris)
    assert (found.unlikeness, found.unlike, found.as_document()["unlike"]) == (None, False, None)
    assert "cannot tell whether it knows this kind of picture" in found.warnings[0]


@pytest.mark.parametrize("squares", [(float("nan"), 0.0), (float("inf"), 0.0)])
def test_an_unlikeness_that_is_no_number_is_refused(tmp_path: Path, debris: np.ndarray, squares: tuple[float, float]) -> None:
    write_model(tmp_path / "m.onnx", answers={"unlikeness": squares})
    with pytest.raises(InvalidInput, match="answers unlikeness with what is not a finite number"):
        Predictor.from_file(tmp_path / "m.onnx").predict(debris)


@pytest.mark.parametrize(
    ("friction", "level", "warns"),
    [
        (None, "unknown", False),
        ("unknown", "unknown", False),
        ("low", "low", False),
        ("high", "high", False),
        (0.33, "nominal", False),
        ("0.3", "low", False),
        (np.float64(0.6), "high", False),
        (0.9, "high", True),
        (0.1, "low", True),
    ],
)
def test_friction(predictor: Predictor, debris: np.ndarray, friction: object, level: str, warns: bool) -> None:
    prediction = predictor.predict(debris, friction)
    expected = 4.0 + {"unknown": 0.0, "low": 10.0, "nominal": 20.0, "high": 30.0}[level]
    assert (prediction.num_removed.value, prediction.friction_given) == (expected, level)
    assert [f"it was told {level}" in warning for warning in prediction.warnings] == [True] * warns


@pytest.mark.parametrize("friction", ["slippery", "", 0, -0.4, 11, float("nan"), float("inf"), "nan", True, [0.4]])
def test_frictions_that_are_none(predictor: Predictor, debris: np.ndarray, friction: object) -> None:
    with pytest.raises(InvalidInput, match="choose one of low, nominal, high, unknown, or a coefficient"):
        predictor.predict(debris, friction)


@pytest.mark.parametrize("layers", [4, np.int64(4)])
def test_slots_above_the_tower_are_left_out(predictor: Predictor, debris: np.ndarray, layers: int) -> None:
    prediction = predictor.predict(debris, "high", layers=layers)
    assert list(prediction.removed_locs) == name_slots(4)
    assert (prediction.failure_layer, prediction.failure_layer_probability) == (3, pytest.approx(4 / 10))
    assert (prediction.num_removed.value, prediction.num_removed.high) == (12.0, 12.0)  # not more than it had


def test_a_range_that_what_is_possible_leaves_no_width_is_not_counted() -> None:
    estimate = Estimate(value=20.0, low=18.0, high=22.0).clip(0.0, 9.0)
    assert estimate.words() == "9.0 (9.0 to 9.0)"
    assert not estimate.counted


def test_a_tower_higher_than_the_model_knows(predictor: Predictor, debris: np.ndarray) -> None:
    prediction = predictor.predict(debris, layers=18)
    assert list(prediction.removed_locs) == name_slots(6)
    assert "towers of up to 6 layers" in prediction.warnings[0]


@pytest.mark.parametrize("layers", [0, 1, 2, -1, 2.5, True, "6", 10**9])
def test_layers_that_are_none(predictor: Predictor, debris: np.ndarray, layers: object) -> None:
    with pytest.raises(InvalidInput, match=r"layers is .*; a tower has a whole number of them, 3 to 1000"):
        predictor.predict(debris, layers=layers)


@pytest.mark.parametrize(("layers", "expected"), [(None, 4.0), (4, 6.0), (np.int64(6), 7.0), (18, 13.0)])
def test_a_model_that_has_learned_from_heights_is_told_the_height(
    tmp_path: Path, debris: np.ndarray, layers: int | None, expected: float
) -> None:
    write_model(tmp_path / "tall.onnx", lift=0.5)
    assert Predictor.from_file(tmp_path / "tall.onnx").predict(debris, layers=layers).num_removed.value == expected


@pytest.mark.parametrize("shade", [0, 130, 255])
def test_a_blank_picture_is_answered_by_what_training_saw(predictor: Predictor, monkeypatch, shade: int) -> None:
    monkeypatch.setattr(type(predictor.model), "run", lambda *_: pytest.fail("the network was asked"))
    prediction = predictor.predict(np.full((32, 32), shade, np.uint8), layers=3)
    card = make_card()
    assert prediction.num_removed.value == 5.0
    assert (prediction.num_removed.low, prediction.num_removed.high) == (1.0, 9.0)  # of three layers
    assert (prediction.imbalance.low, prediction.imbalance.high) == (-0.02, 0.001)
    assert list(prediction.removed_locs.values()) == card.prior["removed_locs"][:9]
    assert prediction.friction == pytest.approx(dict.fromkeys(FRICTIONS, 1 / 3))
    assert prediction.answered_by == "prior"
    assert "nothing to see" in prediction.warnings[0]


def test_what_neither_model_nor_prior_tells(tmp_path: Path, debris: np.ndarray) -> None:
    card = make_card(heads=HEADS[:4])
    prior = {name: value for name, value in card.prior.items() if name not in ("failure_layer", "friction_level")}
    write_model(tmp_path / "m.onnx", card=make_card(heads=HEADS[:4], prior=prior))
    predictor = Predictor.from_file(tmp_path / "m.onnx")
    for source in (debris, np.zeros((32, 32), np.uint8)):
        prediction = predictor.predict(source)
        assert (prediction.failure_layer, prediction.failure_layer_probability, prediction.friction) == (None, None, {})


def test_warnings_of_the_picture_come_along(predictor: Predictor, debris: np.ndarray) -> None:
    assert len(predictor.predict(debris[:20], 0.9).warnings) == 2  # not square; more friction than it knows


def test_pictures_of_any_size_are_answered(predictor: Predictor) -> None:
    shades = np.tile(np.arange(200, dtype=np.uint8), (200, 1))
    assert predictor.predict(shades).num_removed.value == 4.0


def test_two_names_at_the_top() -> None:
    assert anastylosis.__all__ == sorted(anastylosis.__all__)
    assert all(getattr(anastylosis, name) is not None for name in anastylosis.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Prophet'"):
        _ = anastylosis.Prophet


def test_nothing_heavy_is_loaded(path: Path) -> None:
    """Nor anything but the package itself before the name is asked for."""
    code = f"""
import sys
import anastylosis
assert "numpy" not in sys.modules
from anastylosis.models.predictor import Predictor
import numpy as np
Predictor.from_file(sys.argv[1]).predict(np.arange(1024, dtype=np.uint8).reshape(32, 32))
print([name for name in {HEAVY} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
