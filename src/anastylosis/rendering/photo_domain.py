"""Photographs of any kind: floors, rooms, lights, things, faults, drawn at random from families.

Families that are held out never appear in training: they tell how a model does on floors and things that it has not seen.
"""

import math
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.rendering.domain import STONES, WOODS, near_colour, random_colour
from anastylosis.rendering.floor import FLOORS
from anastylosis.rendering.lens import Exposure
from anastylosis.rendering.look import Colour, Look
from anastylosis.rendering.photograph import Lamp, Photograph
from anastylosis.rendering.scenery import Scenery
from anastylosis.rendering.sensor import Sensor
from anastylosis.rendering.things import FAMILIES, scatter_things

HELD_OUT_FLOORS = ("tiles", "cloth", "terrazzo")
HELD_OUT_THINGS = ("cup",)
WOODEN = ("boards", "parquet")


class PhotoFamilies(NamedTuple):
    """Families that photographs are drawn from."""

    floors: tuple[str, ...]
    things: tuple[str, ...]


TRAINING = PhotoFamilies(
    tuple(name for name in FLOORS if name not in HELD_OUT_FLOORS), tuple(name for name in FAMILIES if name not in HELD_OUT_THINGS)
)
HELD_OUT = PhotoFamilies(HELD_OUT_FLOORS, HELD_OUT_THINGS)


def random_photograph(
    rng: np.random.Generator, taken: Floats, *, held_out: bool = False, distance: float = 1.0, sharp: bool = False
) -> Photograph:
    """Draw a photograph. `taken` (N, 3): circles of the floor where blocks are, x, y, radius [m].

    `held_out`: of the families that no training sees. `distance` [m] of the camera, for its focus; `sharp`: without blur of any
    kind.
    """
    families = HELD_OUT if held_out else TRAINING
    look = draw_look(rng)
    painted = rng.random() < 0.12
    return Photograph(
        look=look,
        scenery=draw_scenery(rng, families, look.colour, taken),
        exposure=draw_exposure(rng, distance, sharp),
        lamps=tuple(draw_lamp(rng) for _ in range(int(rng.choice([0, 0, 0, 1])))),
        colours=tuple(map(tuple, rng.uniform(0.03, 0.97, (int(rng.integers(2, 7)), 3)))) if painted else (),
        things=scatter_things(rng, int(rng.choice([0, 0, 1, 2, 4, 7])), taken, families=families.things),
    )


def draw_look(rng: np.random.Generator) -> Look:
    """Draw blocks and a light."""
    material = str(rng.choice(["wood", "wood", "wood", "wood", "stone", "plain"]))
    kinds = STONES if material == "stone" else WOODS
    colour = near_colour(rng, kinds[int(rng.integers(len(kinds)))], 0.08)
    if rng.random() < 0.1:
        colour = random_colour(rng, 0.1, 0.95, 0.35)
    warmth = rng.uniform(-0.15, 0.15)
    return Look(
        seed=int(rng.integers(2**32)), material=material, colour=colour,
        tone_spread=rng.uniform(0.0, 0.2), warmth_spread=rng.uniform(0.0, 0.06),
        grain=rng.uniform(0.1, 0.6) if material == "stone" else rng.uniform(0.0, 0.4),
        edge=rng.uniform(0.0, 0.6), floor=(0.6, 0.6, 0.6), backdrop=(0.6, 0.6, 0.6),
        light_azimuth=rng.uniform(-math.pi, math.pi), light_elevation=math.radians(rng.uniform(20, 85)),
        light_radius=math.radians(rng.choice([rng.uniform(0.3, 2.0), rng.uniform(2.0, 8.0)])),
        ambient=rng.uniform(0.2, 0.9),
        sunlight=(min(1.0, 1 + warmth), 1 - abs(warmth) / 2, min(1.0, 1 - warmth)),
        skylight=near_colour(rng, (0.92, 0.94, 0.96), 0.06), occlusion=rng.uniform(0.3, 0.9), exposure=-0.35,
    )  # fmt: skip


