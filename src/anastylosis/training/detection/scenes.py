"""Scenes: debris and its pictures, drawn on the fly from any side, in any light."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats, Vector
from anastylosis.assignment import FELL_DISTANCE
from anastylosis.dataset import BlockSizes, Examples
from anastylosis.detection.detections import BoxProposals, join_proposals, mirror_proposals, tower_slots
from anastylosis.detection.view import FOOTPRINT, REACH, View, normalise, scale_camera
from anastylosis.errors import InvalidConfig
from anastylosis.geometry import find_corners, make_matrices, make_rotations, to_quaternions
from anastylosis.rendering import (
    Camera,
    draw_photograph,
    frame_points,
    make_look,
    random_domain,
    random_photograph,
    render_image,
)
from anastylosis.structure import BLOCK_SIZE, BLOCKS_PER_COURSE
from anastylosis.training.detection.piles import drop_pile
from anastylosis.training.detection.scores import match_blocks

MADE = 0.02  # share by which blocks may differ from the size that they are meant to have
LOW = 0.019  # [m] the middle of a block that lies or stands on its long side on the floor is lower
TWIST, LEAN, SHIFT = math.radians(50), math.radians(3), 0.02  # [rad], [rad], [m] by which the upper part of a tower has moved
HALF = BLOCK_SIZE[0] / 2  # [m] of a course: what leans stands on an edge
CLEAR = 0.13  # [m] what lies further from the middle of a tower is in no block of it
RIM, NEAREST = 24, 0.15  # points of a circle on the floor; [m] its radius


@dataclass(frozen=True, kw_only=True)
class SceneRecipe:
    """Settings of scenes and their pictures."""

    elevation: tuple[float, float] = (math.radians(14), math.radians(80))  # of the camera, above the floor
    field_of_view: tuple[float, float] = (math.radians(18), math.radians(60))
    margin: tuple[float, float] = (0.02, 0.15)  # share of the picture left free around the blocks
    foot: float = FOOTPRINT  # [m] that a pixel covers
    scale: tuple[float, float] = (0.85, 1.15)  # how far that is off
    blur: float = 1.0  # [pixels] at most
    domain: float = (
        0.65  # share of the others with plain floors of any tone, in any light; the rest is wood, as `render` draws it
    )
    thinned: float = 0.3  # share of which only some blocks are left
    thinned_first: float = 0.9  # the same at the beginning
    thinned_epochs: int = 30  # until which it falls
    twisted: float = 0.06  # share in which nothing fell yet, and all above a course has turned as one
    piled: float = 0.15  # share in which blocks were poured out instead
    mirrored: float = 0.5  # share in a mirror
    sized: float = 0.5  # share of piles whose blocks have proportions of their own
    photographed: float = 0.6  # share drawn as photographs: floors, rooms, things, lamps and faults of families to train on
    antialias: tuple[int, ...] = (1, 2)  # rays along a pixel's side, one or the other

    def __post_init__(self) -> None:
        if self.thinned_epochs < 1 or self.foot <= 0:
            raise InvalidConfig(f"thinned_epochs is {self.thinned_epochs} and foot {self.foot} m; both are above 0")
        for name in ("domain", "thinned", "thinned_first", "twisted", "piled", "mirrored", "sized", "photographed"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it is a share, 0..1")
        if self.twisted + self.piled > 1:
            raise InvalidConfig(f"twisted is {self.twisted} and piled {self.piled}; together they are a share, 0..1")

    def thin_share(self, epoch: int | None) -> float:
        """Return the share of scenes that are thinned in an epoch; None: at the end."""
        done = 1.0 if epoch is None else min(1.0, epoch / self.thinned_epochs)
        return self.thinned_first + (self.thinned - self.thinned_first) * done


class DebrisScene(NamedTuple):
    """Blocks of one scene, and which of them fell. Lengths are scaled so that a block is as long as the paper's."""

    blocks: BoxProposals
    fell: NDArray[np.bool_]  # (B,)
    seed: int

    @property
    def size(self) -> Floats:
        """Return the sides (3,) of a usual block [m]."""
        usual = np.median(self.blocks.size, axis=0)
        near = np.abs(usual / BLOCK_SIZE - 1) < MADE  # blocks vary about the size that they are meant to have
        return np.where(near.all(), BLOCK_SIZE, usual)

    @property
    def block(self) -> Vector:
        """Return `size` as three numbers [m]."""
        length, width, height = self.size.tolist()
        return length, width, height


