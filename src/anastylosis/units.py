"""SI inside, people's units outside: used only where something is shown (`cli`, `report`, `web`)."""

import math

__all__ = [
    "degrees_to_radians",
    "metres_to_micrometres",
    "metres_to_millimetres",
    "micrometres_to_metres",
    "millimetres_to_metres",
    "millinewtons_to_newtons",
    "newtons_to_millinewtons",
    "radians_to_degrees",
]


def metres_to_millimetres(metres: float) -> float:
    return metres * 1e3


def millimetres_to_metres(millimetres: float) -> float:
    return millimetres * 1e-3


def metres_to_micrometres(metres: float) -> float:
    return metres * 1e6


def micrometres_to_metres(micrometres: float) -> float:
    return micrometres * 1e-6


def newtons_to_millinewtons(newtons: float) -> float:
    return newtons * 1e3


def millinewtons_to_newtons(millinewtons: float) -> float:
    return millinewtons * 1e-3


def radians_to_degrees(radians: float) -> float:
    return radians * (180.0 / math.pi)


def degrees_to_radians(degrees: float) -> float:
    return degrees * (math.pi / 180.0)
