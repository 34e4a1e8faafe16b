"""Pictures and films: text on pictures, PNG files, H.264 films."""

from anastylosis.render.overlay import ColorScale, Overlay, draw_overlay
from anastylosis.render.picture import write_png
from anastylosis.render.video import Film, write_film

__all__ = ["ColorScale", "Film", "Overlay", "draw_overlay", "write_film", "write_png"]
