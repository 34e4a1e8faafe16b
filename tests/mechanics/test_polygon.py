"""Convex polygons: hull, clipping, distance and area, by what must hold for any points."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anastylosis.mechanics.polygon import as_points, clip_half_plane, convex_hull, corner_area, polygon_centre, signed_distance

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]

# A grid of eighths: many points coincide, many are in line, and sums are exact.
coordinate = st.integers(-40, 40).map(lambda n: n / 8)
point = st.tuples(coordinate, coordinate)
points = st.lists(point, min_size=1, max_size=20)
anywhere = st.tuples(st.floats(-10, 10), st.floats(-10, 10))


def area(polygon) -> float:
    return corner_area(as_points(polygon))


def clip_convex(polygon, window) -> np.ndarray:
    """Intersection of two convex polygons: one half plane after the other, as contact polygons are cut."""
    kept, corners = as_points(polygon), as_points(window)
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        nx, ny = by - ay, ax - bx  # outwards
        kept = clip_half_plane(kept, nx, ny, nx * ax + ny * ay)
    return np.array(kept).reshape(-1, 2)


def left_of(a, b, p) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


@given(points)
def test_hull_holds_all_points_and_turns_left(cloud) -> None:
    hull = convex_hull(cloud)
    assert {tuple(corner) for corner in hull.tolist()} <= set(cloud)
    if len(hull) > 2:
        for a, b, c in zip(hull, np.roll(hull, -1, 0), np.roll(hull, -2, 0), strict=True):
            assert left_of(a, b, c) > 0
            assert all(left_of(a, b, p) >= 0 for p in cloud)
    for p in cloud:
        assert signed_distance(p, hull) >= (0 if len(hull) > 2 else -1e-12)


@given(points)
def test_hull_of_a_hull_is_itself(cloud) -> None:
    hull = convex_hull(cloud)
    np.testing.assert_array_equal(convex_hull(hull[::-1]), hull)


def test_degenerate_hulls() -> None:
    assert convex_hull([]).shape == (0, 2)
    assert convex_hull([(1, 2), (1, 2)]).tolist() == [[1, 2]]
    assert convex_hull([(0, 0), (2, 2), (1, 1)]).tolist() == [[0, 0], [2, 2]]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ((1, 1), 1.0),
        ((0.5, 1), 0.5),
        ((2, 1), 0.0),
        ((3, 1), -1.0),  # beside an edge
        ((3, 3), -math.sqrt(2)),  # beyond a corner: not the distance to either edge's line
        ((-3, 6), -5.0),
    ],
)
def test_distance_to_a_square(where: tuple[float, float], expected: float) -> None:
    assert signed_distance(where, SQUARE) == pytest.approx(expected, abs=1e-15)


def test_distance_to_what_has_no_inside() -> None:
    assert signed_distance((3, 4), [(0, 0)]) == -5
    assert signed_distance((1, 1), [(0, 0), (2, 0)]) == -1
    assert signed_distance((1, 0), [(0, 0), (2, 0)]) == 0
    assert signed_distance((5, 4), [(0, 0), (2, 0)]) == -5
    assert signed_distance((0, 0), np.empty((0, 2))) == -math.inf


@given(points, anywhere, anywhere)
def test_distance_changes_no_faster_than_the_point_moves(cloud, p, q) -> None:
    hull = convex_hull(cloud)
    assert abs(signed_distance(p, hull) - signed_distance(q, hull)) <= math.dist(p, q) + 1e-9


@given(points, anywhere)
def test_distance_reaches_the_boundary(cloud, p) -> None:
    # By brute force: the nearest of many points on the boundary, and on which side of every edge p lies.
    hull = convex_hull(cloud)
    assume(len(hull) > 2)
    t = np.linspace(0, 1, 401)[:, None]
    boundary = np.concatenate([a + t * (b - a) for a, b in zip(hull, np.roll(hull, -1, 0), strict=True)])
    nearest = np.linalg.norm(boundary - p, axis=1).min()
    sides = [left_of(a, b, p) for a, b in zip(hull, np.roll(hull, -1, 0), strict=True)]
    distance = signed_distance(p, hull)
    assert abs(distance) == pytest.approx(nearest, abs=0.02)  # half the spacing on the longest edge, 14 / 400
    assert abs(distance) <= nearest + 1e-12
    if min(map(abs, sides)) > 1e-9:
        assert (distance > 0) == (min(sides) > 0)


@given(points, points)
def test_clipping_is_the_intersection(cloud_a, cloud_b) -> None:
    a, b = convex_hull(cloud_a), convex_hull(cloud_b)
    assume(len(a) > 2 and len(b) > 2)
    both = clip_convex(a, b)
    assert area(both) >= -1e-9
    assert area(both) == pytest.approx(area(clip_convex(b, a)), abs=1e-9)
    for corner in both:  # no more than the intersection
        assert signed_distance(corner, a) >= -1e-9
        assert signed_distance(corner, b) >= -1e-9
    for p in cloud_a:  # and no less
        if signed_distance(p, b) > 1e-9:
            assert signed_distance(p, convex_hull(both)) >= -1e-9


@given(points)
def test_clipping_with_itself_changes_nothing(cloud) -> None:
    hull = convex_hull(cloud)
    assume(len(hull) > 2)
    assert area(clip_convex(hull, hull)) == pytest.approx(area(hull), rel=1e-12)


@given(points, anywhere)
def test_halves_make_the_whole(cloud, direction) -> None:
    hull = convex_hull(cloud)
    far = np.array(direction) / max(math.hypot(*direction), 1e-3) * 1e3
    assume(len(hull) > 2 and math.hypot(*far) > 999)
    across = np.array([-far[1], far[0]])
    left = convex_hull([-far, far, far + across, -far + across])
    right = convex_hull([-far, far, far - across, -far - across])
    halves = area(clip_convex(hull, left)) + area(clip_convex(hull, right))
    assert halves == pytest.approx(area(hull), rel=1e-9)


def test_polygons_that_do_not_meet() -> None:
    assert clip_convex(SQUARE, [(5, 5), (6, 5), (5, 6)]).shape == (0, 2)


def test_area() -> None:
    assert area(SQUARE) == 4
    assert area(SQUARE[::-1]) == -4
    assert area([(0, 0), (1, 0), (0, 1)]) == 0.5
    assert area([(0, 0), (1, 0)]) == 0
    assert area([]) == 0


def test_centre_of_known_polygons() -> None:
    assert polygon_centre(SQUARE) == pytest.approx((1, 1))
    assert polygon_centre([(0, 0), (3, 0), (0, 6)]) == pytest.approx((1, 2))  # a triangle: the mean of its corners
    assert polygon_centre([(1, 2), (3, 6)]) == pytest.approx((2, 4))
    assert polygon_centre([(1, 2)]) == pytest.approx((1, 2))


def test_corners_within_an_edge_do_not_pull_the_centre() -> None:
    assert polygon_centre([(0, 0), (1e-9, 0), (2e-9, 0), (2, 0), (2, 2), (0, 2)]) == pytest.approx((1, 1))


@given(points, st.tuples(coordinate, coordinate))
def test_centre_is_inside_and_moves_along(cloud, way) -> None:
    hull = convex_hull(cloud)
    assume(len(hull) > 2)
    centre = polygon_centre(hull)
    assert signed_distance(centre, hull) > 0
    assert polygon_centre(hull + way) == pytest.approx(centre + way, abs=1e-9)
