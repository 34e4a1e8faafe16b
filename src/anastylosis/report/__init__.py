"""Pictures and films of episodes for people, and files for other programs."""

from anastylosis.report.exports import FORMATS, ExportSettings, export_csv, export_experiments, export_surveys
from anastylosis.report.film import film_episode
from anastylosis.report.gallery import GalleryFile, draw_gallery, find_missing, list_shots
from anastylosis.report.shaded import draw_shaded
from anastylosis.report.still import draw_final

__all__ = [
    "FORMATS",
    "ExportSettings",
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
