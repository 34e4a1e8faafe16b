"""Contact forces of a world in its last substep, for people to read."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.physics.contacts import PAIRS, Contacts
from anastylosis.physics.model import Bodies
from anastylosis.structure import Structure


class ContactForces(NamedTuple):
    """C touching pairs. The force on b is normal * normal_force.sum() + friction; a feels the opposite."""

    pair: NDArray[np.int64]  # (C, 2) blocks a < b; b = number of blocks: the floor
    normal: Floats  # (C, 3) from a to b, world frame
    point: Floats  # (C, 4, 3) contact points, world frame [m]; NaN where there is none
    normal_force: Floats  # (C, 4) at each point [N]; 0 where there is none
    friction: Floats  # (C, 3) friction force of the pair, world frame [N]
    structure: Structure  # whose blocks these are

    def on_block(self, block: str | int) -> "ContactForces":
        """Return the contacts of one block, by its id or its row."""
        row = self.structure.index(block) if isinstance(block, str) else block
        floor = len(self.structure)
        if not isinstance(row, int | np.integer) or not 0 <= row <= floor:
            raise InvalidInput(f"block is {block!r}; give its id, or its row: 0..{floor - 1}, or {floor} for the floor")
        rows = (self.pair == row).any(axis=1)
        return self._replace(**{name: field[rows] for name, field in self._asdict().items() if name != "structure"})


def read_contacts(structure: Structure, bodies: Bodies, contacts: Contacts, solver: str, substep: float) -> ContactForces:
    """Read the contacts of one world (arrays without world axis)."""
    count = contacts.number[PAIRS]
    slots = contacts.pair_slot[:count]
    touching = contacts.points[slots] > 0
    pair, slots = contacts.pair[:count][touching].copy(), slots[touching]
    rotation = bodies.rotation[pair[:, 0]].reshape(-1, 3, 3)
    live = np.arange(4) < contacts.points[slots, None]
    point = bodies.seen[pair[:, 0], None, :3] + np.einsum("cij,cpj->cpi", rotation, contacts.anchor[slots, :, :3])
    parts = contacts.friction[slots, 4] if solver == "block" else (contacts.friction[slots, :4] * live[..., None]).sum(axis=1)
    return ContactForces(
        pair=pair,
        normal=np.einsum("cij,cj->ci", rotation, contacts.frame[slots, :3]),
        point=np.where(live[..., None], point, np.nan),
        normal_force=np.where(live, contacts.impulse[slots], 0.0) / substep,
        friction=np.einsum("cij,cj->ci", rotation, parts) / substep,
        structure=structure,
    )
