"""Poses of the blocks of many worlds, read in the memory where they are, here or on a GPU."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.gpu.driver import refuse_without_gpu


class DevicePoses(NamedTuple):
    """Blocks of W worlds. On a GPU all but `size` are arrays there, the world axis last, and their changes are seen."""

    size: NDArray[np.float64]  # (W, B, 3) [m], always here
    position: Any  # (W, B, 3) [m]; on a GPU (B, 3, W)
    orientation: Any  # (W, B, 4) wxyz; on a GPU (B, 4, W)
    present: Any  # (W, B) False: taken away; on a GPU (B, W)
    device: str = "cpu"  # or cuda


def send_poses(poses: DevicePoses) -> DevicePoses:
    """Copy poses that are here, such as stored ones, to the GPU."""
    if poses.device == "cuda":
        return poses
    refuse_without_gpu()
    from anastylosis.gpu.worlds import GpuArrays

    position, orientation, present = (GpuArrays.upload(array) for array in (poses.position, poses.orientation, poses.present))
    return DevicePoses(poses.size, position, orientation, present, "cuda")