class LabelledView(NamedTuple):
    """A picture, and the block of every pixel."""

    view: View
    ids: NDArray[np.int32]  # (H, W) row of the block, -1: none


def open_scene(examples: Examples, row: int) -> DebrisScene:
    """Return the debris of one episode."""
    size, stood, lies = scale_fall(examples, row)
    there = np.flatnonzero(np.isfinite(lies[:, 0]) & (np.hypot(lies[:, 0], lies[:, 1]) < REACH))
    blocks = BoxProposals(size[there], lies[there, :3], make_matrices(lies[there, 3:]))
    way = np.linalg.norm(lies[there, :3] - stood[there, :3], axis=1)
    return DebrisScene(blocks, ~(way <= FELL_DISTANCE), int(examples.seed[row]))


def scale_fall(examples: Examples, row: int) -> tuple[Floats, Floats, Floats]:
    """Return sizes (B, 3) and poses (B, 7) before and after a fall, scaled so that a block is as long as the paper's."""
    size, stood, lies = examples.size[row], examples.stood[row], examples.lies[row]
    share = float(np.nanmedian(size[:, 0])) / BLOCK_SIZE[0]
    if abs(share - 1) < MADE:
        return size, stood, lies
    lengths = np.array([1 / share] * 3 + [1.0] * 4)
    return size / share, stood * lengths, lies * lengths


def open_pile(rng: np.random.Generator, sized: float = 0.0) -> DebrisScene:
    """Return a pile: all its blocks fell, except any that happens to lie where a slot is.

    `sized`: how often its blocks have proportions of their own.
    """
    blocks = drop_pile(rng, draw_size(rng) if rng.random() < sized else BLOCK_SIZE)
    scene = DebrisScene(blocks, np.ones(len(blocks.size), bool), int(rng.integers(2**32)))
    return scene._replace(fell=find_displaced(blocks, scene.size))


def draw_size(rng: np.random.Generator) -> Vector:
    """Draw the proportions of a block that is as long as the paper's."""
    length, width, height = BlockSizes().draw(rng)
    share = BLOCK_SIZE[0] / length
    return BLOCK_SIZE[0], share * width, share * height


def find_displaced(blocks: BoxProposals, size: Floats) -> NDArray[np.bool_]:
    """Return (B,) blocks that are in no slot of a tower of blocks of this size (3,), nor near enough to be found there."""
    return ~np.isin(np.arange(len(blocks.size)), match_blocks(tower_slots(size), blocks).true)


def draw_scene(examples: Examples, recipe: SceneRecipe, rng: np.random.Generator) -> DebrisScene:
    """Draw the debris of any episode, a tower that is about to fall, or a pile."""
    row, kind = int(rng.integers(len(examples))), rng.random()
    if kind < recipe.twisted:
        scene = twist(examples, row, rng)
    elif kind < recipe.twisted + recipe.piled:
        scene = open_pile(rng, recipe.sized)
    else:
        scene = open_scene(examples, row)
    return mirror(scene) if rng.random() < recipe.mirrored else scene


def mirror(scene: DebrisScene) -> DebrisScene:
    """Return the scene mirrored."""
    return scene._replace(blocks=mirror_proposals(scene.blocks))


