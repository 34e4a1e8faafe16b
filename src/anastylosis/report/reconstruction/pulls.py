"""Pulls: which block was pulled last, and how sure that is, in the same words wherever it is told."""

from collections.abc import Mapping
from typing import Any

from anastylosis.report.film import WAYS

NAMED = 3  # pulls


def describe_pulls(document: Mapping[str, Any]) -> str:
    """Describe the most probable of the pulls that were tried; "" where none was. `document`: of reconstruction.json."""
    moves = document["moves"]
    named = [f"{move['slot']} {WAYS[move['axis']]} {move['probability']:.0%}" for move in moves[:NAMED]]
    return f"{', '.join(named)}; of {len(moves)} that were tried" if named else ""
