"""Cards of the eye's nets: what a file may say, and what is refused."""

import json
from dataclasses import replace

import pytest

from anastylosis.detection.card import FINDER, READER, EyeCalibration, EyeCard, parse_eye_card, write_eye_card
from anastylosis.errors import InvalidInput

CARD = EyeCard(
    kind=READER, preset=READER, size=(0.081, 0.026, 0.018), elevation=(0.3, 1.0), config={}, dataset={}, metrics={},
    version="0.1", calibration=EyeCalibration(slope=(0.9, 0.8), offset=(0.1, 0.0), place=1.2, turn=1.1, scenes=40),
)  # fmt: skip


def test_a_card_comes_back() -> None:
    assert parse_eye_card(write_eye_card(CARD), READER) == CARD


def test_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not a finder"):
        parse_eye_card(write_eye_card(CARD), FINDER)


@pytest.mark.parametrize(
    "changes",
    [
        {"size": [0.081, 0.026]}, {"size": [0.081, 0.026, -1]}, {"size": "abc"}, {"elevation": [1]}, {"preset": "../x"},
        {"calibration": {"slope": [], "offset": [], "place": 1, "turn": 1, "scenes": 1}},
        {"calibration": {"slope": [1, 2], "offset": [0], "place": 1, "turn": 1, "scenes": 1}},
        {"calibration": {"slope": [1], "offset": [0], "place": 0, "turn": 1, "scenes": 1}},
        {"calibration": {"slope": ["x"], "offset": [0], "place": 1, "turn": 1, "scenes": 1}},
        {"calibration": []}, {"more": 1},
    ],
)  # fmt: skip
def test_what_is_not_ours_is_refused(changes: dict) -> None:
    document = json.loads(write_eye_card(CARD)) | changes
    with pytest.raises(InvalidInput, match="not one of ours"):
        parse_eye_card(json.dumps(document), READER)


def test_a_later_format_is_refused() -> None:
    with pytest.raises(InvalidInput, match="format"):
        parse_eye_card(write_eye_card(replace(CARD, format=99)), READER)
