"""Worlds that tests build, and the kernels that they call one by one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats
from anastylosis.kernel import entry
from anastylosis.physics import EngineConfig, Simulation
from anastylosis.physics.box_box import separate_boxes
from anastylosis.physics.model import world_view
from anastylosis.physics.step import collide
from anastylosis.physics.sync import begin_call
from anastylosis.structure import Blocks, Floor, Structure, jenga_tower

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
BLOCK = (0.081, 0.026, 0.018)  # the Jenga block [m]
MASS = 0.0196  # and its mass [kg]
G = 9.81  # [m/s^2]
WEIGHTLESS = EngineConfig(gravity=(0.0, 0.0, 0.0))
CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T / 2  # of the unit cube


def box_structure(
    size: ArrayLike,
    position: ArrayLike,
    orientation: ArrayLike | None = None,
    *,
    mass: ArrayLike = MASS,
    friction: float = 0.4,
    restitution: float = 0.1,
    fixed: Sequence[bool] | None = None,
) -> Structure:
    """Boxes `b0`, `b1`, ... anywhere, on a floor of the same friction."""
    position = np.array(position, float)
    count = len(position)
    return Structure(
        blocks=Blocks(
            size=np.broadcast_to(size, (count, 3)), mass=np.broadcast_to(mass, count), friction=np.full(count, friction),
            restitution=np.full(count, restitution), fixed=np.zeros(count, bool) if fixed is None else np.array(fixed),
        ),
        ids=tuple(f"b{i}" for i in range(count)),
        course=np.zeros(count, int),
        position=position,
        orientation=np.broadcast_to(UPRIGHT, (count, 4)) if orientation is None else orientation,
        floor=Floor(friction=friction, restitution=restitution),
    )  # fmt: skip


def turn(axis: ArrayLike, angle: float) -> Floats:
    """The quaternion of a turn by `angle` [rad] about a world axis."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * unit])


def multiply(p: ArrayLike, q: ArrayLike) -> Floats:
    """Quaternion product: q first, then p."""
    (a, *u), (w, *v) = p, q
    return np.concatenate([[a * w - np.dot(u, v)], a * np.array(v) + w * np.array(u) + np.cross(u, v)])


def matrix(q: ArrayLike) -> Floats:
    """Rotation matrix of a unit quaternion, by turning the three axes: v + 2 w (u x v) + 2 u x (u x v)."""
    w, u = np.asarray(q, float)[0], np.asarray(q, float)[1:]
    axes = np.eye(3)
    return (axes + 2 * w * np.cross(u, axes) + 2 * np.cross(u, np.cross(u, axes))).T


def corners(size: ArrayLike, position: ArrayLike, orientation: ArrayLike) -> Floats:
    """(8, 3) world positions of a box's corners [m]."""
    return np.asarray(position) + (CORNERS * size) @ matrix(orientation).T


def random_turns(rng: np.random.Generator, count: int) -> Floats:
    """(count, 4) unit quaternions, any orientation as likely as any other."""
    q = rng.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def views(simulation: Simulation, world: int = 0) -> tuple:
    """model, state, bodies, contacts, rows of one world, as the kernels see them."""
    parts = (simulation.model, simulation.state, simulation._bodies, simulation._contacts, simulation._rows)
    return tuple(world_view(part, world) for part in parts)


@entry
def begin(model, state, control, bodies, contacts):
    """`begin_call`, callable from Python."""
    begin_call(model, state, control, bodies, contacts)


def collide_once(simulation: Simulation) -> None:
    """Find the contacts of world 0 as it stands; nothing moves."""
    model, state, bodies, contacts, rows = views(simulation)
    begin(model, state, world_view(simulation.control, 0), bodies, contacts)
    collide(model, state, bodies, contacts, rows, simulation._stepper.settings)


@entry
def separate(position, rotation, half, a, b, margin, previous):
    """`separate_boxes`, callable from Python."""
    return separate_boxes(position, rotation, half, a, b, margin, previous)


def net_forces(simulation: Simulation) -> Floats:
    """(B, 3) sum of the contact forces on each block [N]."""
    contacts = simulation.contacts()
    total = np.zeros((simulation.state.position.shape[1] + 1, 3))
    force = contacts.normal * contacts.normal_force.sum(axis=1)[:, None] + contacts.friction
    np.add.at(total, contacts.pair[:, 0], -force)
    np.add.at(total, contacts.pair[:, 1], force)
    return total[:-1]


def kick(simulation: Simulation, seeds: Sequence[int], speed: float = 0.3) -> Simulation:
    """Give every block of world i its own velocity and spin, drawn from seed i."""
    for world, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        shape = simulation.state.velocity.shape[1:]
        simulation.state.velocity[world] = rng.normal(0, speed, shape)
        simulation.state.angular_velocity[world] = rng.normal(0, 10 * speed, shape)
    return simulation


def falling_tower(layers: int = 6, seed: int = 0) -> Simulation:
    """A smooth tower without two blocks of its second layer, kicked: it collapses."""
    tower = jenga_tower(layers, friction=0.25).without("L01_0", "L01_1")
    return kick(Simulation(tower), [seed])


def hash_of_small_tower(seed: int) -> str:
    """State hash of one kicked two-layer tower after 0.1 s: what a worker process is asked for."""
    simulation = kick(Simulation(jenga_tower(2)), [seed])
    simulation.run(0.1)
    return simulation.state_hash()
