"""The Jenga tower: courses of three, each turned a quarter against the one below."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Vector
from anastylosis.errors import InvalidStructure
from anastylosis.structure.blocks import Blocks, Floor
from anastylosis.structure.structure import Structure

BLOCK_SIZE = (0.081, 0.026, 0.018)  # length, width, height [m]. Paper, appendix A; South (2003)
SHOP_BLOCK_SIZE = (0.075, 0.025, 0.015)  # as its maker says; 77.3 x 24.9 x 14.8 mm were measured
BLOCKS_PER_COURSE = 3
CLEARANCE = 0.0015  # [m] between neighbours of a course, where flush outer faces would leave less than `CLEARANCE_MIN`
CLEARANCE_MIN = 0.0005  # [m]; the paper's blocks leave 1.5 mm, blocks thrice as long as wide none
BLOCK_MASS = 0.0196  # [kg]. Paper, appendix A; South (2003)
BLOCK_RESTITUTION = 0.10  # Paper, appendix A: estimated, hardwood
BLOCK_MIN, BLOCK_MAX = 1e-4, 100.0  # [m] of a side
LONGER = 0.05  # share of a block's length by which a course may stand out over the one below
LAYERS_MAX = 1000  # beyond this a "tower" is a typing error
BLOCKS_MAX = 3_000  # of a tower: `BLOCKS_PER_COURSE` in each of `LAYERS_MAX` courses

QUARTER_TURN = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))


def jenga_tower(
    layers: int = 18,
    *,
    size: Vector = BLOCK_SIZE,
    friction: float = 0.40,
    restitution: float = BLOCK_RESTITUTION,
    floor: Floor | None = None,
    tolerance: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Structure:
    """Build a standing tower of `layers` courses; ids `L00_0` .. `L17_2` (course, place).

    Even courses lie along world x, odd ones along y. `size`: length, width and height of a block [m]. The three blocks of
    a course are spread so that the outer faces are flush with the ends of the next course: the paper's blocks leave 1.5 mm
    between neighbours. Blocks that leave less are spread by `CLEARANCE`, and stand out a little.
    `tolerance` [m] is the standard deviation of each block's width and height, cut at two deviations,
    drawn from `rng`: the loose and tight blocks of the real game. Mass follows volume.
    """
    if not isinstance(layers, int | np.integer) or not 1 <= layers <= LAYERS_MAX:
        raise InvalidStructure(f"layers is {layers!r}; a tower has a whole number of them, 1..{LAYERS_MAX}")
    length, width, height = check_block_size(size)
    count = BLOCKS_PER_COURSE * layers
    sizes = np.tile((length, width, height), (count, 1))
    if tolerance:
        if not 0 < tolerance <= 0.001:
            raise InvalidStructure(f"tolerance is {tolerance} m; block sizes vary by 0..0.001 m")
        if rng is None:
            raise InvalidStructure("a size tolerance needs a random generator: pass rng=np.random.default_rng(seed)")
        sizes[:, 1:] += tolerance * np.clip(rng.standard_normal((count, 2)), -2, 2)

    place = (np.arange(BLOCKS_PER_COURSE) - 1) * space_places(length, width)
    position = np.zeros((count, 3))
    orientation = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    base = 0.0
    for layer in range(layers):
        rows = slice(BLOCKS_PER_COURSE * layer, BLOCKS_PER_COURSE * (layer + 1))
        position[rows, 1 if layer % 2 == 0 else 0] = place
        position[rows, 2] = base + sizes[rows, 2] / 2
        if layer % 2:
            orientation[rows] = QUARTER_TURN
        base += sizes[rows, 2].max()

    return Structure(
        blocks=Blocks(
            size=sizes,
            mass=BLOCK_MASS * sizes.prod(axis=1) / np.prod(BLOCK_SIZE),
            friction=np.full(count, friction),
            restitution=np.full(count, restitution),
        ),
        ids=tuple(f"L{layer:02d}_{index}" for layer in range(layers) for index in range(BLOCKS_PER_COURSE)),
        course=np.repeat(np.arange(layers), BLOCKS_PER_COURSE),
        position=position,
        orientation=orientation,
        floor=floor or Floor(friction=friction, restitution=restitution),
    )


def space_places(length: float, width: float) -> float:
    """Return how far the middles of neighbours in a course are apart [m]."""
    flush = (length - width) / 2
    return flush if flush >= width + CLEARANCE_MIN else width + CLEARANCE


def check_block_size(size: Vector) -> Vector:
    """Return length, width and height of a block; raise for what no tower of crossed courses can be built of."""
    sides = np.asarray(size, np.float64)
    if sides.shape != (3,) or not np.isfinite(sides).all() or not 0 < sides[2] <= sides[1] <= sides[0]:
        raise InvalidStructure(f"block size is {size!r}; give length, width and height in metres, the longest side first")
    length, width, height = (float(side) for side in sides)
    if height < BLOCK_MIN or length > BLOCK_MAX:
        raise InvalidStructure(f"block size is {size!r} m; sides are {BLOCK_MIN:g} to {BLOCK_MAX:g} m long")
    if BLOCKS_PER_COURSE * width > (1 + LONGER) * length:
        raise InvalidStructure(
            f"block size is {size!r} m; {BLOCKS_PER_COURSE} blocks side by side are {BLOCKS_PER_COURSE * width:g} m wide, and "
            f"those below them {length:g} m long: no tower of crossed courses"
        )
    return length, width, height


def mirror_slots(slot: NDArray[np.int64], along_x: int, along_y: int) -> NDArray[np.int64]:
    """Return the slots (...) of a tower that slots (...) become in a mirror; -1: that coordinate changes its sign.

    Places run along y in even courses and along x in odd ones, so a mirror reverses the order in one kind of course.
    """
    course, place = np.divmod(slot, BLOCKS_PER_COURSE)
    turned = np.where(course % 2 == 0, along_y, along_x) < 0
    return np.asarray(BLOCKS_PER_COURSE * course + np.where(turned, BLOCKS_PER_COURSE - 1 - place, place))
