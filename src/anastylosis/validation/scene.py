"""Scenes: structures set in motion, the same for our engine and for every peer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import freeze
from anastylosis.errors import InvalidConfig
from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import BLOCK_MASS, BLOCK_SIZE, BLOCKS_PER_COURSE, Blocks, Floor, Structure, jenga_tower

GRAVITY = 9.81  # [m/s^2] what engine and peers are asked for, and what every expectation here uses
FRICTIONS = (0.25, 0.40, 0.60)  # low, nominal and high friction of `collapse_scenes`
WEAK_LAYER = 4  # the layer `tower_collapse` takes two blocks from: about 70 % of the tower then falls (PhysX, 3 seeds)
KICK_SPEED = 0.3  # [m/s] horizontal speed given to what stands above the weakened layer
YAW_SPEED_MAX = 1.0  # [rad/s] bound of its spin about the tower's axis: 0.06 m/s at a corner
FIELD_GAP = 0.015  # [m] between columns: at 6 mm PhysX and Rapier, which look 10 mm ahead, take 5..7 times longer


@dataclass(frozen=True, kw_only=True, eq=False)
class BenchScene:
    """A structure, how its blocks move at time 0, and how long to watch."""

    name: str
    structure: Structure
    velocity: NDArray[np.float64]  # (B, 3) of the centres of mass, world axes [m/s]
    angular_velocity: NDArray[np.float64]  # (B, 3) world axes [rad/s]
    seconds: float  # simulated time [s]

    def __post_init__(self) -> None:
        shape = (len(self.structure), 3)
        object.__setattr__(self, "velocity", freeze(self.velocity, "velocity", shape))
        object.__setattr__(self, "angular_velocity", freeze(self.angular_velocity, "angular_velocity", shape))
        if not 0 < self.seconds < np.inf:
            raise InvalidConfig(f"scene {self.name!r} lasts {self.seconds} s; give a finite time above 0 s")


def tower_rest() -> BenchScene:
    """Return the intact tower of 18 layers at rest, 2 s."""
    return still_scene("tower_rest", jenga_tower(18), seconds=2.0)


def tower_36() -> BenchScene:
    """Return an intact tower of 36 layers at rest, 1 s."""
    return still_scene("tower_36", jenga_tower(36), seconds=1.0)


def tower_collapse(seed: int = 0) -> BenchScene:
    """Return 18 layers without L04_0 and L04_1, those above kicked sideways: the tower falls and comes to rest, 2 s."""
    rng = np.random.default_rng([seed, 0])
    tower = jenga_tower(18).without(f"L{WEAK_LAYER:02d}_0", f"L{WEAK_LAYER:02d}_1")
    return kicked_scene("tower_collapse", tower, layer=WEAK_LAYER, speed=KICK_SPEED, rng=rng)


def collapse_scenes(count: int) -> list[BenchScene]:
    """Return `count` different collapses, 2 s each; scene i is the same whatever `count` is.

    The centre block and one side block of a layer are gone, which no tower survives, and up to two more
    blocks elsewhere. Kick 0.1..0.5 m/s in any horizontal direction; friction 0.25, 0.4, 0.6 in turn.
    """
    if count < 0:
        raise InvalidConfig(f"count is {count}; ask for 0 or more scenes")
    scenes = []
    for index in range(count):
        rng = np.random.default_rng([index, 1])
        layer = int(rng.integers(2, 12))
        gone = {f"L{layer:02d}_1", f"L{layer:02d}_{rng.choice((0, 2))}"}
        others = rng.permutation([other for other in range(1, 17) if other != layer])
        gone |= {f"L{other:02d}_{rng.integers(3)}" for other in others[: rng.integers(3)]}
        tower = jenga_tower(18, friction=FRICTIONS[index % len(FRICTIONS)]).without(*sorted(gone))
        scenes.append(kicked_scene(f"collapse_{index}", tower, layer=layer, speed=float(rng.uniform(0.1, 0.5)), rng=rng))
    return scenes


def batch_scenes(count: int) -> list[BenchScene]:
    """Return `count` towers of 52 blocks, 1 s each, to step as one batch; scene i is the same whatever `count` is.

    Two blocks of one layer are gone; friction 0.25..0.6 and kick 0..0.5 m/s: some towers fall, others stand.
    """
    if count < 0:
        raise InvalidConfig(f"count is {count}; ask for 0 or more scenes")
    scenes = []
    for index in range(count):
        rng = np.random.default_rng([index, 2])
        layer = int(rng.integers(2, 14))
        stays = int(rng.integers(BLOCKS_PER_COURSE))
        tower = jenga_tower(18, friction=float(rng.uniform(FRICTIONS[0], FRICTIONS[-1])))
        tower = tower.without(*(f"L{layer:02d}_{place}" for place in range(BLOCKS_PER_COURSE) if place != stays))
        speed = float(rng.uniform(0.0, 0.5))
        scenes.append(kicked_scene(f"batch_{index}", tower, layer=layer, speed=speed, rng=rng, seconds=1.0))
    return scenes


def field_2000() -> BenchScene:
    """Return 2,000 blocks at rest in 40 x 25 columns of two, 0.5 s: many small islands, few contacts each."""
    column, row, course = (axis.ravel() for axis in np.meshgrid(np.arange(40), np.arange(25), np.arange(2), indexing="ij"))
    count = len(course)
    length, width, height = BLOCK_SIZE
    field = Structure(
        blocks=Blocks(
            size=np.tile(BLOCK_SIZE, (count, 1)),
            mass=np.full(count, BLOCK_MASS),
            friction=np.full(count, 0.40),
            restitution=np.full(count, 0.10),
        ),
        ids=tuple(f"F{i:02d}_{j:02d}_{k}" for i, j, k in zip(column, row, course, strict=True)),
        course=course,
        position=np.stack([column * (length + FIELD_GAP), row * (width + FIELD_GAP), (course + 0.5) * height], axis=1),
        orientation=np.tile((1.0, 0.0, 0.0, 0.0), (count, 1)),
        floor=Floor(friction=0.40, restitution=0.10),
    )
    return still_scene("field_2000", field, seconds=0.5)


SCENES: dict[str, Callable[[], BenchScene]] = {
    "tower_rest": tower_rest,
    "tower_collapse": tower_collapse,
    "tower_36": tower_36,
    "field_2000": field_2000,
}


def start_scenes(scenes: Sequence[BenchScene], config: EngineConfig | None = None, threads: int | None = None) -> Simulation:
    """Start the scenes at time 0 in our engine, one world a scene."""
    simulation = Simulation([scene.structure for scene in scenes], config, threads=threads)
    for world, scene in enumerate(scenes):
        simulation.state.velocity[world], simulation.state.angular_velocity[world] = scene.velocity, scene.angular_velocity
    return simulation


def still_scene(name: str, structure: Structure, *, seconds: float) -> BenchScene:
    """Return `structure` with every block at rest."""
    still = np.zeros((len(structure), 3))
    return BenchScene(name=name, structure=structure, velocity=still, angular_velocity=still, seconds=seconds)


def kicked_scene(
    name: str, tower: Structure, *, layer: int, speed: float, rng: np.random.Generator, seconds: float = 2.0
) -> BenchScene:
    """Return `tower` with all above `layer` moving as one body at `speed` [m/s], in a direction and with a yaw from `rng`."""
    heading = rng.uniform(0, 2 * np.pi)
    yaw = np.array([0.0, 0.0, rng.uniform(-YAW_SPEED_MAX, YAW_SPEED_MAX)])
    kick = speed * np.array([np.cos(heading), np.sin(heading), 0.0])
    above = (tower.course > layer)[:, None]
    velocity = np.where(above, kick + np.cross(yaw, tower.position), 0.0)  # the tower's axis is x = y = 0
    return BenchScene(name=name, structure=tower, velocity=velocity, angular_velocity=np.where(above, yaw, 0.0), seconds=seconds)