def draw_scenery(rng: np.random.Generator, families: PhotoFamilies, block: Colour, taken: Floats) -> Scenery:
    """Draw a floor, which may be of the blocks' own colour, the end of a table, a room, and marks on blocks."""
    floor = str(rng.choice(families.floors))
    middle = taken[:, :2].mean(axis=0) if len(taken) else np.zeros(2)
    span = float((np.hypot(*(taken[:, :2] - middle).T) + taken[:, 2]).max()) if len(taken) else 0.1
    edges = []
    if rng.random() < 0.35:
        first = rng.uniform(-math.pi, math.pi)
        edges = [(first + side * math.pi / 2, span + rng.uniform(0.02, 0.5)) for side in range(int(rng.integers(1, 5)))]
    return Scenery(
        seed=int(rng.integers(2**20)), floor=floor, colours=draw_floor_colours(rng, floor, block),
        relief=rng.uniform(0.1, 1.0), scale=math.exp(rng.uniform(-0.6, 0.6)), turn=rng.uniform(-math.pi, math.pi),
        edges=tuple(edges), middle=(float(middle[0]), float(middle[1])),
        room=(random_colour(rng, 0.05, 0.95, 0.2), random_colour(rng, 0.05, 0.95, 0.2), random_colour(rng, 0.05, 0.95, 0.2)),
        ink=rng.uniform(0.2, 0.8) if rng.random() < 0.25 else 0.0,
        stain=rng.uniform(0.1, 0.7) if rng.random() < 0.2 else 0.0,
        rim=rng.uniform(-0.4, 0.5) if rng.random() < 0.5 else 0.0,
    )  # fmt: skip


def draw_floor_colours(rng: np.random.Generator, floor: str, block: Colour) -> tuple[Colour, Colour, Colour]:
    """Draw the three colours of a floor: from hardly different to strongly."""
    kind = rng.random()
    if kind < 0.2:
        first = near_colour(rng, block, 0.06)
    elif floor in WOODEN and kind < 0.8:
        first = near_colour(rng, WOODS[int(rng.integers(len(WOODS)))], 0.08)
    else:
        first = random_colour(rng, 0.08, 0.95, 0.18)
    strength = rng.choice([0.05, 0.15, 0.3, 0.6])
    second, third = (near_colour(rng, np.clip(np.add(first, rng.uniform(-strength, strength)), 0, 1), strength / 3) for _ in "12")
    return first, second, third


def draw_lamp(rng: np.random.Generator) -> Lamp:
    """Draw a second lamp."""
    return Lamp(azimuth=rng.uniform(-math.pi, math.pi), elevation=math.radians(rng.uniform(25, 80)), share=rng.uniform(0.2, 0.6))


def draw_exposure(rng: np.random.Generator, distance: float, sharp: bool) -> Exposure:
    """Draw how the picture is taken."""
    blurred, shaken = (not sharp and rng.random() < share for share in (0.25, 0.12))
    length, turn = rng.uniform(1, 4), rng.uniform(0, math.pi)
    return Exposure(
        stops=min(max(rng.normal(0.35, 0.45), -1.2), 1.4), balance=tuple(np.exp(rng.normal(0, 0.09, 3))),
        contrast=rng.uniform(0.75, 1.25), vignette=rng.uniform(0, 0.5) if rng.random() < 0.4 else 0.0,
        focus=distance * rng.uniform(0.8, 1.3) if blurred else 0.0, aperture=rng.uniform(1, 5) if blurred else 0.0,
        motion=(length * math.cos(turn), length * math.sin(turn)) if shaken else (0.0, 0.0),
        sensor=Sensor(
            seed=int(rng.integers(2**32)), blur=0.0 if sharp else rng.uniform(0, 0.8), noise=rng.uniform(0.0, 0.03)
        ),
        quality=int(rng.integers(35, 96)) if rng.random() < 0.6 else 0,
    )  # fmt: skip
