"""The driver is asked for its GPUs, and what is missing is said. A stand-in answers for the driver."""

import ctypes

import pytest

from anastylosis.errors import DeviceMissing
from anastylosis.gpu import driver, reason_without_gpu, refuse_without_gpu
from anastylosis.gpu.driver import Gpu, driver_version, list_gpus


class StandIn:
    """Answers as libcuda does, for one A100 or none."""

    def __init__(self, count: int = 1, version: int = 12040, capability: tuple[int, int] = (8, 0)) -> None:
        self.count, self.version, self.capability = count, version, capability

    def cuInit(self, flags: int) -> int:
        return 0

    def cuDriverGetVersion(self, version) -> int:
        version._obj.value = self.version
        return 0

    def cuDeviceGetCount(self, count) -> int:
        count._obj.value = self.count
        return 0

    def cuDeviceGet(self, device, number: int) -> int:
        device._obj.value = number
        return 0

    def cuDeviceGetName(self, name, length: int, device) -> int:
        name.value = b"NVIDIA A100"
        return 0

    def cuDeviceTotalMem_v2(self, memory, device) -> int:
        memory._obj.value = 40 * 10**9
        return 0

    def cuDeviceGetAttribute(self, part, attribute: int, device) -> int:
        part._obj.value = self.capability[{75: 0, 76: 1}[attribute]]
        return 0


def install(monkeypatch, stand_in) -> None:
    def load(name: str):
        assert name == "libcuda.so.1"
        if stand_in is None:
            raise OSError(name)
        return stand_in

    monkeypatch.setattr(ctypes, "CDLL", load)


def test_a_gpu_is_described(monkeypatch) -> None:
    install(monkeypatch, StandIn())
    assert list_gpus() == [Gpu("NVIDIA A100", 40 * 10**9, (8, 0))]
    assert driver_version() == "12.4"


def test_no_driver(monkeypatch) -> None:
    install(monkeypatch, None)
    assert list_gpus() == []
    assert driver_version() is None
    with pytest.raises(DeviceMissing, match=r"no NVIDIA driver answers \(libcuda\.so\.1\); install one, .*--device cpu"):
        refuse_without_gpu()


def test_a_driver_without_a_gpu(monkeypatch) -> None:
    install(monkeypatch, StandIn(0))
    assert reason_without_gpu() == "the NVIDIA driver finds no GPU; look at nvidia-smi and at CUDA_VISIBLE_DEVICES"


@pytest.mark.parametrize(
    ("stand_in", "said"),
    [
        (StandIn(version=11080), "the NVIDIA driver serves CUDA 11.8; install one that serves 12.1 or newer"),
        (StandIn(capability=(6, 1)), "NVIDIA A100 is of compute capability 6.1; one of 7.0 or newer is needed"),
    ],
)
def test_what_is_too_old(monkeypatch, stand_in: StandIn, said: str) -> None:
    install(monkeypatch, stand_in)
    with pytest.raises(DeviceMissing, match=said):
        refuse_without_gpu()


def test_a_gpu_without_numba_cuda(monkeypatch) -> None:
    install(monkeypatch, StandIn())
    monkeypatch.setattr(driver, "find_spec", lambda name: None)
    assert "numba-cuda is not installed; run: " in (reason_without_gpu() or "")
    monkeypatch.setattr(driver, "find_spec", lambda name: object())
    assert reason_without_gpu() is None


def test_the_simulator_needs_no_gpu(monkeypatch) -> None:
    install(monkeypatch, None)
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert reason_without_gpu() is None
