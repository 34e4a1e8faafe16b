"""Poses to pixels: cameras, pictures with the block and the depth of every pixel, looks; text on pictures, films, PNG files."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.rendering.camera import (
        AZIMUTH,
        ELEVATION,
        FIELD_OF_VIEW,
        PIXELS_MAX,
        REACH_MAX,
        SIDE_MAX,
        STILL_LAYERS,
        STILL_REACH,
        Camera,
        Vector,
        frame_points,
        paper_camera,
        random_camera,
        scene_points,
        still_camera,
    )
    from anastylosis.rendering.domain import random_domain
    from anastylosis.rendering.draft import Draft, count_tiles, find_stale
    from anastylosis.rendering.grid import meet_faces, project_grid
    from anastylosis.rendering.image import Image, render_image, warm_up
    from anastylosis.rendering.look import HIGHLIGHT, LOOKS, Look, block_side, make_look, srgb_to_linear, stone_look, wood_look
    from anastylosis.rendering.overlay import ColourScale, Overlay, draw_legend, draw_overlay, draw_scale
    from anastylosis.rendering.picture import CAMERA_FORMAT, CAMERA_TEXT, Picture, check_picture, write_png
    from anastylosis.rendering.sampling import sample
    from anastylosis.rendering.scale import absence_colours, probability_colours, probability_legend
    from anastylosis.rendering.sensor import Sensor
    from anastylosis.rendering.text import load_font
    from anastylosis.rendering.video import write_film
    from anastylosis.rendering.worlds import render_worlds

__all__ = [
    "AZIMUTH",
    "CAMERA_FORMAT",
    "CAMERA_TEXT",
    "ELEVATION",
    "FIELD_OF_VIEW",
    "HIGHLIGHT",
    "LOOKS",
    "PIXELS_MAX",
    "REACH_MAX",
    "SIDE_MAX",
    "STILL_LAYERS",
    "STILL_REACH",
    "Camera",
    "ColourScale",
    "Draft",
    "Image",
    "Look",
    "Overlay",
    "Picture",
    "Sensor",
    "Vector",
    "absence_colours",
    "block_side",
    "check_picture",
    "count_tiles",
    "draw_legend",
    "draw_overlay",
    "draw_scale",
    "find_stale",
    "frame_points",
    "load_font",
    "make_look",
    "meet_faces",
    "paper_camera",
    "probability_colours",
    "probability_legend",
    "project_grid",
    "random_camera",
    "random_domain",
    "render_image",
    "render_worlds",
    "sample",
    "scene_points",
    "srgb_to_linear",
    "still_camera",
    "stone_look",
    "warm_up",
    "wood_look",
    "write_film",
    "write_png",
]

__getattr__, __dir__ = load_on_demand(__name__)
