"""The card of a model: what goes in comes out, and what is not one is refused."""

import json
from typing import Any

import pytest

from anastylosis.errors import InvalidInput
from anastylosis.models.picture_model import parse_picture_card, write_picture_card
from support.models import FRICTIONS, make_card


def test_a_card_comes_back() -> None:
    card = make_card()
    assert parse_picture_card(write_picture_card(card)) == card


def test_a_card_from_before_the_unlikeness_is_read() -> None:
    assert parse_picture_card(drop("unlikeness")) == make_card(unlikeness=None)


def test_levels_of_friction_keep_their_order() -> None:
    """It is the order of the model's input: in another one, low would be read as high."""
    assert list(parse_picture_card(write_picture_card(make_card())).frictions) == list(FRICTIONS) != sorted(FRICTIONS)


def change(**parts: Any) -> str:
    return json.dumps(json.loads(write_picture_card(make_card())) | parts)


def change_prior(**parts: Any) -> str:
    return change(prior=make_card().prior | parts)


def drop(name: str) -> str:
    return json.dumps({key: value for key, value in json.loads(write_picture_card(make_card())).items() if key != name})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not one of ours"),
        ("{", "not one of ours"),
        ("[]", "not one of ours"),
        ("7", "not one of ours"),
        ("{}", "not one of ours"),
        ("[" * 100_000, "not one of ours"),
        (change(format=2), "has format 2, and this version reads 1"),
        (change(format="x" * 1000), "has format 'xxx"),
        (drop("prior"), "prior"),
        (drop("calibration"), "calibration"),
        (change(colour="red"), "colour"),
        (change(size=0), "size is 0"),
        (change(size=32.5), "size is 32.5"),
        (change(layers=10**9), "layers is 1000000000"),
        (change(layers=True), "layers is True"),
        (change(frictions={}), "no level of friction"),
        (change(frictions={"low": "0.25"}), "friction is not of finite numbers"),
        (change(frictions={"low": 10**400}), "too large"),
        (change(frictions=[0.25]), "not one of ours"),
        (change(heads=["num_removed"]), "heads are"),
        (change(heads=["num_removed", "removed_locs", "imbalance", "torque_risk", "torque_risk"]), "heads are"),
        (change(heads=["num_removed", "removed_locs", "imbalance", "torque_risk", "nonsense"]), "heads are"),
        (change(preset=3), "preset is no name"),
        (change(view={"elevation": 1.0}), "not one of ours"),
        (change(calibration={"slope": 1.0, "offset": 0.0, "half_width": {}, "examples": 1}), "num_removed"),
        (change(unlikeness={"parts": ["maps"], "limits": [1.0]}), "share"),
        (change(unlikeness={"parts": ["a b"], "limits": [1.0], "share": 0.9, "examples": 1}), "is no name"),
        (change(unlikeness={"parts": ["a"], "limits": [0.0], "share": 0.9, "examples": 1}), "limits of the unlikeness"),
        (change(unlikeness={"parts": ["a"], "limits": [1, 2], "share": 0.9, "examples": 1}), "limits of the unlikeness"),
        (
            change(unlikeness={"parts": ["a"], "limits": ["1"], "share": 0.9, "examples": 1}),
            "unlikeness is not of finite numbers",
        ),
        (change(unlikeness={"parts": ["a"], "limits": [float("nan")], "share": 0.9, "examples": 1}), "not of finite numbers"),
        (change(unlikeness={"parts": [], "limits": [], "share": 0.9, "examples": 1}), "parts of the unlikeness is 0"),
        (change(unlikeness={"parts": ["a"], "limits": [1.0], "share": 1.5, "examples": 1}), "limits of the unlikeness"),
        (change(unlikeness=7), "not one of ours"),
        (change_prior(removed_locs=[0.1] * 17), "removed_locs is not 18 probabilities"),
        (change_prior(removed_locs=[1.5] * 18), "removed_locs is not 18 probabilities"),
        (change_prior(failure_layer=[0.1] * 7), "failure_layer is not 6 probabilities"),
        (change_prior(friction_level=[0.5, 0.5]), "friction_level is not 3 probabilities"),
        (change_prior(num_removed={"mean": 1.0, "low": 3.0, "high": 2.0}), "range of num_removed"),
        (change_prior(num_removed={"mean": float("nan"), "low": 1.0, "high": 2.0}), "num_removed is not of finite numbers"),
    ],
)
def test_what_is_not_a_card(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_picture_card(text)


def test_a_prior_need_not_tell_of_layers_and_levels() -> None:
    prior = {name: value for name, value in make_card().prior.items() if name not in ("failure_layer", "friction_level")}
    assert parse_picture_card(change(prior=prior)).prior == prior
