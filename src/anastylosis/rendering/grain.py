"""Wood of the blocks: solid textures in body coordinates, so that end grain belongs to its side grain."""

import math

from anastylosis.kernel import inlined, kernel

PLAIN, WOOD, STONE = 0, 1, 2

RING = 0.0042  # [m] from one year of wood to the next
FIBRE = 0.0009  # [m] across fibres
FIBRE_LENGTH = 0.030  # [m]
SPECK = 0.0016  # [m] grains of stone
CLOUD = 0.011  # [m] stains of stone


@inlined
def lattice(i, j, k):
    """Return a number of 0..1 for each point of the integer lattice, without pattern."""
    h = i * 374761393 + j * 668265263 + k * 2147483647
    h = (h ^ ((h >> 13) & 0x7FFFF)) * 1274126177
    h = h ^ ((h >> 16) & 0xFFFF)
    return (h & 0xFFFF) * (1.0 / 65535.0)


@kernel
def smooth_noise(x, y, z):
    """Return value noise, 0..1, that changes over a length of 1."""
    fx, fy, fz = math.floor(x), math.floor(y), math.floor(z)
    i, j, k = int(fx), int(fy), int(fz)
    u, v, w = x - fx, y - fy, z - fz
    u, v, w = u * u * (3.0 - 2.0 * u), v * v * (3.0 - 2.0 * v), w * w * (3.0 - 2.0 * w)
    a = lattice(i, j, k) * (1.0 - u) + lattice(i + 1, j, k) * u
    b = lattice(i, j + 1, k) * (1.0 - u) + lattice(i + 1, j + 1, k) * u
    c = lattice(i, j, k + 1) * (1.0 - u) + lattice(i + 1, j, k + 1) * u
    d = lattice(i, j + 1, k + 1) * (1.0 - u) + lattice(i + 1, j + 1, k + 1) * u
    return (a * (1.0 - v) + b * v) * (1.0 - w) + (c * (1.0 - v) + d * v) * w


@inlined
def visible(scale, pixel):
    """Return the share, 1 to 0, of a pattern of this scale [m] that is left in pixels of this size [m]."""
    share = 1.5 * scale / pixel - 0.5
    return min(1.0, max(0.0, share))


@kernel
def wood(x, y, z, seed, pixel):
    """Return the darkness of wood, about -0.5..0.5, at a point of a block cut from a trunk at its own place and tilt."""
    value = 0.0
    share = visible(RING, pixel)
    if share > 0.0:
        warp = smooth_noise(x * 22.0 + seed[4], y * 70.0, z * 70.0 + seed[5]) - 0.5
        across = y + seed[0] + seed[2] * x + 0.0025 * warp
        through = z + seed[1] + seed[3] * x
        year = math.sqrt(across * across + through * through) / RING
        part = year - math.floor(year)
        # Early wood darkens slowly into late wood, then a new year begins.
        late = part / 0.8 if part < 0.8 else (1.0 - part) / 0.2
        late = late * late * (3.0 - 2.0 * late)
        value += share * (late - 0.5) * (0.55 + 0.9 * (warp + 0.5))
    share = visible(FIBRE, pixel)
    if share > 0.0:
        fibre = smooth_noise(x / FIBRE_LENGTH + seed[5], y / FIBRE + seed[4], z / FIBRE) - 0.5
        value += 0.7 * share * fibre
    return value


@kernel
def stone(x, y, z, seed, pixel):
    """Return the darkness of stone, about -0.5..0.5: stains, and grains where they can be seen."""
    x, y, z = x + seed[0], y + seed[1], z + seed[4]
    value = 0.0
    share = visible(CLOUD, pixel)
    if share > 0.0:
        value += share * (smooth_noise(x / CLOUD, y / CLOUD, z / CLOUD) - 0.5)
    share = visible(SPECK, pixel)
    if share > 0.0:
        speck = smooth_noise(x / SPECK, y / SPECK, z / SPECK)
        value += 0.8 * share * (speck * speck - 0.33)
    return value


@kernel
def texture(material, x, y, z, seed, pixel):
    """Return the darkness of a material at a body point [m], for pixels of this size [m]; 0 is its mean tone."""
    if material == WOOD:
        return wood(x, y, z, seed, pixel)
    if material == STONE:
        return stone(x, y, z, seed, pixel)
    return 0.0
