"""Surveys that tests measure, and boxes as sets of corners."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from anastylosis.structure import jenga_tower
from anastylosis.survey import Survey
from support.worlds import matrix

UTM = (487213.402, 2251876.118, 43.20)  # [m] a foot of a structure, in the coordinates of a country

sizes = st.lists(st.floats(0.005, 5.0), min_size=3, max_size=3)
places = st.lists(st.floats(-50.0, 50.0), min_size=3, max_size=3)
numbers = st.floats(-1.0, 1.0, allow_subnormal=False)
# Any turn, and turns by quarters, where Euler angles have their poles.
turns = (
    st.lists(numbers, min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1)
    | st.lists(st.integers(-1, 1).map(float), min_size=4, max_size=4).filter(any)
).map(lambda q: np.array(q) / np.linalg.norm(q))


def survey(**changes: object) -> Survey:
    """Two stones of a tower, side by side on the ground."""
    tower = jenga_tower(1)
    values: dict = {
        "ids": ("A1", "A2"),
        "size": tower.blocks.size[:2],
        "position": tower.position[:2],
        "orientation": tower.orientation[:2],
    }
    return Survey(**(values | changes))


def tower_survey(layers: int = 18, **changes: object) -> Survey:
    """A tower that stands, surveyed stone by stone."""
    tower = jenga_tower(layers)
    values: dict = {
        "ids": tower.ids, "size": tower.blocks.size, "position": tower.position, "orientation": tower.orientation,
    }  # fmt: skip
    return Survey(**(values | changes))


def corner_set(size: np.ndarray, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """(8, 3) corners of a box, in an order that does not depend on the names of its axes."""
    signs = np.array(list(product((-0.5, 0.5), repeat=3)))
    corners = position + (signs * size) @ matrix(np.asarray(orientation)).T
    return corners[np.lexsort(np.round(corners, 6).T)]


def same_turns(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(B,) angles [rad] between turns; a quaternion and its negative are the same turn."""
    apart = np.minimum(np.linalg.norm(first - second, axis=-1), np.linalg.norm(first + second, axis=-1))
    return 4 * np.arcsin(np.minimum(apart / 2, 1))
