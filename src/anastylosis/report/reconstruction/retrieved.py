"""Retrieved: which simulated fall stands beside a reconstruction, and which way it was found, in words."""

from collections.abc import Mapping
from typing import Any

WAYS = {
    "lookup": "looked up by name",
    "nearest": "the nearest by count, slots, layer, friction and heap",
    "count": "the nearest by count",
    "longest": "the longest game",
}


def describe_retrieval(document: Mapping[str, Any]) -> str:
    """Describe the fall that was retrieved, or say that none was found; `document`: that of reconstruction.json."""
    reference = document["reference"]
    if reference is None:
        return "nothing: the library has no fall"
    asked = document["options"].get("lookup", True)
    taken = "" if reference["how"] == "longest" else ", so the most alike was taken"
    unnamed = f"the input is not one of the library's own falls{taken}" if asked else "not looked up by name, as asked"
    why = "" if reference["how"] == "lookup" else f"; {unnamed}"
    return f"{reference['episode']}, {WAYS[reference['how']]}, {reference['distance_mm']:.0f} mm off{why}"
