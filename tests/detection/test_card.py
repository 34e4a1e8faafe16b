"""Cards of the nets of the detector: what a file may hold, and what is refused."""

import json
from dataclasses import replace

import pytest

from anastylosis.detection.nets import (
    SLOT_CLASSIFIER,
    VOTE_NET,
    DetectorCalibration,
    DetectorCard,
    parse_detector_card,
    write_detector_card,
)
from anastylosis.errors import InvalidInput

CARD = DetectorCard(
    kind=SLOT_CLASSIFIER, preset=SLOT_CLASSIFIER, size=(0.081, 0.026, 0.018), elevation=(0.3, 1.0),
    config={}, dataset={}, metrics={},
    version="0.1", calibration=DetectorCalibration(slope=(0.9, 0.8), offset=(0.1, 0.0), place=1.2, turn=1.1, scenes=40),
)  # fmt: skip


def test_a_card_comes_back() -> None:
    assert parse_detector_card(write_detector_card(CARD), SLOT_CLASSIFIER) == CARD


def test_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not a vote net"):
        parse_detector_card(write_detector_card(CARD), VOTE_NET)


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
    document = json.loads(write_detector_card(CARD)) | changes
    with pytest.raises(InvalidInput, match="not one of ours"):
        parse_detector_card(json.dumps(document), SLOT_CLASSIFIER)


def test_a_later_format_is_refused() -> None:
    with pytest.raises(InvalidInput, match="format"):
        parse_detector_card(write_detector_card(replace(CARD, format=99)), SLOT_CLASSIFIER)
