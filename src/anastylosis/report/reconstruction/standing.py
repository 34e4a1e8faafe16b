"""Standing: how many blocks still stand and how sure that is, in the same words wherever it is told."""

from collections.abc import Mapping, Sequence
from typing import Any


def describe_standing(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Describe the `blocks` of reconstruction.json that still stand; name the least sure one unless all are certain."""
    seen = [block for block in blocks if block["basis"] == "evidence"]
    words = f"{len(seen)} still stand{'s' * (len(seen) == 1)}"
    least = min(seen, key=lambda block: block["certainty"], default=None)
    if least is None or least["certainty"] == 1:
        return words
    return f"{words} (least sure: {least['id']}, {least['certainty']:.0%})"
