"""The GPU: what there is, what is missing, and worlds on it. Nothing here makes a CUDA context when it is imported."""

from anastylosis.gpu.driver import Gpu, driver_version, list_gpus, refuse_without_gpu, tell_missing

__all__ = ["Gpu", "driver_version", "list_gpus", "refuse_without_gpu", "tell_missing"]
