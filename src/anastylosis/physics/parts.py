"""Parts: all arrays of a batch of worlds, as the kernels take them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.physics.clock import STAGES
from anastylosis.physics.contacts import Contacts, build_contacts
from anastylosis.physics.model import (
    Bodies,
    Control,
    Model,
    State,
    build_bodies,
    build_control,
    build_model,
    build_state,
)
from anastylosis.physics.rows import Rows, build_rows
from anastylosis.structure import Structure


class Parts(NamedTuple):
    """Every array of W worlds."""

    model: Model
    state: State
    control: Control
    bodies: Bodies
    contacts: Contacts
    rows: Rows
    stages: NDArray[np.int64]  # (W, STAGES) ticks spent in each stage of the step


def build_parts(structures: Sequence[Structure], pairs_per_block: int) -> Parts:
    """Build the arrays of structures at rest in their slots, with room for so many pairs of near blocks."""
    model, state = build_model(structures), build_state(structures)
    worlds, blocks = state.position.shape[:2]
    pairs = 32 + pairs_per_block * blocks
    return Parts(
        model=model,
        state=state,
        control=build_control(worlds, blocks),
        bodies=build_bodies(worlds, blocks + 1),
        contacts=build_contacts(worlds, blocks + 1, pairs),
        rows=build_rows(worlds, pairs),
        stages=np.zeros((worlds, STAGES), np.int64),
    )
