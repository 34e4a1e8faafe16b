"""The less certain, the paler; one rule for every picture that shows what still stands."""

import numpy as np
import pytest

from anastylosis.report.fading import fade
from anastylosis.report.reconstruction.shades import EVIDENCE, fade_evidence
from anastylosis.report.sight import STANDS_COLOUR, fade_standing

SURE = np.linspace(0.5, 1.0, 11)


def test_what_is_certain_has_its_colour() -> None:
    assert fade((0.2, 0.5, 1.0), 1.0) == (0.2, 0.5, 1.0)
    assert fade_evidence(1.0) == EVIDENCE
    assert fade_standing(1.0) == STANDS_COLOUR


@pytest.mark.parametrize("colour", [EVIDENCE, (0.0, 0.0, 0.0), (1.0, 0.0, 0.5)])
def test_the_less_certain_the_paler(colour: tuple[float, float, float]) -> None:
    shown = np.array([fade(colour, sure) for sure in SURE])
    assert (np.diff(shown.sum(axis=1)) < 0).all()
    assert (shown >= np.array(colour) - 1e-12).all()
    assert (shown <= 1).all()


def test_a_half_is_as_pale_as_it_gets_and_not_white() -> None:
    assert fade(EVIDENCE, 0.5) == fade(EVIDENCE, 0.1) == fade(EVIDENCE, 0.0)
    assert min(fade(EVIDENCE, 0.0)) < 0.9


def test_outlines_fade_as_blocks_do() -> None:
    for sure in SURE:
        expected = fade(tuple(part / 255 for part in STANDS_COLOUR), sure)
        assert fade_standing(sure) == tuple(round(255 * part) for part in expected)
