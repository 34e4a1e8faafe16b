"""Pictures, films, pages and tables for people to look at, and files for other programs. Draws and writes, computes nothing."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.report.colour import PALETTE
    from anastylosis.report.dashboard import write_dashboard
    from anastylosis.report.detection_overlay import draw_survey, find_doubtful
    from anastylosis.report.evaluation import write_evaluation
    from anastylosis.report.explanation import Explanation
    from anastylosis.report.exports.formats import FORMATS
    from anastylosis.report.exports.progress import ExportSettings
    from anastylosis.report.exports.surveys import export_surveys
    from anastylosis.report.exports.tables import export_csv
    from anastylosis.report.film import film_episode
    from anastylosis.report.gallery import GalleryFile
    from anastylosis.report.games import read_games
    from anastylosis.report.reconstruction.film import film_reconstruction
    from anastylosis.report.reconstruction.findings import list_findings
    from anastylosis.report.reconstruction.model_file import write_tower
    from anastylosis.report.reconstruction.rebuilding import film_rebuilding, show_rebuilding
    from anastylosis.report.reconstruction.results import refuse_inputs, write_results
    from anastylosis.report.reconstruction.scene import BlockScene
    from anastylosis.report.reconstruction.scores import write_comparison
    from anastylosis.report.reconstruction.story import Story, build_story
    from anastylosis.report.shaded import draw_shaded
    from anastylosis.report.still import draw_final
    from anastylosis.report.summary import summarise

__all__ = [
    "FORMATS",
    "PALETTE",
    "BlockScene",
    "Explanation",
    "ExportSettings",
    "GalleryFile",
    "Story",
    "build_story",
    "draw_final",
    "draw_shaded",
    "draw_survey",
    "export_csv",
    "export_surveys",
    "film_episode",
    "film_rebuilding",
    "film_reconstruction",
    "find_doubtful",
    "list_findings",
    "read_games",
    "refuse_inputs",
    "show_rebuilding",
    "summarise",
    "write_comparison",
    "write_dashboard",
    "write_evaluation",
    "write_results",
    "write_tower",
]

__getattr__, __dir__ = load_on_demand(__name__)
