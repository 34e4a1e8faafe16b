"""What people look at: pictures and films of episodes."""

from anastylosis.report.film import film_episode
from anastylosis.report.gallery import Shot, draw_gallery, find_missing, list_shots
from anastylosis.report.still import draw_final

__all__ = ["Shot", "draw_final", "draw_gallery", "film_episode", "find_missing", "list_shots"]
