"""Things that lie about in photographs and are no blocks, made of boxes: one function a family."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.geometry import to_quaternions
from anastylosis.rendering.photograph import Things

SIDES = 12  # of a cup seen from above: half as many boxes


class Part(NamedTuple):
    """A box of a thing that stands at the origin."""

    size: tuple[float, float, float]  # [m]
    position: tuple[float, float, float]  # [m]
    turn: float = 0.0  # about the vertical [rad]


def card(rng: np.random.Generator) -> list[Part]:
    """Make a card, a note, an envelope or a book, lying flat."""
    height = rng.choice([0.0006, 0.0012, 0.008, 0.02])
    return [Part((rng.uniform(0.05, 0.22), rng.uniform(0.05, 0.16), height), (0.0, 0.0, height / 2))]


def pen(rng: np.random.Generator) -> list[Part]:
    """Make a pen, a ruler or a stick."""
    thick = rng.uniform(0.005, 0.012)
    return [Part((rng.uniform(0.10, 0.30), thick * rng.uniform(1, 3), thick), (0.0, 0.0, thick / 2))]


def carton(rng: np.random.Generator) -> list[Part]:
    """Make a box of a size that no block has, sometimes with a lid."""
    length, width, height = rng.uniform(0.03, 0.20), rng.uniform(0.03, 0.15), rng.uniform(0.02, 0.18)
    parts = [Part((length, width, height), (0.0, 0.0, height / 2))]
    if rng.random() < 0.4:
        parts.append(Part((1.04 * length, 1.04 * width, 0.012), (0.0, 0.0, height + 0.006)))
    return parts


def cup(rng: np.random.Generator) -> list[Part]:
    """Make a cup, a tin or a roll: boxes turned about one axis, together a prism of many sides."""
    radius, height = rng.uniform(0.02, 0.05), rng.uniform(0.01, 0.14)
    width = 2 * radius * math.tan(math.pi / SIDES)
    return [
        Part((2 * radius, width, height), (0.0, 0.0, height / 2), math.pi * side / (SIDES // 2)) for side in range(SIDES // 2)
    ]


def telephone(rng: np.random.Generator) -> list[Part]:
    """Make a telephone or a remote control: a dark slab with a lighter one on it."""
    length, width = rng.uniform(0.13, 0.19), rng.uniform(0.04, 0.08)
    return [
        Part((length, width, 0.008), (0.0, 0.0, 0.004)),
        Part((0.9 * length, 0.9 * width, 0.0006), (0.0, 0.0, 0.0083)),
    ]


FAMILIES: Mapping[str, Callable[[np.random.Generator], list[Part]]] = {
    "card": card, "pen": pen, "carton": carton, "cup": cup, "telephone": telephone,
}  # fmt: skip


def scatter_things(
    rng: np.random.Generator, count: int, taken: Floats, *, families: tuple[str, ...] = tuple(FAMILIES), reach: float = 0.55
) -> Things | None:
    """Scatter things on the floor where nothing is; None if there is no room for any.

    `taken` (N, 3): circles of the floor that are taken, x, y and radius [m]. `reach` [m]: how far from their middle things lie.
    """
    boxes: list[tuple[Floats, Floats, Floats, Floats]] = []
    middle = taken[:, :2].mean(axis=0) if len(taken) else np.zeros(2)
    for _ in range(count):
        parts = FAMILIES[str(rng.choice(families))](rng)
        radius = max(math.hypot(*part.size[:2]) / 2 for part in parts)
        place = middle + reach * np.sqrt(rng.uniform()) * np.array(
            [math.cos(turn := rng.uniform(-math.pi, math.pi)), math.sin(turn)]
        )
        if (np.hypot(*(taken[:, :2] - place).T) < taken[:, 2] + radius).any():
            continue
        taken = np.concatenate([taken, [(*place, radius)]])
        heading, colour = rng.uniform(-math.pi, math.pi), draw_colour(rng)
        for number, part in enumerate(parts):
            turns = heading + part.turn
            axes = np.array([[math.cos(turns), -math.sin(turns), 0], [math.sin(turns), math.cos(turns), 0], [0, 0, 1.0]])
            tone = colour if number == 0 or part.turn else np.clip(colour + rng.uniform(-0.3, 0.3, 3), 0, 1)
            boxes.append((np.array(part.size), np.append(place, part.position[2]), axes, tone))
    if not boxes:
        return None
    size, position, turned, colours = (np.stack(part) for part in zip(*boxes, strict=True))
    return Things(size=size, position=position, orientation=to_quaternions(turned), colours=colours)


def draw_colour(rng: np.random.Generator) -> Floats:
    """Draw a colour: grey, or vivid."""
    grey = rng.uniform(0.05, 0.95)
    return np.clip(grey + rng.uniform(-1, 1, 3) * rng.choice([0.03, 0.15, 0.5]), 0, 1)
