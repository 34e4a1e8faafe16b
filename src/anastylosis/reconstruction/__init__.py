"""Reconstruction of how a structure stood: observe, detect, assign, propose, check, let fall, weigh, order."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.reconstruction.building import order_building
    from anastylosis.reconstruction.comparison import MethodComparison, run_comparison
    from anastylosis.reconstruction.evaluation import score_records
    from anastylosis.reconstruction.folder import open_folder, refuse_taken
    from anastylosis.reconstruction.observation import BlockCorner, FloorPoint, Photographs, Source, SurveyFile, observe
    from anastylosis.reconstruction.pipeline import run_pipeline
    from anastylosis.reconstruction.problem import KNOWN_FRICTION_MAX, Friction, Knowledge, ReconstructionConfig
    from anastylosis.reconstruction.proposals import Hypothesis
    from anastylosis.reconstruction.reconstruction import Reconstruction
    from anastylosis.reconstruction.retrieval import Reference
    from anastylosis.reconstruction.toolset import Toolset

__all__ = [
    "KNOWN_FRICTION_MAX",
    "BlockCorner",
    "FloorPoint",
    "Friction",
    "Hypothesis",
    "Knowledge",
    "MethodComparison",
    "Photographs",
    "Reconstruction",
    "ReconstructionConfig",
    "Reference",
    "Source",
    "SurveyFile",
    "Toolset",
    "observe",
    "open_folder",
    "order_building",
    "refuse_taken",
    "run_comparison",
    "run_pipeline",
    "score_records",
]

__getattr__, __dir__ = load_on_demand(__name__)
