"""Thumbnails: each proposal as a small picture of its tower, what differs from the first outlined."""

import numpy as np
from PIL import Image, ImageDraw

from anastylosis.arrays import Floats, Integers
from anastylosis.reconstruction import Reconstruction
from anastylosis.rendering import Camera, Picture, frame_points, make_look, render_image
from anastylosis.report import BlockScene
from anastylosis.web.animations import animate_tower
from anastylosis.web.paint import paint_animation
from anastylosis.web.scene_view import trace_edges

WIDTH, HEIGHT = 150, 190  # [pixels]
LINE = (10, 60, 160)  # colour of what differs from the first proposal
GONE = (205, 30, 30)  # colour of slots that are empty
MARGIN = 0.03  # share of the picture's sides that is left free


def find_differences(found: Reconstruction, rank: int) -> Integers:
    """Find the slots that a proposal fills and the first leaves empty, or the other way round."""
    return np.flatnonzero(found.hypotheses[rank].state.filled != found.best.state.filled)


def draw_thumbnails(found: Reconstruction, count: int) -> tuple[Picture, ...]:
    """Draw the first so many proposals from one side."""
    points = BlockScene.from_slots(found.structure).surround()
    camera = frame_points(points, width=WIDTH, height=HEIGHT, margin=MARGIN)
    return tuple(draw_thumbnail(found, rank, camera) for rank in range(min(count, len(found.hypotheses))))


def draw_thumbnail(found: Reconstruction, rank: int, camera: Camera) -> Picture:
    animation = animate_tower(found, rank)
    scene, colours = animation.scenes[0], paint_animation(animation, found, "wood")
    look = make_look("wood", 0)
    image = render_image(
        scene.size, scene.position, scene.orientation, camera, look, present=scene.present,
        colours={row: tuple(colour) for row, colour in enumerate(colours.tolist())}, antialias=2, shadows="soft",
    )  # fmt: skip
    empty, differing = np.flatnonzero(~scene.present), find_differences(found, rank)
    picture = Image.fromarray(image.rgb)
    draw_edges(picture, scene, camera, np.setdiff1d(empty, differing), GONE, 1)
    draw_edges(picture, scene, camera, differing, LINE, 2)
    return np.asarray(picture)


def draw_edges(
    picture: Image.Image, scene: BlockScene, camera: Camera, rows: Integers, colour: tuple[int, int, int], breadth: int
) -> None:
    """Draw the edges of these blocks over a picture, hidden or not."""
    there = np.ones(len(rows), bool)
    edges: Floats = trace_edges(scene.size[rows], scene.position[rows], scene.orientation[rows], there)
    pixels, _ = camera.project(edges.reshape(-1, 3))
    pen = ImageDraw.Draw(picture)
    for ends in pixels.reshape(-1, 4).tolist():
        pen.line(ends, fill=colour, width=breadth)
