"""Surveys from detections: doubtful blocks are left out, the others keep their certainty."""

import numpy as np
import pytest
from scipy.special import logit

from anastylosis.detection.detections import NO_BLOCKS, Detections, make_survey, tower_slots
from anastylosis.errors import InvalidInput
from anastylosis.survey.checks import find_unsure
from support.drawn_debris import BLOCK


def find(*chances: float) -> Detections:
    """The first slots of a tower, found with these probabilities; every other one stands."""
    count = len(chances)
    blocks = tower_slots(BLOCK).take(np.arange(count))
    return Detections(blocks, logit(np.array(chances)), np.full(count, 0.002), np.full(count, 0.03), np.arange(count) % 2 == 0)


def test_certainty_is_the_eyes_own_probability() -> None:
    survey = make_survey(find(0.97, 0.1, 0.6))
    assert survey.certainty == pytest.approx([0.97, 0.6])
    assert survey.notes == ("stands, 97% sure", "stands, 60% sure")


def test_where_all_is_too_doubtful_nothing_is_seen() -> None:
    with pytest.raises(InvalidInput, match="no block is seen"):
        make_survey(find(0.15, 0.1))


def test_what_is_hardly_like_blocks_is_refused_and_what_is_doubtful_is_said() -> None:
    with pytest.raises(InvalidInput, match="hardly like blocks, 35% sure") as refused:
        make_survey(find(0.3, 0.4))
    assert refused.value.kind == NO_BLOCKS
    (log_deviation,) = find_unsure(make_survey(find(0.5, 0.54)))
    assert log_deviation.message.startswith("blocks are only 52% certain on average")
    assert not [*find_unsure(make_survey(find(0.5, 0.9)))]


def test_a_block_that_nothing_carries_is_not_reported() -> None:
    """Nor what only that block carries: rows of the fourth course, with nothing below, and one of the fifth on them."""
    found = find(*[0.9] * 15)
    lower, upper = np.arange(3), np.arange(9, 15)
    survey = make_survey(found.take(np.concatenate([lower, upper])))
    assert len(survey) == 3
    assert (survey.position[:, 2] < BLOCK[2]).all()
    assert len(make_survey(found)) == 15  # with all of them there is nothing in the air
