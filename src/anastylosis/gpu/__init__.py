"""GPUs: those that there are, what is missing, and worlds on them. Importing this makes no CUDA context."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.gpu.compiling import as_on_cpu, gpu_entry
    from anastylosis.gpu.driver import read_driver, reason_without_gpu, refuse_without_gpu
    from anastylosis.gpu.poses import DevicePoses
    from anastylosis.gpu.worlds import GpuArrays

__all__ = [
    "DevicePoses",
    "GpuArrays",
    "as_on_cpu",
    "gpu_entry",
    "read_driver",
    "reason_without_gpu",
    "refuse_without_gpu",
]

__getattr__, __dir__ = load_on_demand(__name__)
