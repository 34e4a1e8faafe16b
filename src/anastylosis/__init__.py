"""See the past of a collapse by looking at the rubble of the present.

    import anastylosis

    found = anastylosis.reconstruct("heap.png", layers=18)
    found.save("out")

A photograph with the printed target also needs `origin` and `heading`: where the tower stood beside the sheet.

The names below are the front door. Each room has more of them, such as `anastylosis.rendering`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anastylosis.assignment import Assignment
    from anastylosis.dataset import Dataset, Sample
    from anastylosis.detection import Photo
    from anastylosis.episode import EpisodeConfig, run_episode
    from anastylosis.errors import AnastylosisError, InvalidInput
    from anastylosis.models.predictor import Prediction
    from anastylosis.physics import Simulation
    from anastylosis.reconstruction import Reconstruction
    from anastylosis.structure import Blocks, Structure, jenga_tower
    from anastylosis.survey import Survey, read_survey, write_survey
    from anastylosis.verbs import assign, detect_blocks, open_dataset, predict, read_photo, reconstruct, simulate

__version__ = "0.1.0"

__all__ = [
    "AnastylosisError",
    "Assignment",
    "Blocks",
    "Dataset",
    "EpisodeConfig",
    "InvalidInput",
    "Photo",
    "Prediction",
    "Reconstruction",
    "Sample",
    "Simulation",
    "Structure",
    "Survey",
    "__version__",
    "assign",
    "detect_blocks",
    "jenga_tower",
    "open_dataset",
    "predict",
    "read_photo",
    "read_survey",
    "reconstruct",
    "run_episode",
    "simulate",
    "write_survey",
]

# A room is loaded when one of its names is first asked for: who asks for `__version__` loads nothing else, not even `face`.
HOMES = {
    "assignment": ("Assignment",),
    "dataset": ("Dataset", "Sample"),
    "detection": ("Photo",),
    "episode": ("EpisodeConfig", "run_episode"),
    "errors": ("AnastylosisError", "InvalidInput"),
    "models": ("Prediction",),
    "physics": ("Simulation",),
    "reconstruction": ("Reconstruction",),
    "structure": ("Blocks", "Structure", "jenga_tower"),
    "survey": ("Survey", "read_survey", "write_survey"),
    "verbs": ("assign", "detect_blocks", "open_dataset", "predict", "read_photo", "reconstruct", "simulate"),
}
HOME_OF = {name: home for home, names in HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a name of the front door when it is first asked for."""
    if name not in HOME_OF:
        raise AttributeError(f"module 'anastylosis' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"anastylosis.{HOME_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
