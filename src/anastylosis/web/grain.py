"""Grain: wood over the colours of blocks. viser paints each block in one colour; this is a second, transparent coat on it."""

import io
from functools import cache

import numpy as np
import trimesh
from PIL import Image

from anastylosis.arrays import Floats

ALONG, ACROSS = 256, 128  # [pixels] of the pattern
DARK = (58, 32, 12)
STRENGTH = 0.34  # of the darkest streak
COAT = 1.004  # as large as the block: just before its faces
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))  # corners, seen from outside


def draw_grain() -> Image.Image:
    """Draw streaks along the picture's width, transparent between."""
    rng = np.random.default_rng(33)
    x = np.linspace(0.0, 1.0, ALONG)
    bend = np.sum([rng.normal(0.0, 0.02 / k) * np.sin(2 * np.pi * (k * x + rng.random())) for k in range(1, 5)], axis=0)
    y = np.linspace(0.0, 1.0, ACROSS)[:, None] + bend[None, :]
    years = 0.5 + 0.5 * np.sin(2 * np.pi * (9.0 * y + 0.35 * np.sin(2 * np.pi * (2.3 * y + 0.2))))
    fibres = np.repeat(rng.random((ACROSS, ALONG // 32)), 32, axis=1)
    dark = np.clip(0.75 * years**3 + 0.35 * fibres - 0.1, 0.0, 1.0)
    alpha = np.rint(255 * STRENGTH * dark).astype(np.uint8)
    return Image.fromarray(np.dstack([np.full((*dark.shape, 3), DARK, np.uint8), alpha]), "RGBA")


@cache
def make_coat(length: int) -> bytes:
    """Return a GLB of the unit cube's faces with grain along the axis `length`; the ends have it across."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * COAT
    points: list[Floats] = []
    places: list[tuple[float, float]] = []
    faces = []
    for number, side in enumerate(SIDES):
        flat = int(np.ptp(corners[list(side)], axis=0).argmin())  # the axis that the face looks along
        along, across = (length, 3 - length - flat) if flat != length else [axis for axis in range(3) if axis != flat]
        shift, size = 0.37 * number, (0.12 if flat == length else 1.0)
        points += [corners[corner] for corner in side]
        places += [
            (size * (corners[corner][along] + 0.5) + shift, 0.5 * (corners[corner][across] + 0.5) + shift) for corner in side
        ]
        faces += [(4 * number, 4 * number + 1, 4 * number + 2), (4 * number, 4 * number + 2, 4 * number + 3)]
    material = trimesh.visual.material.PBRMaterial(
        baseColorTexture=draw_grain(), alphaMode="BLEND", metallicFactor=0.0, roughnessFactor=0.8
    )
    mesh = trimesh.Trimesh(
        np.array(points), faces, visual=trimesh.visual.TextureVisuals(uv=np.array(places), material=material), process=False
    )
    file = io.BytesIO()
    mesh.export(file, file_type="glb")
    return file.getvalue()
