"""Poses to pixels: cameras, pictures with the block and the depth of every pixel, looks; text on pictures, films, PNG files."""

from anastylosis.rendering.camera import Camera, frame_points, front_camera, paper_camera, random_camera, still_camera, top_camera
from anastylosis.rendering.domain import Domain, random_domain
from anastylosis.rendering.image import Image, render_image, to_grey, warm_up
from anastylosis.rendering.look import HIGHLIGHT, LOOKS, Look, make_look, paper_look, stone_look, wood_look
from anastylosis.rendering.overlay import ColourScale, Overlay, draw_overlay
from anastylosis.rendering.picture import write_png
from anastylosis.rendering.scale import LegendEntry, absence_colours, probability_colours, probability_legend
from anastylosis.rendering.sensor import Sensor, apply_sensor
from anastylosis.rendering.video import Film, write_film
from anastylosis.rendering.worlds import render_worlds

__all__ = [
    "HIGHLIGHT",
    "LOOKS",
    "Camera",
    "ColourScale",
    "Domain",
    "Film",
    "Image",
    "LegendEntry",
    "Look",
    "Overlay",
    "Sensor",
    "absence_colours",
    "apply_sensor",
    "draw_overlay",
    "frame_points",
    "front_camera",
    "make_look",
    "paper_camera",
    "paper_look",
    "probability_colours",
    "probability_legend",
    "random_camera",
    "random_domain",
    "render_image",
    "render_worlds",
    "still_camera",
    "stone_look",
    "to_grey",
    "top_camera",
    "warm_up",
    "wood_look",
    "write_film",
    "write_png",
]