def twist(examples: Examples, row: int, rng: np.random.Generator) -> DebrisScene:
    """Return the tower of an episode just before its fall, its upper part turned and leaning as one, and still standing.

    Around it lie blocks where they came to rest.
    """
    size, stood, lies = scale_fall(examples, row)
    there = np.flatnonzero(np.isfinite(stood[:, 0]) & (examples.slot[row] >= 0))
    strewn = np.flatnonzero(
        (lies[:, 2] < LOW) & (np.hypot(lies[:, 0], lies[:, 1]) > CLEAR) & (np.hypot(lies[:, 0], lies[:, 1]) < REACH)
    )
    tower = turn_upper(stood[there], examples.slot[row, there] // BLOCKS_PER_COURSE, rng)
    around = BoxProposals(size[strewn], lies[strewn, :3], make_matrices(lies[strewn, 3:]))
    blocks = join_proposals([BoxProposals(size[there], *tower), around])
    scene = DebrisScene(blocks, np.ones(len(blocks.size), bool), int(examples.seed[row]))
    return scene._replace(fell=find_displaced(blocks, scene.size))


def turn_upper(poses: Floats, course: NDArray[np.int64], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return places (B, 3) and axes of the blocks (B, 7) of a tower whose courses from one on have moved as one."""
    position, axes = poses[:, :3].copy(), make_matrices(poses[:, 3:])
    filled = np.unique(course)
    above = course >= filled[rng.integers(1, len(filled))]  # not the lowest
    lean = rng.uniform(-LEAN, LEAN, 2)
    turn = make_rotations(np.array([[*lean, 0.0], [0.0, 0.0, rng.uniform(-TWIST, TWIST)]]))
    foot = np.append(position[above, :2].mean(axis=0), position[above, 2].min())
    lifted = np.array([*rng.uniform(-SHIFT, SHIFT, 2), np.abs(lean).sum() * HALF])
    position[above] = (position[above] - foot) @ (turn[0] @ turn[1]).T + foot + lifted
    axes[above] = turn[0] @ turn[1] @ axes[above]
    return position, axes


def thin_out(scene: DebrisScene, rng: np.random.Generator) -> DebrisScene:
    """Return the scene cut off at a height, so that no block is left in the air; some of the lowest are gone, too.

    Blocks by themselves show best what a block looks like.
    """
    height = scene.blocks.position[:, 2]
    low = height < LOW
    some = rng.random(len(low)) < rng.uniform(0.1, 0.9)
    kept = low & some if rng.random() < 0.5 else height < rng.uniform(LOW, max(LOW, height.max()))
    if not kept.any():
        kept[height.argmin()] = True
    return DebrisScene(scene.blocks.take(kept), scene.fell[kept], scene.seed)


def draw_camera(scene: DebrisScene, recipe: SceneRecipe, rng: np.random.Generator) -> Camera:
    """Draw a camera that has all blocks in its picture."""
    low, high = np.sin(recipe.elevation)  # even on the sphere
    framed = frame_points(
        np.concatenate([list_corners(scene.blocks), surround(scene.blocks)]), elevation=math.asin(rng.uniform(low, high)),
        azimuth=rng.uniform(0, 2 * math.pi), field_of_view=rng.uniform(*recipe.field_of_view), margin=rng.uniform(*recipe.margin),
    )  # fmt: skip
    return scale_camera(framed, math.dist(framed.eye, framed.target) * rng.uniform(*recipe.scale), recipe.foot)


def surround(blocks: BoxProposals) -> Floats:
    """Return (N, 3) a circle on the floor: a single block is not photographed from as near as it could be."""
    turn = np.linspace(0, 2 * math.pi, RIM, endpoint=False)
    middle = blocks.position[:, :2].mean(axis=0)
    return np.column_stack([middle[0] + NEAREST * np.cos(turn), middle[1] + NEAREST * np.sin(turn), np.zeros(RIM)])


def list_corners(blocks: BoxProposals) -> Floats:
    """Return (8 B, 3) the corners of the blocks [m]."""
    return find_corners(blocks.position, blocks.size, blocks.axes).reshape(-1, 3)


def draw_shot(scene: DebrisScene, camera: Camera, recipe: SceneRecipe, rng: np.random.Generator) -> LabelledView:
    """Draw a picture of debris."""
    if rng.random() < recipe.photographed:
        return draw_photographed(scene, camera, recipe, rng)
    look, sensor = make_look("wood", int(rng.integers(2**32))), None
    if rng.random() < recipe.domain:
        _, look, sensor = random_domain(rng)
        sensor = replace(sensor, blur=rng.uniform(0, recipe.blur))
    image = render_image(
        scene.blocks.size, scene.blocks.position, to_quaternions(scene.blocks.axes), camera, look,
        antialias=int(rng.choice(recipe.antialias)), shadows="soft", ids=True, sensor=sensor,
    )  # fmt: skip
    assert image.ids is not None
    return LabelledView(View(normalise(image.rgb), camera), image.ids)


def draw_photographed(scene: DebrisScene, camera: Camera, recipe: SceneRecipe, rng: np.random.Generator) -> LabelledView:
    """Draw a picture of debris as people take them: on any floor, in any light."""
    taken = find_circles(scene.blocks)
    photograph = random_photograph(rng, taken, distance=math.dist(camera.eye, camera.target))
    image = draw_photograph(
        scene.blocks.size, scene.blocks.position, to_quaternions(scene.blocks.axes), camera, photograph,
        int(rng.choice(recipe.antialias)),
    )  # fmt: skip
    assert image.ids is not None
    return LabelledView(View(normalise(image.rgb), camera), image.ids)


def find_circles(blocks: BoxProposals) -> Floats:
    """Return circles (B, 3) of the floor within which blocks are: x, y and radius [m]."""
    return np.column_stack([blocks.position[:, :2], np.linalg.norm(blocks.size, axis=1) / 2])
