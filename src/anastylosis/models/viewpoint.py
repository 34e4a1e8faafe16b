"""Viewpoint: whether a picture that says its camera was taken from where a model has learned to look from."""

import json
import math
from typing import Any

import numpy as np

from anastylosis.models.card import View

__all__ = ["CAMERA_TEXT", "warn_of_camera"]

CAMERA_TEXT = "anastylosis-camera"  # `rendering.picture` writes it; that room loads numba, and this one answers at once
BYTES_MAX = 100_000
TURN, TILT = math.radians(9), math.radians(5)  # models learn from 6 and 3 degrees around their camera; a little more is no harm
NEAR = 1e-6  # [m] what is nearer to what it looks at is no camera
LARGER, SMALLER = 1.4, 0.7  # of what the picture shows, beside what the model's camera does


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is asked for below
def warn_of_camera(text: Any, view: View) -> list[str]:
    """What is to be said of a picture with this text about its camera; nothing where there is none that can be read."""
    try:
        said = json.loads(text) if isinstance(text, str) and len(text) <= BYTES_MAX else {}
        back = np.array(said["eye"], float) - np.array(said["target"], float)
        angle = float(said["field_of_view"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return []
    far = float(np.linalg.norm(back))
    if back.shape != (3,) or not math.isfinite(far) or far < NEAR or not 0 < angle < math.pi:
        return []
    turn = math.remainder(math.atan2(back[1], back[0]) - view.azimuth, 2 * math.pi)
    tilt = math.atan2(back[2], math.hypot(back[0], back[1])) - view.elevation
    shown, known = 2 * far * math.tan(angle / 2), 2 * view.reach  # [m] of the scene, from the lower edge to the upper one
    differs = []
    if abs(turn) > TURN:
        differs.append(f"{math.degrees(abs(turn)):.0f} degrees to the side")
    if abs(tilt) > TILT:
        differs.append(f"{math.degrees(abs(tilt)):.0f} degrees {'higher' if tilt > 0 else 'lower'}")
    if not SMALLER <= shown / known <= LARGER:
        differs.append(f"{shown:.1f} m in the picture instead of {known:.1f}")
    if not differs:
        return []
    return [
        f"it says that its camera is not the one that the model knows ({', '.join(differs)}): the answer is worth little. Draw "
        "it with `render --view model`, or give it to `reconstruct`, which reads pictures of any camera that is known"
    ]
