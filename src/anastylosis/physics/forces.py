"""Forces: what the contacts of a world carried in its last substep, for people to read."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.physics.contacts import PAIRS, Contacts
from anastylosis.physics.model import Bodies

__all__ = ["ContactForces", "read_contacts"]

Floats = NDArray[np.float64]


class ContactForces(NamedTuple):
    """C touching pairs. The force on b is normal * normal_force.sum() + friction; a feels the opposite."""

    pair: NDArray[np.int64]  # (C, 2) blocks a < b; b = number of blocks: the floor
    normal: Floats  # (C, 3) from a to b, world frame
    point: Floats  # (C, 4, 3) contact points, world frame [m]; NaN where there is none
    normal_force: Floats  # (C, 4) at each point [N]; 0 where there is none
    friction: Floats  # (C, 3) friction force of the pair, world frame [N]

    def on_block(self, block: int) -> "ContactForces":
        """The contacts of one block, by its row."""
        if not isinstance(block, int | np.integer):
            raise InvalidInput(f"block is {block!r}; give its row, structure.index(id)")
        rows = (self.pair == block).any(axis=1)
        return ContactForces(*(field[rows] for field in self))


def read_contacts(bodies: Bodies, contacts: Contacts, solver: str, substep: float) -> ContactForces:
    """The contacts of one world (arrays without world axis)."""
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
    )
