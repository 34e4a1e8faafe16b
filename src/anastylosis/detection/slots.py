"""Slots as proposals: where blocks would be if nothing had fallen."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.proposals import Proposals
from anastylosis.structure import jenga_tower
from anastylosis.survey.rotation import make_matrices

__all__ = ["COURSES", "tower_slots"]

COURSES = 30  # of the highest tower that may still stand


def tower_slots(size: NDArray[np.float64], courses: int = COURSES) -> Proposals:
    """The slots of a tower, from the floor up."""
    tower = jenga_tower(courses)
    return Proposals(np.tile(size, (len(tower), 1)), np.array(tower.position), make_matrices(tower.orientation))
