"""Detection: pictures of debris in, a survey of the blocks in them out. `detector.py` calls the stages in order."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.detection.camera.photograph import (
        check_foot,
        find_camera,
        read_photograph,
        read_stored_camera,
        solve_from_corners,
        solve_from_points,
    )
    from anastylosis.detection.camera.pose import Solved, make_ground, solve_camera
    from anastylosis.detection.camera.start import POINTS_MIN, Points
    from anastylosis.detection.camera.target import Target
    from anastylosis.detection.detections import STANDS, BoxProposals
    from anastylosis.detection.detector import BlockDetector
    from anastylosis.detection.view import REACH, Photo, straighten_photo

__all__ = [
    "POINTS_MIN",
    "REACH",
    "STANDS",
    "BlockDetector",
    "BoxProposals",
    "Photo",
    "Points",
    "Solved",
    "Target",
    "check_foot",
    "find_camera",
    "make_ground",
    "read_photograph",
    "read_stored_camera",
    "solve_camera",
    "solve_from_corners",
    "solve_from_points",
    "straighten_photo",
]

__getattr__, __dir__ = load_on_demand(__name__)
