"""The GPU: what there is, what is missing, and worlds on it. Nothing here makes a CUDA context when it is imported."""

from anastylosis.gpu.driver import Gpu, driver_version, list_gpus, reason_without_gpu, refuse_without_gpu

__all__ = ["Gpu", "driver_version", "list_gpus", "reason_without_gpu", "refuse_without_gpu"]
