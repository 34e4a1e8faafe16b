"""Every CUDA kernel through CUDA's own compiler, without a GPU: to PTX by NVVM, to machine code by ptxas, for sm_80 and sm_90.

Needs the extra `gpu`, which brings both; `make cuda` installs it and runs this. Takes minutes, so it is no part of `make test`
where the extra is not installed.
"""

import re
import subprocess
import types
from importlib.util import find_spec
from pathlib import Path

import numba
import numpy as np
import pytest

from anastylosis.machine import install_line

if find_spec("numba_cuda") is None:
    pytest.skip(f"numba-cuda is not installed; run: {install_line('gpu')}", allow_module_level=True)

from anastylosis.gpu.compiling import as_on_cpu
from anastylosis.gpu.poses import DevicePoses
from anastylosis.gpu.worlds import clear
from anastylosis.physics import Simulation
from anastylosis.physics.cuda import advance_worlds, pick_world
from anastylosis.physics.frames import build_frames
from anastylosis.rendering import cuda as pictures
from anastylosis.rendering import paper_camera
from anastylosis.rendering.look import wood_look
from anastylosis.structure import jenga_tower

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

CAPABILITIES = ((8, 0), (9, 0))
NAMES = [f"sm_{major}{minor}" for major, minor in CAPABILITIES]
PICTURE_KERNELS = ("place_boxes", "measure_suns", "order_boxes", "fill_grids", "draw_pixels", "map_pixels")
REGISTERS_MAX = 255  # what a thread may have; the step has them all
PICTURE_REGISTERS_MAX = 224  # so that nine warps of a picture fit a processor
# Bounds on what ptxas reports of the step: bytes a thread, about twice what it is. A change that goes beyond is to be looked at.
STACK_MAX, SPILL_STORES_MAX, SPILL_LOADS_MAX = 3072, 4096, 16384
PARAMETERS_MAX = 32764  # bytes that a kernel may be launched with, from CUDA 12.1 on; before, 4096


def last(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(array, 0, -1))


def lay_out(batch):
    return type(batch)(*map(last, batch))


def step_arguments() -> tuple:
    """What `advance_worlds` is launched with, of three worlds."""
    simulation = Simulation([jenga_tower(1)] * 3)
    worlds, frames = 3, lay_out(build_frames(3, 1, 3))
    parts = (simulation.model, simulation.state, simulation.control, simulation._bodies, simulation._contacts, simulation._rows)
    return (
        *map(lay_out, parts), simulation._stepper.settings, np.zeros(worlds, np.int64), np.zeros(worlds, bool), 1, frames,
        last(simulation._stages), np.zeros((2, worlds), np.int64),
    )  # fmt: skip


def compile_ptx(monkeypatch, kernel, arguments: tuple, capability: tuple[int, int]) -> str:
    """PTX of a kernel, by what a launch calls, down to the linker. It asks the present device what it can do; there need not be
    one."""
    from numba.cuda import codegen, dispatcher

    device = types.SimpleNamespace(compute_capability=capability)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device)
    monkeypatch.setattr(codegen.CUDACodeLibrary, "_ensure_cc", lambda library, cc=None: capability)
    with as_on_cpu():
        compiled = dispatcher._Kernel(kernel.py_func, tuple(map(numba.typeof, arguments)), **kernel.targetoptions)
        return compiled.inspect_lto_ptx(capability) if kernel.targetoptions["lto"] else compiled.inspect_asm(capability)


def assemble(ptx: str, capability: tuple[int, int], folder: Path) -> dict[str, int]:
    """Registers, stack and spills of a thread, by ptxas."""
    (folder / "kernel.ptx").write_text(ptx)
    ptxas = Path(find_spec("nvidia").submodule_search_locations[0]) / "cuda_nvcc" / "bin" / "ptxas"
    if not ptxas.is_file():
        pytest.skip("ptxas is not installed; it comes with nvidia-cuda-nvcc-cu12")
    arch = f"-arch=sm_{capability[0]}{capability[1]}"
    words = [str(ptxas), "-v", arch, str(folder / "kernel.ptx"), "-o", str(folder / "kernel.cubin")]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stderr
    stack, stores, loads = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said)[-1]
    (registers,) = re.findall(r"Used (\d+) registers", said)
    return {"registers": int(registers), "stack": int(stack), "spill_stores": int(stores), "spill_loads": int(loads)}


