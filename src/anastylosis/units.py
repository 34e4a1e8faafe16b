"""SI inside, people's units outside: used only where something is shown (`cli`, `report`, `web`, what `--json` prints)."""

import math

__all__ = ["metres_to_micrometres", "metres_to_millimetres", "newtons_to_millinewtons", "radians_to_degrees"]


def metres_to_millimetres(metres: float) -> float:
    return metres * 1e3


def metres_to_micrometres(metres: float) -> float:
    return metres * 1e6


def newtons_to_millinewtons(newtons: float) -> float:
    return newtons * 1e3


def radians_to_degrees(radians: float) -> float:
    return radians * (180.0 / math.pi)
