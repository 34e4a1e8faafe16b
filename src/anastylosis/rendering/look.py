"""Look: material of the blocks, floor and light. Nothing in it gives a slot away.

Colours are sRGB, 0..1. Tones and grain are drawn for each block from the look's seed alone, so that no row, slot or
layer has a tone of its own. With one seed for many pictures the tones of a row would be the same in all of
them and give the row away: take a seed of its own for every episode, and the same one throughout a film.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Colour, Floats
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.grain import PLAIN, STONE, WOOD

MATERIALS = {"plain": PLAIN, "wood": WOOD, "stone": STONE}
# Lengths of the look follow the blocks: shares of the median smallest side (18 mm in the game).
NEARNESS = 1.5  # how far a block hides the sky from others
EDGE_WIDTH = 0.06  # how wide a darker edge is
GAME_SIDE = 0.018  # [m] the smallest side for which the grain is made
TABLE = 8192  # steps of linear light in the table of the sRGB curve; the darkest step is 0.4 of a byte


@dataclass(frozen=True, kw_only=True)
class Look:
    """Material, floor and light of a picture."""

    seed: int  # of the blocks' tones and grain
    material: str = "wood"  # wood, stone or plain
    colour: Colour = (0.80, 0.62, 0.42)  # mean of the blocks
    tone_spread: float = 0.12  # standard deviation of a block's brightness, relative
    warmth_spread: float = 0.035  # standard deviation of red against blue, relative
    grain: float = 0.22  # contrast of the grain, 0..1
    edge: float = 0.45  # how much darker edges are, 0..1
    floor: Colour = (0.78, 0.77, 0.75)
    backdrop: Colour = (0.82, 0.82, 0.81)  # behind the floor, and where it fades to
    fade: float = 0.5  # where the floor begins to turn into backdrop, in distances of the camera; gone at four times that
    light_azimuth: float = math.radians(-35.0)  # where the light comes from, from world x [rad]
    light_elevation: float = math.radians(52.0)  # above the floor [rad]
    light_radius: float = math.radians(1.6)  # of its disc, as seen from the scene: soft shadows [rad]
    ambient: float = 0.42  # share of the sky in the light on an open floor, 0..1
    sunlight: Colour = (1.0, 0.97, 0.91)  # colour of the light
    skylight: Colour = (0.97, 0.98, 1.0)  # colour of the sky
    occlusion: float = 0.65  # how much of the sky a near block hides, 0..1
    exposure: float = 0.0  # stops: +1 is twice the light

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise InvalidConfig(f"seed is {self.seed!r}; it must be a whole number, 0 or more")
        if self.material not in MATERIALS:
            raise InvalidConfig(f"material is {self.material!r}; choose one of {', '.join(MATERIALS)}")
        for name in ("colour", "floor", "backdrop", "sunlight", "skylight"):
            object.__setattr__(self, name, check_colour(getattr(self, name), name))
        for name, low, high in (
            ("tone_spread", 0, 0.5), ("warmth_spread", 0, 0.5), ("grain", 0, 1), ("edge", 0, 1), ("fade", 0.1, 1000),
            ("light_azimuth", -10, 10), ("light_elevation", math.radians(15), math.pi / 2), ("light_radius", 0, math.radians(8)),
            ("ambient", 0, 1), ("occlusion", 0, 1), ("exposure", -5, 5),
        ):  # fmt: skip
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} is {value}; it must be in {low:.4g}..{high:.4g}")


def wood_look(seed: int) -> Look:
    """Return bright hardwood on a pale table, every block of its own tone and grain."""
    return Look(seed=seed)


def stone_look(seed: int) -> Look:
    """Return limestone on sand."""
    return Look(
        seed=seed, material="stone", colour=(0.72, 0.69, 0.62), tone_spread=0.10, warmth_spread=0.04, grain=0.55, edge=0.55,
        floor=(0.74, 0.69, 0.60), backdrop=(0.82, 0.80, 0.76), ambient=0.36,
        sunlight=(1.0, 0.95, 0.86), skylight=(0.94, 0.97, 1.0),
    )  # fmt: skip


def paper_look() -> Look:
    """Return the paper's plain look: all blocks alike, on white, with outlines and without grain; best in grey."""
    return Look(
        seed=0, material="plain", colour=(0.87, 0.75, 0.58), tone_spread=0.0, warmth_spread=0.0, grain=0.0, edge=0.9,
        floor=(0.96, 0.96, 0.96), backdrop=(0.96, 0.96, 0.96), ambient=0.4, sunlight=(1, 1, 1), skylight=(1, 1, 1), occlusion=0.0,
    )  # fmt: skip


