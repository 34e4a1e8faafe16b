"""Blocks in the colours of a scale."""

import numpy as np

from anastylosis.report import draw_shaded
from anastylosis.structure import jenga_tower

TOWER = jenga_tower(3)
BLOCKS = TOWER.blocks.size, TOWER.position, TOWER.orientation


def look_at(shade: float, *, gone: bool = False) -> np.ndarray:
    """The mean colour in the middle of a tower whose blocks all have this number."""
    picture = draw_shaded(BLOCKS, np.full(len(TOWER), shade), "How sure", gone=gone, size=96)
    return picture[40:56, 40:56].reshape(-1, 3).mean(axis=0)


def test_a_tower_has_the_colours_of_its_numbers() -> None:
    yellow, mauve, violet, grey = (look_at(shade) for shade in (0.0, 0.5, 1.0, np.nan))
    assert yellow[0] > 2 * yellow[2]
    assert violet[2] > 2 * violet[1]
    assert np.ptp(grey) < 0.15 * grey.max()
    assert yellow.sum() > mauve.sum() > violet.sum()


def test_what_is_gone_is_red() -> None:
    white, red = (look_at(shade, gone=True) for shade in (0.0, 1.0))
    assert red[0] > 3 * red[1:].max()
    assert np.ptp(white) < 0.15 * white.max()


def test_it_says_what_the_colours_mean() -> None:
    shade = np.linspace(0, 1, len(TOWER))
    first, second = (draw_shaded(BLOCKS, shade, "", ends=ends, size=128) for ends in (("a", "b"), ("wrong", "right")))
    assert first.shape == (128, 128, 3)
    assert (first != second).any()


def test_all_of_every_block_is_in_the_picture() -> None:
    turns = [(1, 0, 0, 0), (np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8)), (np.cos(np.pi / 8), 0, 0, -np.sin(np.pi / 8))]
    for turn in turns:  # by 0 and 45 degrees
        beam = np.array([[2.0, 0.1, 0.1]]), np.array([[0.0, 0.0, 0.05]]), np.array([turn])
        pale, dark = (draw_shaded(beam, np.array([shade]), "", size=96).astype(int) for shade in (0.0, 1.0))
        columns = np.flatnonzero((abs(pale - dark) > 20).any(axis=(0, 2)))
        assert 0 < columns.min() <= columns.max() < 95
