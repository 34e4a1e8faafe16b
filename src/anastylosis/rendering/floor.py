"""Patterned floors: families of procedural textures, from boards to gravel, at points of the floor.

A family says of a point how much of the second and of the third colour it has, and how bright it is. Lengths are those of
usual things; `scale` makes them larger. What is finer than a pixel fades into its mean.
"""

import math

from anastylosis.kernel import entry, inlined, kernel
from anastylosis.rendering.grain import lattice, smooth_noise, visible

FLOORS = ("plain", "mottled", "boards", "parquet", "tiles", "carpet", "print", "marble", "terrazzo", "cloth", "gravel", "grass")
PLAIN, MOTTLED, BOARDS, PARQUET, TILES, CARPET, PRINT, MARBLE, TERRAZZO, CLOTH, GRAVEL, GRASS = range(len(FLOORS))


@inlined
def layered_noise(x, y, z):
    """Sum three octaves of value noise, 0..1."""
    return (smooth_noise(x, y, z) + 0.5 * smooth_noise(2 * x, 2 * y, z + 7) + 0.25 * smooth_noise(4 * x, 4 * y, z + 13)) / 1.75


@kernel
def cells(x, y, seed):
    """Find the distances to the nearest two of scattered points, one a unit square; and the square and place of the first."""
    i, j = math.floor(x), math.floor(y)
    first, second, at_i, at_j, away_x, away_y = 9.0, 9.0, 0, 0, 0.0, 0.0
    for b in range(j - 1, j + 2):
        for a in range(i - 1, i + 2):
            dx = a + 0.1 + 0.8 * lattice(a, b, seed) - x
            dy = b + 0.1 + 0.8 * lattice(a, b, seed + 1) - y
            far = math.sqrt(dx * dx + dy * dy)
            if far < first:
                first, second, at_i, at_j, away_x, away_y = far, first, a, b, dx, dy
            elif far < second:
                second = far
    return first, second, at_i, at_j, away_x, away_y


@inlined
def strip(along, across, width, length, seed, pixel):
    """Lay wooden strips side by side: return the share of the second colour and brightness."""
    row = math.floor(across / width)
    along += length * lattice(row, seed, 3)
    column = math.floor(along / length)
    tone = lattice(row, column, seed)
    grain = visible(0.004, pixel) * (layered_noise(along * 9, across * 160, 10.0 * tone + row) - 0.5)
    grain += 0.5 * (layered_noise(along * 3, across * 30, 5.0 * tone + column) - 0.5)
    edge = min(across - row * width, (row + 1) * width - across, along - column * length, (column + 1) * length - along)
    gap = max(0.0012, 0.7 * pixel)
    light = 1.0 - 0.7 * min(1.0, 0.0012 / gap) * max(0.0, 1.0 - edge / gap)
    return min(1.0, max(0.0, 0.15 + 0.7 * tone + 0.9 * grain)), light


