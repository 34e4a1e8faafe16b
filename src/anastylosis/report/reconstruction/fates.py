"""Fates: what came of a proposal when it was let fall again, in the same words wherever it is told."""

from collections.abc import Mapping
from typing import Any

FEW_SHARE = 0.5  # of the blocks that fell on the site


def describe_fate(proposal: Mapping[str, Any], fallen: int) -> str:
    """Describe how one of `hypotheses` in reconstruction.json fell; `fallen`: how many blocks fell on the site, as it says."""
    if proposal["fell"] is None:
        return "was not let fall again"
    if proposal["distance_mm"] is None:
        return "could not be simulated to the end"
    if not proposal["fell"]:
        return "did not fall again"
    few, wrong = describe_few(proposal["came_down"], fallen), len(proposal["contradicts"])
    parts = [f"fell again, its heap {proposal['distance_mm']:.0f} mm off", few]
    if wrong:
        parts.append(f"{wrong} that still stand{'s' * (wrong == 1)} came down too")
    return "; ".join(part for part in parts if part)


def describe_few(came_down: int, fallen: int) -> str:
    """Say that fewer blocks came down in a replay than on the site; "" if they were not few."""
    return f"only {came_down} of its blocks came down, {fallen} did on the site" if came_down < FEW_SHARE * fallen else ""
