"""Convex polygons in the plane: hull, clipping, distance to the boundary, area and its centre.

A polygon is its corners in counter-clockwise order, (K, 2). Two corners are a segment, one a point, none is empty.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats

Point = tuple[float, float]  # plain floats: for polygons of a few corners far faster than small arrays


def convex_hull(points: ArrayLike) -> Floats:
    """Return the corners (K, 2) of the convex hull of points (N, 2), counter-clockwise; points inside its edges are left out.

    Monotone chain: Andrew (1979), Another efficient algorithm for convex hulls in two dimensions.
    """
    ordered = sorted(set(as_points(points)))
    if len(ordered) < 3:
        return as_polygon(ordered)
    lower, upper = chain(ordered), chain(ordered[::-1])
    hull = lower[:-1] + upper[:-1]
    return as_polygon(hull)


def chain(ordered: Sequence[Point]) -> list[Point]:
    """Return the points of a sorted sequence that only turn left."""
    kept: list[Point] = []
    for point in ordered:
        while len(kept) >= 2 and cross(kept[-2], kept[-1], point) <= 0:
            kept.pop()
        kept.append(point)
    return kept


def signed_distance(point: ArrayLike, polygon: ArrayLike) -> float:
    """Measure the distance of a point (2,) from the boundary of a convex polygon: positive inside, negative outside.

    Outside it is the distance to the nearest edge or corner. A segment or a point has no inside: minus the distance.
    An empty polygon is infinitely far: -inf. Paper §8.1, the margin of Eq. (17).
    """
    x, y = map(float, np.asarray(point, float))
    corners = as_points(polygon)
    if not corners:
        return -math.inf
    edges = list(zip(corners, corners[1:] + corners[:1], strict=True))
    nearest = min(segment_distance(x, y, start, end) for start, end in edges)
    # Counting crossings, not left turns: it forgives edges so short that rounding gives them any direction.
    inside = sum(crosses_ray(x, y, start, end) for start, end in edges) % 2 == 1
    return nearest if inside else -nearest


def crosses_ray(x: float, y: float, start: Point, end: Point) -> bool:
    """Return whether the edge crosses the ray from (x, y) towards larger x."""
    (ax, ay), (bx, by) = start, end
    return (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay)


def segment_distance(x: float, y: float, start: Point, end: Point) -> float:
    (ax, ay), (bx, by) = start, end
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    share = 0.0 if square == 0 else min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / square))
    return math.hypot(x - ax - share * dx, y - ay - share * dy)


def clip_half_plane(corners: Sequence[Point], nx: float, ny: float, limit: float) -> list[Point]:
    """Return the part of a convex polygon where nx x + ny y <= limit. Sutherland and Hodgman (1974)."""
    kept: list[Point] = []
    if not corners:
        return kept
    before = corners[-1]
    over_before = nx * before[0] + ny * before[1] - limit
    for corner in corners:
        over = nx * corner[0] + ny * corner[1] - limit
        if (over < 0 < over_before) or (over_before < 0 < over):
            share = over_before / (over_before - over)
            kept.append((before[0] + share * (corner[0] - before[0]), before[1] + share * (corner[1] - before[1])))
        if over <= 0:
            kept.append(corner)
        before, over_before = corner, over
    return kept


def polygon_centre(polygon: ArrayLike) -> Floats:
    """Return the centre (2,) of the area of a convex polygon; for segments and points, the mean of the corners."""
    # Not the mean of the corners: a settled block's hull has spare ones, a micrometre apart, that would pull it aside.
    corners = as_points(polygon)
    area = corner_area(corners)
    if area <= 0:
        return as_polygon(corners).mean(axis=0)
    weights = [cross(corners[0], b, c) / (2 * area) for b, c in pairwise(corners[1:])]
    centres = [as_polygon([corners[0], b, c]).mean(axis=0) for b, c in pairwise(corners[1:])]
    return np.array(weights) @ np.array(centres)


def corner_area(corners: Sequence[Point]) -> float:
    """Return the area of a polygon, positive when counter-clockwise; 0 for segments, points and nothing."""
    # About the first corner: far from the origin the products of whole coordinates would cancel.
    return 0.5 * sum(cross(corners[0], b, c) for b, c in pairwise(corners[1:]))


def cross(a: Point, b: Point, c: Point) -> float:
    """Return twice the area of the triangle a, b, c: positive for a left turn."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def as_points(values: ArrayLike) -> list[Point]:
    return [(float(x), float(y)) for x, y in np.asarray(values, float).reshape(-1, 2).tolist()]


def as_polygon(corners: Sequence[Point]) -> Floats:
    return np.array(corners, float).reshape(-1, 2)
