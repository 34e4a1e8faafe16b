"""Rendering: cameras, looks, pictures with the block and depth of every pixel; text on pictures, films, PNG files."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.rendering.camera import (
        REACH_MAX,
        STILL_VIEW,
        Camera,
        frame_points,
        paper_camera,
        random_camera,
        scene_points,
        still_camera,
    )
    from anastylosis.rendering.domain import random_domain
    from anastylosis.rendering.draft import draft_upon
    from anastylosis.rendering.grid import meet_faces, project_grid
    from anastylosis.rendering.image import Image, render_image, warm_up
    from anastylosis.rendering.look import Look, make_look, srgb_to_linear
    from anastylosis.rendering.overlay import ColourScale, Overlay, draw_key, draw_overlay
    from anastylosis.rendering.photo_domain import random_photograph
    from anastylosis.rendering.photograph import draw_photograph
    from anastylosis.rendering.picture import Picture, check_picture, write_png
    from anastylosis.rendering.sampling import sample
    from anastylosis.rendering.scale import probability_colours
    from anastylosis.rendering.sensor import Sensor
    from anastylosis.rendering.text import load_font
    from anastylosis.rendering.video import write_film
    from anastylosis.rendering.worlds import render_worlds

__all__ = [
    "REACH_MAX",
    "STILL_VIEW",
    "Camera",
    "ColourScale",
    "Image",
    "Look",
    "Overlay",
    "Picture",
    "Sensor",
    "check_picture",
    "draft_upon",
    "draw_key",
    "draw_overlay",
    "draw_photograph",
    "frame_points",
    "load_font",
    "make_look",
    "meet_faces",
    "paper_camera",
    "probability_colours",
    "project_grid",
    "random_camera",
    "random_domain",
    "random_photograph",
    "render_image",
    "render_worlds",
    "sample",
    "scene_points",
    "srgb_to_linear",
    "still_camera",
    "warm_up",
    "write_film",
    "write_png",
]

__getattr__, __dir__ = load_on_demand(__name__)