def check_exact(ptx: str) -> None:
    """One entry, and no operation that rounds once where the CPU rounds twice."""
    assert ptx.count(".visible .entry") == 1
    assert "fma.rn.f64" not in ptx
    assert not re.search(r"\b(?:add|mul|sub)\.f64\b", ptx)  # without `.rn` ptxas may merge them
    assert not re.search(r"(?:div|sqrt|rcp)\.approx", ptx)


def count_parameters(ptx: str) -> int:
    """Bytes that an entry is launched with."""
    return 8 * len(re.findall(r"\.param \.[usfb]64 ", ptx.split(".visible .entry")[1].split("{")[0]))


@pytest.mark.parametrize("capability", CAPABILITIES, ids=NAMES)
def test_the_step_compiles_and_fits(monkeypatch, tmp_path: Path, capability: tuple[int, int]) -> None:
    ptx = compile_ptx(monkeypatch, advance_worlds, step_arguments(), capability)
    check_exact(ptx)
    used, parameters = assemble(ptx, capability, tmp_path), count_parameters(ptx)
    print(f"advance_worlds: {used}, {parameters} B of parameters, {len(ptx):,} B of PTX")
    assert used["registers"] <= REGISTERS_MAX
    assert parameters <= PARAMETERS_MAX
    assert used["stack"] <= STACK_MAX
    assert used["spill_stores"] <= SPILL_STORES_MAX
    assert used["spill_loads"] <= SPILL_LOADS_MAX


@pytest.mark.parametrize("capability", CAPABILITIES, ids=NAMES)
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.bool_])
def test_what_copies_and_clears_compiles(monkeypatch, tmp_path: Path, dtype: type, capability: tuple[int, int]) -> None:
    for kernel, arguments in ((pick_world, (np.zeros((4, 3), dtype), 1, np.zeros(4, dtype))), (clear, (np.zeros(4, dtype),))):
        ptx = compile_ptx(monkeypatch, kernel, arguments, capability)
        check_exact(ptx)
        used = assemble(ptx, capability, tmp_path)
        assert (used["stack"], used["spill_stores"]) == (0, 0)
        assert used["registers"] <= 32


@pytest.mark.parametrize("capability", CAPABILITIES, ids=NAMES)
@pytest.mark.parametrize("name", PICTURE_KERNELS)
def test_pictures_compile_and_fit(monkeypatch, tmp_path: Path, name: str, capability: tuple[int, int]) -> None:
    with monkeypatch.context() as patch:
        arguments = record_launches(patch)[name]
    ptx = compile_ptx(monkeypatch, getattr(pictures, name), arguments, capability)
    check_exact(ptx)
    used = assemble(ptx, capability, tmp_path)
    print(f"{name}: {used}, {count_parameters(ptx)} B of parameters, {len(ptx):,} B of PTX")
    assert used["registers"] <= PICTURE_REGISTERS_MAX
    assert count_parameters(ptx) <= PARAMETERS_MAX
    assert (used["stack"], used["spill_stores"], used["spill_loads"]) == (0, 0, 0)  # all of a pixel fits into registers


class Pretended(np.ndarray):
    """An array that says it is on a GPU."""

    def copy_to_host(self) -> np.ndarray:
        return np.asarray(self)


def record_launches(patch) -> dict[str, tuple]:
    """What each kernel of a picture is launched with, by `draw_worlds` itself; nothing is drawn."""
    launches: dict[str, tuple] = {}

    class Recorder:
        def __init__(self, name: str) -> None:
            self.name = name

        def __getitem__(self, grid: tuple[int, int]):
            return lambda *arguments: launches.update({self.name: tuple(map(plain, arguments))})

    def pretend(array) -> np.ndarray:
        return np.asarray(array).view(Pretended)

    here = types.SimpleNamespace(to_device=pretend, device_array=lambda shape, dtype: pretend(np.empty(shape, dtype)))
    patch.setattr(pictures, "cuda", here)
    for name in PICTURE_KERNELS:
        patch.setattr(pictures, name, Recorder(name))
    tower = jenga_tower(1)
    worlds = (tower.position, tower.orientation, np.ones(3, bool))
    poses = DevicePoses(np.stack([tower.blocks.size] * 2), *(pretend(last(np.stack([array] * 2))) for array in worlds), "cuda")
    pictures.draw_worlds(poses, [paper_camera(8, 8)] * 2, [wood_look(0)] * 2, 2, "soft", ids=True, depth=True)
    return launches


def plain(argument):
    """Arrays as numba knows them."""
    if isinstance(argument, tuple):
        return type(argument)(*map(plain, argument))
    return np.asarray(argument) if isinstance(argument, Pretended) else argument
