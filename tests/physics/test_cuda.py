"""Worlds on a GPU: by the CUDA simulator, which runs kernels in Python, and, where there is one, on a real GPU (marked `gpu`)."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from anastylosis.errors import DeviceMissing, InvalidInput
from anastylosis.gpu import reason_without_gpu
from anastylosis.physics import EngineConfig, Simulation, paper_config
from anastylosis.structure import jenga_tower
from support.cuda_simulator import run_simulated
from support.simulated_gpu import step_two_towers
from support.worlds import kick

MISSING = reason_without_gpu()
on_gpu = pytest.mark.skipif(MISSING is not None, reason=f"no GPU to test on: {MISSING}")


def test_the_simulator_gives_the_bits_of_the_cpu(project: Path) -> None:
    """The launch, the layout with the world axis last, what is sent and brought back: all but the arithmetic of a real GPU."""
    assert run_simulated(project, "simulated_gpu.py") == json.loads(json.dumps(step_two_towers("cpu")))


def test_nothing_of_cuda_is_loaded_by_a_simulation_on_the_cpu() -> None:
    """Workers make no CUDA context: they do not even load what could make one."""
    code = (
        "import sys, anastylosis.dataset, anastylosis.gpu; from anastylosis.physics import Simulation; "
        "from anastylosis.structure import jenga_tower; Simulation(jenga_tower(1)); "
        "print([name for name in sys.modules if name.startswith(('numba_cuda', 'numba.cuda.cudadrv', 'cuda.'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(MISSING is None, reason="there is a GPU")
def test_without_a_gpu_it_is_said_what_is_missing() -> None:
    with pytest.raises(DeviceMissing, match=r"there is no GPU to work on: .*; without one, leave out --device cuda"):
        Simulation(jenga_tower(1), device="cuda")


def test_a_device_that_is_none() -> None:
    with pytest.raises(InvalidInput, match="device is 'tpu'; choose one of cpu, cuda"):
        Simulation(jenga_tower(1), device="tpu")


def both(config: EngineConfig | None, worlds: int, layers: int, seconds: float, speed: float) -> tuple[Simulation, Simulation]:
    """The same kicked towers on the CPU and on the GPU, after `seconds`."""
    towers = [jenga_tower(layers, friction=0.3 + 0.3 * n / worlds) for n in range(worlds)]
    pair = tuple(kick(Simulation(towers, config, device=device), range(worlds), speed) for device in ("cpu", "cuda"))
    for simulation in pair:
        simulation.run(seconds)
    return pair


@pytest.mark.gpu
@on_gpu
@pytest.mark.parametrize("config", [None, paper_config(), EngineConfig(sleep=True)], ids=["block", "pgs", "sleep"])
def test_a_gpu_gives_the_numbers_of_the_cpu(config: EngineConfig | None) -> None:
    """Same operations in the same order, each rounded as IEEE 754 says: equal numbers, also in a collapse, which doubles every
    difference many times a second. (-0 and 0 are equal numbers.)"""
    cpu, gpu = both(config, worlds=40, layers=6, seconds=1.0, speed=0.3)
    for name, ours, theirs in zip(cpu.state._fields, cpu.state, gpu.state, strict=True):
        assert np.array_equal(ours, theirs), f"{name} differs by {np.abs(ours.astype(float) - theirs).max():.3g}"


@pytest.mark.gpu
@on_gpu
def test_a_gpu_is_faster_than_a_core() -> None:
    """World-seconds a second, compiled before; printed, and at least those of one core when there are many worlds."""
    towers = [jenga_tower(18)] * 2048
    rates = {}
    for device, worlds in (("cpu", 2), ("cuda", 2048)):
        simulation = Simulation(towers[:worlds], device=device, threads=1, pairs_per_block=8)
        simulation.run(1 / 240)
        begin = time.perf_counter()
        simulation.run(0.5)
        rates[device] = worlds * 0.5 / (time.perf_counter() - begin)
    print(f"world-seconds a second: one core {rates['cpu']:.1f}, GPU {rates['cuda']:.1f}")
    assert rates["cuda"] > rates["cpu"]
