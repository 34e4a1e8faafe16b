"""Gaps between boxes: closed forms, an independent measurement, and the axes on which boxes are apart."""

import numpy as np
import pytest
from hypothesis import given

from anastylosis.detection.overlaps import list_separating_axes
from anastylosis.geometry import Boxes, find_corners, make_matrices, measure_gaps
from anastylosis.validation.penetration import overlapping_pair
from support.surveys import places, sizes, turns
from support.worlds import turn

UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def cubes(*position: tuple, orientation: tuple = UPRIGHT) -> Boxes:
    count = len(position)
    return Boxes(np.full((count, 3), 0.1), np.array(position, float), np.tile(orientation, (count, 1)))


def test_gaps_of_faces_and_of_edges() -> None:
    first = cubes((0, 0, 0))
    assert measure_gaps(first, cubes((0.13, 0, 0)))[0] == pytest.approx(0.03)
    assert measure_gaps(first, cubes((0.08, 0.01, 0)))[0] == pytest.approx(-0.02)
    # Edges that cross: a cube turned by 45 degrees about y over one turned about x, centres 2 h sqrt(2) + 5 mm apart.
    low = cubes((0, 0, 0), orientation=tuple(turn((1, 0, 0), np.pi / 4)))
    high = cubes((0, 0, 0.1 * np.sqrt(2) + 0.005), orientation=tuple(turn((0, 1, 0), np.pi / 4)))
    assert measure_gaps(low, high)[0] == pytest.approx(0.005)


@given(sizes, places, turns, sizes, places, turns)
def test_overlap_is_that_of_an_independent_measurement(size_a, place_a, turn_a, size_b, place_b, turn_b) -> None:
    size, orientation = np.array([size_a, size_b]), np.array([turn_a, turn_b])
    position = np.array([place_a, place_b]) / 20 + (0, 0, 100)  # clear of the floor, which the oracle counts
    gap = measure_gaps(*(Boxes(size[k : k + 1], position[k : k + 1], orientation[k : k + 1]) for k in (0, 1)))[0]
    oracle = overlapping_pair(position, orientation, size)[0]
    assert max(-gap, 0) == pytest.approx(oracle, abs=1e-9)


@given(sizes, places, turns, sizes, places, turns)
def test_listed_axes_tell_the_same_gap_where_no_edges_are_nearly_parallel(
    size_a, place_a, turn_a, size_b, place_b, turn_b
) -> None:
    boxes = Boxes(np.array([size_a, size_b]), np.array([place_a, place_b]) / 20, np.array([turn_a, turn_b]))
    one, other = np.array([0]), np.array([1])
    axes, reach = list_separating_axes(boxes.size, make_matrices(boxes.orientation), one, other)
    gap = (np.abs(axes[0] @ (boxes.position[1] - boxes.position[0])) - reach[0]).max()
    measured = measure_gaps(boxes.take(one), boxes.take(other))[0]
    if np.isfinite(reach).all():
        assert gap == pytest.approx(measured, abs=1e-9)
    else:
        assert gap <= measured + 1e-9  # some axes are left out


def test_underside_of_a_turned_box() -> None:
    # A cube on its edge: half a diagonal of its face below its centre.
    made = cubes((0, 0, 1.0), orientation=tuple(turn((1, 0, 0), np.pi / 4)))
    assert made.measure_underside()[0] == pytest.approx(1 - 0.05 * np.sqrt(2))


@given(sizes, places, turns)
def test_underside_is_the_lowest_corner(size, place, orientation) -> None:
    box = Boxes(np.array([size]), np.array([place]), orientation[None])
    lowest = find_corners(box.position, box.size, make_matrices(box.orientation))[0, :, 2].min()
    assert box.measure_underside()[0] == pytest.approx(lowest, abs=1e-9)
