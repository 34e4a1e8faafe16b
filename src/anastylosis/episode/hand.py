"""The hand: pulls one block out of the tower, through friction, and feels what that takes."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.episode.config import EpisodeConfig
from anastylosis.episode.pulls import Pull
from anastylosis.episode.recorder import Recorder
from anastylosis.physics import Simulation
from anastylosis.structure import Structure

Outcome = Literal["out", "stuck", "collapse"]

ACCELERATION = 2.0  # [m/s^2] of the hand: 0.04 N on a block of 20 g, little beside friction
GLANCE = 8  # steps between two looks at the block: 1/30 s, 7 mm of way
MOVING = 0.3  # slower than this share of the asked speed, at the largest force: it does not move
AT_LIMIT = 0.99  # share of the largest force from which the hand pulls as hard as it may
CLEARANCE = 1e-3  # [m] beyond its own size: the block has left the tower,
DRAGGED = 1.5  # unless the tower came along; after this many sizes of way the hand has it anyway
BACK = 5e-4  # [m] a block that got stuck within this way is where it was
SOFT = 4  # glances that the way back would take at its speed: it comes in ever slower, and does not overshoot


class Extraction(NamedTuple):
    """Result of a pull."""

    outcome: Outcome
    peak_force: float  # largest force of the hand [N], mean of a step
    work: float  # of the hand along its way [J]
    path: NDArray[np.float32]  # (K, 3) centre of the block, every step [m]
    forces: NDArray[np.float32]  # (K,) force of the hand at these steps [N]
    neighbour_displacement: float  # largest way of a block of this course or the ones above and below, meanwhile [m]


class Hand:
    """A servo on one block. It also carries the weight of the part that sticks out, as fingers do."""

    def __init__(self, recorder: Recorder, structure: Structure, pull: Pull, limit: float, speed: float) -> None:
        self.recorder, self.pull, self.limit, self.speed = recorder, pull, limit, speed
        self.simulation: Simulation = recorder.simulation
        tower = self.simulation.structures[0]
        self.row = tower.index(pull.block)
        self.axis = pull.direction(structure)
        self.size = float(tower.blocks.size[self.row, 0 if pull.axis == "y" else 1])
        self.weight = float(tower.blocks.mass[self.row]) * -self.simulation.config.gravity[2]
        self.start = self.position.copy()
        self.work = 0.0
        self.path, self.forces = [self.start[None]], [np.zeros(1)]

    @property
    def position(self) -> NDArray[np.float64]:
        """Centre (3,) of the block, now [m]."""
        return self.simulation.state.position[0, self.row]

    @property
    def way(self) -> float:
        """Return how far the block has come along the pull [m]."""
        return float(((self.position - self.start) * self.axis).sum())  # not `@`: BLAS gives other bits on other processors

    @property
    def glance(self) -> float:
        """Time between two looks at the block [s]."""
        return GLANCE * self.simulation.config.timestep

    def move(self, speed: float) -> bool:
        """Pull for one glance, or push back (`speed` < 0). Return False when it does not move at the largest force."""
        self.simulation.pull(self.pull.block, self.axis, speed, self.limit, acceleration=ACCELERATION)
        self._carry()
        before = self.way
        self._feel(GLANCE)
        hard = self.forces[-1].min() >= AT_LIMIT * self.limit
        return not (hard and np.sign(speed) * (self.way - before) < MOVING * abs(speed) * self.glance)

    def pause(self) -> None:
        """Pull no more for one step: the next move begins from rest, not from the speed of this one."""
        self.simulation.release(self.pull.block)
        self._feel(1)

    def _feel(self, steps: int) -> None:
        """Advance, and note the way, the force and the work of every step."""
        frames = self.recorder.run(steps, in_hand=self.row)
        force, path = frames.servo_force[:, self.row], frames.position[:, self.row]
        way = (np.diff(np.concatenate([self.path[-1][-1:], path]), axis=0) * self.axis).sum(axis=1)
        self.work += float((force * way).sum())
        self.path.append(path.copy())
        self.forces.append(np.abs(force))

    def _carry(self) -> None:
        """Bear the weight of what sticks out: an upward force at the middle of that part."""
        out = min(max(self.way / self.size, 0.0), 1.0)
        lift = np.array((0.0, 0.0, out * self.weight))
        arm = self.axis * self.size * (1.0 - out) / 2
        self.simulation.apply_force(self.pull.block, lift, np.cross(arm, lift))

    def has_it(self) -> bool:
        """Return True when the block is clear of the tower."""
        if self.way < self.size + CLEARANCE:
            return False
        contacts = self.simulation.contacts().on_block(self.row)
        with_blocks = contacts.pair[:, 1] < len(self.simulation.structures[0])  # the last body is the floor
        return self.way > DRAGGED * self.size or not contacts.normal_force[with_blocks].any()

    def let_go(self) -> None:
        """End the force on the block."""
        self.simulation.release(self.pull.block)
        self.simulation.apply_force(self.pull.block, (0.0, 0.0, 0.0))


def pull_block(recorder: Recorder, structure: Structure, pull: Pull, limit: float, config: EpisodeConfig) -> Extraction:
    """Pull until the block is clear (it is then taken away), stuck (it is put back), or the tower falls.

    `structure` holds the standing blocks where they are, `limit` is the largest force [N].
    """
    hand = Hand(recorder, structure, pull, limit, config.pull_speed)
    patience = max(1, round(config.stuck_time / hand.glance))
    stalled = 0
    while recorder.collapse is None and not hand.has_it() and stalled < patience:
        stalled = 0 if hand.move(hand.speed) else stalled + 1
    outcome: Outcome = "collapse" if recorder.collapse else "stuck" if stalled >= patience else "out"
    neighbours = displacement_of_neighbours(recorder, structure, pull)
    if outcome == "stuck":
        put_back(hand, patience)
    hand.let_go()
    if outcome == "out":
        recorder.simulation.remove(pull.block)
    if recorder.collapse:
        outcome = "collapse"
    path, forces = np.concatenate(hand.path).astype(np.float32), np.concatenate(hand.forces).astype(np.float32)
    return Extraction(outcome, float(forces.max()), hand.work, path, forces, neighbours)


def put_back(hand: Hand, patience: int) -> None:
    """Push a stuck block back to where it was, as far as that goes."""
    stalled = 0
    hand.pause()
    while hand.recorder.collapse is None and hand.way > BACK and stalled < patience:
        speed = min(hand.speed, hand.way / (SOFT * hand.glance))
        stalled = 0 if hand.move(-speed) else stalled + 1


def displacement_of_neighbours(recorder: Recorder, structure: Structure, pull: Pull) -> float:
    """Measure the largest way [m] since the round began of a block in the pulled one's course or the two beside it."""
    near = np.abs(structure.course - structure.course[structure.index(pull.block)]) <= 1
    tower = recorder.simulation.structures[0]
    rows = [tower.index(name) for name, close in zip(structure.ids, near, strict=True) if close and name != pull.block]
    way = recorder.simulation.state.position[0, rows] - recorder.start[0][rows]
    return float(np.linalg.norm(way, axis=1).max(initial=0.0))
