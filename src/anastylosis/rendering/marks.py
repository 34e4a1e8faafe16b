"""Marks on blocks in a photograph: lettering, stains, worn or bright edges."""

import math

from anastylosis.kernel import entry, inlined
from anastylosis.rendering.grain import lattice, smooth_noise

LETTERS = 6  # along a word
STROKES_ACROSS, STROKES_DOWN = 4, 5  # of a letter


@inlined
def lettering(u, v, seed):
    """Return 1 where ink is, at a point of a face, -1..1 along its length and across: one word in the middle of it."""
    if abs(u) > 0.62 or abs(v) > 0.48:
        return 0.0
    x = (u + 0.62) / 1.24 * LETTERS
    letter = math.floor(x)
    x = (x - letter - 0.1) / 0.8
    if x < 0.0 or x >= 1.0:
        return 0.0
    across, down = int(x * STROKES_ACROSS), int((v + 0.48) / 0.96 * STROKES_DOWN)
    frame = across == 0 or down == 0 or down == STROKES_DOWN - 1
    return 1.0 if lattice(letter + 17 * across, down, seed) > (0.35 if frame else 0.75) else 0.0


@entry
def mark_factor(x, y, z, hx, hy, hz, seed, ink, stain, rim):
    """Return the brightness at a point of the surface of a block with these half sides, in its own axes [m].

    `ink`: how dark letters are; `stain`: how strong stains are; `rim`: how much brighter (or, below 0, darker) edges are.
    """
    to_x, to_y, to_z = hx - abs(x), hy - abs(y), hz - abs(z)
    light = 1.0
    if stain > 0.0:
        cloud = smooth_noise(60 * x + seed % 97, 60 * y, 60 * z) * smooth_noise(190 * x, 190 * y + seed % 89, 190 * z)
        light *= 1.0 - stain * min(1.0, max(0.0, 4.0 * (cloud - 0.3)))
    if ink > 0.0:
        if to_y <= to_x and to_y <= to_z:
            light *= 1.0 - ink * lettering(x / hx, z / hz if y > 0.0 else -z / hz, seed)
        elif to_z <= to_x and to_z <= to_y and seed & 1:
            light *= 1.0 - ink * lettering(x / hx, y / hy if z > 0.0 else -y / hy, seed)
    if rim != 0.0:
        # The nearest face is the one that the point is on: the next nearest is at the edge.
        low, high = min(to_x, to_y), max(to_x, to_y)
        edge = min(max(low, to_z), high) if to_z > low else low
        width = 0.09 * min(hx, hy, hz) + 0.0006
        light *= 1.0 + rim * max(0.0, 1.0 - edge / width)
    return light