@inlined
def sheet(x, y, seed, pixel):
    """Lay printed sheets side by side: return the share of ink, and brightness."""
    i, j = math.floor(x / 0.23), math.floor(y / 0.32)
    x, y = x - 0.23 * i - 0.01, y - 0.32 * j - 0.01
    if x < 0.0 or y < 0.0 or x > 0.21 or y > 0.30:
        return 0.0, 0.75
    if x < 0.02 or x > 0.19 or y < 0.02 or y > 0.28:
        return 0.0, 1.0
    block = math.floor(y / 0.05)
    kind = lattice(i * 7 + block, j, seed)
    if kind > 0.82:  # a picture
        return layered_noise(x * 60, y * 60, kind * 50 + block), 1.0
    height = 0.0045 if kind > 0.15 else 0.011
    line = math.floor(y / height)
    down = y / height - line
    if down > 0.62:
        return 0.0, 1.0
    letter = math.floor(x / (0.55 * height))
    if lattice(letter // 5 + letter % 3, line * 31 + i, seed + 2) > 0.8 or x > 0.19 - 0.08 * lattice(line, j, i):
        return 0.0, 1.0
    stroke = lattice(int(x / (0.14 * height)), line * 97 + int(down * 5), seed + letter)
    return 0.42 + visible(0.35 * height, pixel) * (0.85 * (1.0 if stroke > 0.45 else 0.0) - 0.42), 1.0


@entry
def floor_texture(family, x, y, seed, pixel):
    """Return shares of the second and third colour, and brightness, at a point of the floor [m], for pixels of a size [m]."""
    second, third, light = 0.0, 0.0, 1.0
    z = float(seed % 1000)
    if family == MOTTLED:
        second = min(1.0, max(0.0, 2.2 * layered_noise(x * 22, y * 22, z) - 0.6))
    elif family == BOARDS:
        second, light = strip(x, y, 0.095, 0.9, seed, pixel)
    elif family == PARQUET:
        i, j = math.floor(x / 0.28), math.floor(y / 0.28)
        if (i + j) & 1:
            second, light = strip(y - 0.28 * j + 11.2 * i, x - 0.28 * i, 0.07, 11.2, seed + 5 * i + 3 * j, pixel)
        else:
            second, light = strip(x - 0.28 * i + 11.2 * j, y - 0.28 * j, 0.07, 11.2, seed + 5 * i + 3 * j, pixel)
    elif family == TILES:
        i, j = math.floor(x / 0.15), math.floor(y / 0.15)
        edge = min(x - 0.15 * i, 0.15 * (i + 1) - x, y - 0.15 * j, 0.15 * (j + 1) - y)
        chequered = seed & 1
        second = (0.8 * ((i + j) & 1) if chequered else 0.0) + 0.2 * lattice(i, j, seed)
        second += 0.3 * (layered_noise(x * 40, y * 40, z + 3.0 * lattice(j, i, seed)) - 0.5)
        third = 1.0 if edge < 0.0022 else max(0.0, 1.0 - (edge - 0.0022) / max(0.0005, pixel))
    elif family == CARPET:
        fine = visible(0.004, pixel) * (smooth_noise(x * 500, y * 500, z) - 0.5)
        shapes = 0.5 + 0.5 * math.sin(x * 45 + 4 * smooth_noise(x * 9, y * 9, z)) * math.sin(
            y * 45 + 4 * smooth_noise(y * 9, x * 9, z)
        )
        second = min(1.0, max(0.0, 3.0 * (shapes - 0.35)))
        third = 1.0 if seed & 1 and shapes > 0.86 else 0.0
        light = 1.0 + 0.7 * fine + 0.5 * (layered_noise(x * 30, y * 30, z) - 0.5)
    elif family == PRINT:
        second, light = sheet(x, y, seed, pixel)
    elif family == MARBLE:
        warp = layered_noise(x * 7, y * 7, z)
        vein = abs(layered_noise(x * 11 + 3 * warp, y * 11 + 3 * warp, z + 31) - 0.5)
        second = min(1.0, max(0.0, 1.0 - vein / 0.045))
        third = 0.6 * max(0.0, warp - 0.5)
        light = 1.0 + 0.25 * (warp - 0.5)
    elif family == TERRAZZO:
        near, _, i, j, _, _ = cells(x * 55, y * 55, seed)
        if near < 0.16 + 0.34 * lattice(i, j, seed + 5):
            kind = lattice(j, i, seed + 9)
            second, third, light = (1.0, 0.0, 1.0) if kind > 0.6 else (0.0, 1.0, 1.0) if kind > 0.3 else (0.3, 0.3, 0.7)
        light *= 1.0 + 0.2 * (smooth_noise(x * 300, y * 300, z) - 0.5) * visible(0.006, pixel)
    elif family == CLOTH:
        wave = 0.02 * layered_noise(x * 6, y * 6, z)
        stripe_x, stripe_y = math.sin((x + wave) * 170), math.sin((y - wave) * 170)
        sharp = 4.0
        second = 0.5 * min(1.0, max(0.0, 0.5 + sharp * stripe_x)) + 0.5 * min(1.0, max(0.0, 0.5 + sharp * stripe_y))
        if seed & 1:
            third = 1.0 if abs(math.sin((x + wave) * 85 + 0.6)) > 0.985 else 0.0
        fold = layered_noise(x * 5 + 2 * wave, y * 2.5, z + 11)
        light = 1.0 + 1.6 * (abs(fold - 0.5) - 0.12) + 0.25 * visible(0.003, pixel) * (smooth_noise(x * 700, y * 700, z) - 0.5)
    elif family == GRAVEL:
        near, next_near, i, j, dx, dy = cells(x * 90, y * 90, seed)
        second = lattice(i, j, seed + 5)
        third = 1.0 if lattice(j, i, seed + 6) > 0.85 else 0.0
        gap = min(1.0, (next_near - near) / 0.22)
        light = (0.3 + 0.7 * gap) * (1.0 - 0.6 * (0.7 * dx + 0.7 * dy) + 0.3 * (smooth_noise(x * 800, y * 800, z) - 0.5))
        light = 0.75 + visible(0.012, pixel) * (light - 0.75)
    elif family == GRASS:
        turn = 6.0 * smooth_noise(x * 15, y * 15, z)
        along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
        blade = smooth_noise(along * 60, across * 420, z)
        second = min(1.0, max(0.0, 0.5 + visible(0.004, pixel) * 1.6 * (blade - 0.5)))
        third = 0.7 if layered_noise(x * 25, y * 25, z + 5) > 0.66 else 0.0
        light = 0.6 + 0.8 * layered_noise(x * 45, y * 45, z + 19) * (0.6 + 0.8 * blade) / 1.0
    return min(1.0, max(0.0, second)), min(1.0, max(0.0, third)), max(0.05, light)
