"""What people look at: pictures and films of episodes."""

from anastylosis.report.film import film_episode
from anastylosis.report.still import draw_final

__all__ = ["draw_final", "film_episode"]
