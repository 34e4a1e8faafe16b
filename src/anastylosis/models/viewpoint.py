"""Viewpoint: the camera of a picture, compared with the one that a model was trained on."""

import json
import math
from typing import Any

import numpy as np

from anastylosis.models.picture_card import PictureView

__all__ = ["CAMERA_TEXT", "warn_of_camera"]

CAMERA_TEXT = "anastylosis-camera"  # `rendering.picture` writes it; that room loads numba
BYTES_MAX = 100_000
TURN, TILT = math.radians(9), math.radians(5)  # models are trained within 6 and 3 degrees; a little more does no harm
NEAR = 1e-6  # [m] least distance of a camera from its target
LARGER, SMALLER = 1.4, 0.7  # range of the width that the picture shows, as a share of the model's


@np.errstate(over="ignore", invalid="ignore")  # infinite values are handled below
def warn_of_camera(text: Any, view: PictureView) -> list[str]:
    """Return a warning for a picture whose file describes another camera; nothing if no camera can be read."""
    try:
        document = json.loads(text) if isinstance(text, str) and len(text) <= BYTES_MAX else {}
        back = np.array(document["eye"], float) - np.array(document["target"], float)
        angle = float(document["field_of_view"])
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
