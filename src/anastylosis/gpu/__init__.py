"""The GPU: what there is, what is missing, and worlds on it. Nothing here makes a CUDA context when it is imported."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.gpu.compiling import as_on_cpu, gpu_entry
    from anastylosis.gpu.driver import driver_version, list_gpus, reason_without_gpu, refuse_without_gpu
    from anastylosis.gpu.poses import DevicePoses
    from anastylosis.gpu.worlds import download, grid_for, make_view, refuse_without_room, room_for, upload, upload_all

__all__ = [
    "DevicePoses",
    "as_on_cpu",
    "download",
    "driver_version",
    "gpu_entry",
    "grid_for",
    "list_gpus",
    "make_view",
    "reason_without_gpu",
    "refuse_without_gpu",
    "refuse_without_room",
    "room_for",
    "upload",
    "upload_all",
]

__getattr__, __dir__ = load_on_demand(__name__)
