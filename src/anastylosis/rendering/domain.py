"""Domain randomisation: every picture with a camera, a light, blocks, a floor and a sensor of its own.

A network that has seen all of them has nothing to hold on to but the shapes.
"""

import math
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Colour
from anastylosis.rendering.camera import REACH, Camera, random_camera
from anastylosis.rendering.look import Look
from anastylosis.rendering.sensor import Sensor

# Colours of what blocks are made of, from pale birch to dark walnut, and of stones
WOODS = ((0.87, 0.74, 0.55), (0.80, 0.62, 0.42), (0.72, 0.50, 0.31), (0.55, 0.38, 0.26))
STONES = ((0.74, 0.70, 0.62), (0.62, 0.61, 0.60), (0.70, 0.56, 0.46))


class Domain(NamedTuple):
    """Camera, look and sensor of a picture: all that it has beside its blocks."""

    camera: Camera
    look: Look
    sensor: Sensor


def random_domain(
    rng: np.random.Generator, width: int = 128, height: int = 128, *, layers: int = 18, reach: float = REACH
) -> Domain:
    """Draw a camera, a look and a sensor from `rng`."""
    camera = random_camera(rng, width, height, layers=layers, reach=reach)
    material = str(rng.choice(["wood", "wood", "wood", "stone", "plain"]))
    colours = STONES if material == "stone" else WOODS
    floor = random_colour(rng, 0.25, 0.9, 0.12)
    warmth = rng.uniform(-0.12, 0.12)
    look = Look(
        seed=int(rng.integers(2**32)),
        material=material,
        colour=near_colour(rng, colours[int(rng.integers(len(colours)))], 0.06),
        tone_spread=rng.uniform(0.0, 0.22),
        warmth_spread=rng.uniform(0.0, 0.06),
        grain=rng.uniform(0.1, 0.6) if material == "stone" else rng.uniform(0.0, 0.35),
        edge=rng.uniform(0.1, 0.7),
        floor=floor,
        backdrop=near_colour(rng, floor, 0.15),
        fade=rng.uniform(0.35, 1.2),
        light_azimuth=rng.uniform(-math.pi, math.pi),
        light_elevation=math.radians(rng.uniform(25, 80)),
        light_radius=math.radians(rng.uniform(0.3, 6.0)),
        ambient=rng.uniform(0.25, 0.75),
        sunlight=(min(1.0, 1 + warmth), 1 - abs(warmth) / 2, min(1.0, 1 - warmth)),
        skylight=near_colour(rng, (0.94, 0.96, 0.98), 0.04),
        occlusion=rng.uniform(0.3, 0.85),
        exposure=rng.uniform(-0.7, 0.45),
    )
    sensor = Sensor(seed=int(rng.integers(2**32)), blur=rng.uniform(0.0, 0.9) * height / 128, noise=rng.uniform(0.0, 0.03))
    return Domain(camera, look, sensor)


def random_colour(rng: np.random.Generator, low: float, high: float, tint: float) -> Colour:
    """Draw a grey of low..high, tinted by up to `tint`."""
    return near_colour(rng, np.full(3, rng.uniform(low, high)), tint)


def near_colour(rng: np.random.Generator, colour: object, spread: float) -> Colour:
    """Draw a colour that differs by up to `spread` in each channel."""
    red, green, blue = np.clip(np.asarray(colour, np.float64) + rng.uniform(-spread, spread, 3), 0.0, 1.0)
    return float(red), float(green), float(blue)
