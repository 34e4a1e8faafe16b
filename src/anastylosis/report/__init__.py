"""Pictures, films, pages and tables for people to look at, and files for other programs. Draws and writes, computes nothing."""

from anastylosis.report.export import Exported, export_csv, export_experiments
from anastylosis.report.film import film_episode
from anastylosis.report.gallery import GalleryFile, draw_gallery, find_missing, list_shots
from anastylosis.report.shaded import draw_shaded
from anastylosis.report.still import draw_final
from anastylosis.report.surveys import export_surveys

__all__ = [
    "Exported",
    "GalleryFile",
    "draw_final",
    "draw_gallery",
    "draw_shaded",
    "export_csv",
    "export_experiments",
    "export_surveys",
    "film_episode",
    "find_missing",
    "list_shots",
]
