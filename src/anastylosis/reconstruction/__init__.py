"""From what lies there to ranked proposals of how it stood: retrieve, hypothesise, re-simulate, weigh, order the building."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.reconstruction.building import order_building
    from anastylosis.reconstruction.comparison import MethodComparison, run_comparison
    from anastylosis.reconstruction.conclusion import ask_picture_net
    from anastylosis.reconstruction.evaluation import score_records
    from anastylosis.reconstruction.falls import recipe_of
    from anastylosis.reconstruction.folder import open_folder, refuse_taken, write_folder
    from anastylosis.reconstruction.observation import FloorPoint, Photographs, Source, SurveyFile, detect, observe
    from anastylosis.reconstruction.pipeline import run_pipeline
    from anastylosis.reconstruction.problem import (
        FRICTION_MAX,
        Execute,
        Friction,
        Knowledge,
        ReconstructionConfig,
        Tell,
        tell_nothing,
    )
    from anastylosis.reconstruction.proposals import Hypothesis
    from anastylosis.reconstruction.reconstruction import WHOLE_WORDS, Reconstruction, finite
    from anastylosis.reconstruction.resimulation import film_trial
    from anastylosis.reconstruction.retrieval import Reference
    from anastylosis.reconstruction.toolset import Toolset

__all__ = [
    "FRICTION_MAX",
    "WHOLE_WORDS",
    "Execute",
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
    "Tell",
    "Toolset",
    "ask_picture_net",
    "detect",
    "film_trial",
    "finite",
    "observe",
    "open_folder",
    "order_building",
    "recipe_of",
    "refuse_taken",
    "run_comparison",
    "run_pipeline",
    "score_records",
    "tell_nothing",
    "write_folder",
]

__getattr__, __dir__ = load_on_demand(__name__)