LOOKS: Mapping[str, Callable[[int], Look]] = {"wood": wood_look, "stone": stone_look, "paper": lambda seed: paper_look()}


def make_look(name: str, seed: int) -> Look:
    """Return the look of this name, with tones and grain that the seed of an episode decides."""
    if name not in LOOKS:
        raise InvalidInput(f"look is {name!r}; choose one of {', '.join(LOOKS)}")
    return LOOKS[name](seed % 2**32)


class Paint(NamedTuple):
    """Look for the boxes of one scene, as the kernels want it: linear light."""

    material: int
    tone: Floats  # (N, 3) colour of each box
    grain: Floats  # (N,) contrast
    seed: Floats  # (N, 6) where in the trunk or the rock each was cut
    fineness: float  # the game's smallest side over that of these blocks
    edge: float
    edge_width: float  # [m]
    floor: Floats  # (3,)
    backdrop: Floats  # (3,)
    middle: Floats  # (2,) from where the floor fades [m]
    fade: float  # where it begins to, and a quarter of where it is gone [m]
    sunlight: float
    sun: Floats  # (3,)
    sky: Floats  # (3,)
    bounce: Floats  # (3,) light from below
    occlusion: float
    nearness: float  # [m]
    exposure: float


def check_colour(values: ArrayLike, name: str) -> Colour:
    colour = np.asarray(values, np.float64)
    if colour.shape != (3,) or not ((colour >= 0) & (colour <= 1)).all():
        raise InvalidConfig(f"{name} is {values!r}; a colour is three numbers, red, green and blue, in 0..1")
    return float(colour[0]), float(colour[1]), float(colour[2])


def srgb_to_linear(colour: ArrayLike) -> Floats:
    """Convert sRGB values to linear light, 0..1 both (IEC 61966-2-1)."""
    value = np.asarray(colour, np.float64)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def srgb_table() -> NDArray[np.uint8]:
    """Return the sRGB bytes of linear light 0..1, in equal steps."""
    linear = np.linspace(0.0, 1.0, TABLE)
    value = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(255 * value).astype(np.uint8)


def block_side(sizes: ArrayLike) -> float:
    """Return the median smallest side [m] of all blocks, present or not: equal in every frame of a film."""
    smallest = np.sort(np.min(np.asarray(sizes, np.float64), axis=1))
    return float(smallest[len(smallest) // 2])


def mix_paint(
    look: Look, row: NDArray[np.int32], count: int, side: float, camera: Camera, colours: Mapping[int, ArrayLike]
) -> Paint:
    """Mix the paint of these rows of a scene of `count` blocks; `colours` are those of chosen rows."""
    direct = 1.0 - look.ambient
    mean, floor, backdrop, sun, sky = srgb_to_linear((look.colour, look.floor, look.backdrop, look.sunlight, look.skylight))
    sky = look.ambient * sky
    # Drawn for all rows, so that a block keeps its tone when others are taken away.
    rng = np.random.default_rng((look.seed, MATERIALS[look.material]))
    brightness = 1 + look.tone_spread * np.clip(rng.standard_normal(count), -2.5, 2.5)
    warmth = look.warmth_spread * np.clip(rng.standard_normal(count), -2.5, 2.5)
    places = rng.uniform(-1, 1, (count, 6)) * (0.10, 0.10, 0.06, 0.06, 40.0, 40.0)
    tone = mean * brightness[:, None] * (1 + warmth[:, None] * (1.0, 0.0, -1.5))
    grain = np.full(count, look.grain)
    for one, colour in colours.items():
        if not isinstance(one, int | np.integer) or not 0 <= one < count:
            raise InvalidInput(f"a colour is given for block {one!r}; rows are 0..{count - 1}")
        tone[one] = srgb_to_linear(check_colour(colour, f"the colour of block {one}"))
        grain[one] *= 0.5  # what the colour says is read more easily
    return Paint(
        material=MATERIALS[look.material],
        tone=np.clip(tone, 0.0, 1.0)[row],
        grain=grain[row],
        seed=places[row],
        fineness=GAME_SIDE / side,
        edge=look.edge,
        edge_width=EDGE_WIDTH * side,
        floor=floor,
        backdrop=backdrop,
        middle=np.array(camera.target[:2]),
        fade=look.fade * math.dist(camera.eye, camera.target),
        sunlight=direct / math.sin(look.light_elevation),  # an open floor is as bright as its colour
        sun=sun,
        sky=sky,
        bounce=0.6 * floor * (direct * sun + sky),
        occlusion=look.occlusion,
        nearness=NEARNESS * side,
        exposure=2.0**look.exposure,
    )
