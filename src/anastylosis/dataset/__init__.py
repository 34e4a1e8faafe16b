"""Datasets: many episodes on disk, planned, made, resumed, checked, read; and the pictures that are drawn of them.

Names of `shots` are loaded when they are asked for: drawing takes 0.3 s to load.
"""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.dataset.examples import Examples, check_splits, read_examples
    from anastylosis.dataset.generation import generate
    from anastylosis.dataset.level import BlockSizes
    from anastylosis.dataset.parquet import read_rows
    from anastylosis.dataset.pictures import Pictures, draw_pictures
    from anastylosis.dataset.plan import Plan
    from anastylosis.dataset.preset import list_levels, paper_levels
    from anastylosis.dataset.reader import Dataset
    from anastylosis.dataset.sample import Sample
    from anastylosis.dataset.schema import table_schema
    from anastylosis.dataset.shard import code_fingerprint
    from anastylosis.dataset.shots import Recipe, plan_shot
    from anastylosis.dataset.truth import Truth
    from anastylosis.dataset.verification import verify

__all__ = [
    "BlockSizes",
    "Dataset",
    "Examples",
    "Pictures",
    "Plan",
    "Recipe",
    "Sample",
    "Truth",
    "check_splits",
    "code_fingerprint",
    "draw_pictures",
    "generate",
    "list_levels",
    "paper_levels",
    "plan_shot",
    "read_examples",
    "read_rows",
    "table_schema",
    "verify",
]

__getattr__, __dir__ = load_on_demand(__name__)
