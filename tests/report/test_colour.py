"""The less certain, the paler; one rule for every picture that shows what still stands."""

import numpy as np
import pytest

from anastylosis.report.colour import PALETTE, fade, from_bytes, to_bytes
from anastylosis.report.detection_overlay import fade_standing

SURE = np.linspace(0.5, 1.0, 11)


def test_what_is_certain_has_its_colour() -> None:
    assert fade((0.2, 0.5, 1.0), 1.0) == (0.2, 0.5, 1.0)
    assert PALETTE.fade_evidence(1.0) == PALETTE.evidence
    assert fade_standing(1.0) == (40, 110, 255)


@pytest.mark.parametrize("colour", [PALETTE.evidence, (0.0, 0.0, 0.0), (1.0, 0.0, 0.5)])
def test_the_less_certain_the_paler(colour: tuple[float, float, float]) -> None:
    shown = np.array([fade(colour, sure) for sure in SURE])
    assert (np.diff(shown.sum(axis=1)) < 0).all()
    assert (shown >= np.array(colour) - 1e-12).all()
    assert (shown <= 1).all()


def test_a_half_is_as_pale_as_it_gets_and_not_white() -> None:
    assert fade(PALETTE.evidence, 0.5) == fade(PALETTE.evidence, 0.1) == fade(PALETTE.evidence, 0.0)
    assert min(fade(PALETTE.evidence, 0.0)) < 0.9


def test_outlines_fade_as_blocks_do() -> None:
    """At a half, a fifth of the way from white to the colour, 255 - (255 - 40) / 5 = 212; between a half and 1, even steps."""
    shown = [fade_standing(sure) for sure in (0.5, 0.75, 0.9, 1.0)]
    assert shown == [(212, 226, 255), (126, 168, 255), (74, 133, 255), (40, 110, 255)]
    assert PALETTE.fade_evidence(0.5) == pytest.approx((0.84, 0.904, 0.96))
    assert PALETTE.fade_evidence(0.75) == pytest.approx((0.52, 0.712, 0.88))


def test_colours_of_bytes_and_back() -> None:
    assert to_bytes((0.0, 0.2, 1.0)) == (0, 51, 255)
    assert to_bytes((0.0, 0.501, 0.499)) == (0, 128, 127)
    assert from_bytes((0, 51, 255)) == (0.0, 0.2, 1.0)
    assert all(to_bytes(from_bytes((part, 0, 255))) == (part, 0, 255) for part in range(256))
