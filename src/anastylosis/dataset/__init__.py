"""Datasets: many episodes on disk, planned, made, resumed, checked."""

from anastylosis.dataset.generation import Progress, generate
from anastylosis.dataset.level import Level, Player
from anastylosis.dataset.plan import Plan
from anastylosis.dataset.preset import friction_levels, learn_levels, paper_levels
from anastylosis.dataset.reader import Dataset
from anastylosis.dataset.split import Shares
from anastylosis.dataset.verification import DatasetFault, Verified, verify

__all__ = [
    "Dataset",
    "DatasetFault",
    "Level",
    "Plan",
    "Player",
    "Progress",
    "Shares",
    "Verified",
    "friction_levels",
    "generate",
    "learn_levels",
    "paper_levels",
    "verify",
]
