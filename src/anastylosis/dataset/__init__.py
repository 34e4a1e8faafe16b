"""Datasets: many episodes on disk, planned, made, resumed, checked, read; and the pictures that are drawn of them.

Names of `shots` are loaded when they are asked for: drawing takes 0.3 s to load.
"""

from typing import TYPE_CHECKING, Any

from anastylosis.dataset.generation import Progress, count_finished, generate
from anastylosis.dataset.level import Level, Player, nearest_level
from anastylosis.dataset.parquet import read_rows
from anastylosis.dataset.plan import Plan
from anastylosis.dataset.preset import friction_levels, learn_levels, paper_levels
from anastylosis.dataset.reader import Dataset
from anastylosis.dataset.sample import Sample
from anastylosis.dataset.schema import table_schema
from anastylosis.dataset.shard import code_fingerprint
from anastylosis.dataset.split import Shares
from anastylosis.dataset.verification import DatasetFault, verify

if TYPE_CHECKING:
    from anastylosis.dataset.shots import (
        DebrisPose,
        Mirror,
        Recipe,
        draw_shot,
        mirror_poses,
        mirror_slots,
        plan_shot,
        project_boxes,
    )

__all__ = [
    "Dataset",
    "DatasetFault",
    "DebrisPose",
    "Level",
    "Mirror",
    "Plan",
    "Player",
    "Progress",
    "Recipe",
    "Sample",
    "Shares",
    "code_fingerprint",
    "count_finished",
    "draw_shot",
    "friction_levels",
    "generate",
    "learn_levels",
    "mirror_poses",
    "mirror_slots",
    "nearest_level",
    "paper_levels",
    "plan_shot",
    "project_boxes",
    "read_rows",
    "table_schema",
    "verify",
]

SHOTS = ("DebrisPose", "Mirror", "Recipe", "draw_shot", "mirror_poses", "mirror_slots", "plan_shot", "project_boxes")


def __getattr__(name: str) -> Any:
    """Load a name of `shots`."""
    if name not in SHOTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from anastylosis.dataset import shots

    return getattr(shots, name)
