"""Driver of the GPUs, asked directly which there are. Loads neither numba nor torch, and makes no CUDA context."""

import ctypes
import os
from importlib.util import find_spec
from typing import Any, NamedTuple

from anastylosis.errors import DeviceMissing
from anastylosis.machine import install_line

LIBRARY = "libcuda.so.1"
NAME_MAX = 256
MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
# The step is launched with more than 4 kB of arguments: older drivers (by their CUDA) and older GPUs do not take so many.
CUDA_MIN, CAPABILITY_MIN = (12, 1), (7, 0)
SIMULATOR = "NUMBA_ENABLE_CUDASIM"  # numba's own word: kernels run in Python


class Gpu(NamedTuple):
    """One CUDA device."""

    name: str
    memory: int  # [B]
    capability: tuple[int, int]  # compute capability: (8, 0) is sm_80


class Driver(NamedTuple):
    """The driver of this machine."""

    version: str | None  # the newest CUDA that it serves, "12.4"; None without a driver
    gpus: list[Gpu]


def read_driver() -> Driver:
    """Ask the driver for its version and its GPUs."""
    return Driver(driver_version(), list_gpus())


def list_gpus() -> list[Gpu]:
    """List the CUDA devices of this machine; none without a driver."""
    driver = open_driver()
    count = ctypes.c_int(0)
    if driver is None or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    return [describe_gpu(driver, number) for number in range(count.value)]


def describe_gpu(driver: Any, number: int) -> Gpu:
    """Describe name, memory and capability of a device."""
    device, memory, part = ctypes.c_int(0), ctypes.c_size_t(0), ctypes.c_int(0)
    name = ctypes.create_string_buffer(NAME_MAX)
    driver.cuDeviceGet(ctypes.byref(device), number)
    driver.cuDeviceGetName(name, NAME_MAX, device)
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
    capability = []
    for attribute in (MAJOR, MINOR):
        driver.cuDeviceGetAttribute(ctypes.byref(part), attribute, device)
        capability.append(part.value)
    return Gpu(name.value.decode(errors="replace"), memory.value, (capability[0], capability[1]))


def driver_version() -> str | None:
    """Return the newest CUDA that the driver serves, "12.4"; None without a driver."""
    version = read_version()
    return None if version is None else join_numbers(version)


def read_version() -> tuple[int, int] | None:
    """Return the version as numbers."""
    driver = open_driver()
    version = ctypes.c_int(0)
    if driver is None or driver.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return None
    return version.value // 1000, version.value % 1000 // 10


def join_numbers(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def open_driver() -> Any | None:
    """Open NVIDIA's driver; None if there is none, or none that works."""
    try:
        driver = ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None


def is_simulated() -> bool:
    """Return True when numba runs CUDA kernels in Python, for tests."""
    return os.environ.get(SIMULATOR, "0") not in ("", "0")


def reason_without_gpu() -> str | None:
    """Return why this process cannot step worlds on a GPU, and what helps. None: it can."""
    if is_simulated():
        return None
    if open_driver() is None:
        return f"no NVIDIA driver answers ({LIBRARY}); install one, or, in a container, pass the GPU in"
    gpus, version = list_gpus(), read_version()
    if not gpus:
        return "the NVIDIA driver finds no GPU; look at nvidia-smi and at CUDA_VISIBLE_DEVICES"
    if version is not None and version < CUDA_MIN:
        return f"the NVIDIA driver serves CUDA {join_numbers(version)}; install one that serves {join_numbers(CUDA_MIN)} or newer"
    first = gpus[0]  # the one that is used
    if first.capability < CAPABILITY_MIN:
        found, least = join_numbers(first.capability), join_numbers(CAPABILITY_MIN)
        return f"{first.name} is of compute capability {found}; one of {least} or newer is needed, see CUDA_VISIBLE_DEVICES"
    if find_spec("numba_cuda") is None:
        return f"numba-cuda is not installed; run: {install_line('gpu')}"
    return None


def refuse_without_gpu() -> None:
    """Raise `DeviceMissing` when there is no GPU that can be used."""
    missing = reason_without_gpu()
    if missing:
        raise DeviceMissing(missing)
