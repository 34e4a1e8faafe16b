"""Compiling the kernels of the CPU for CUDA with equal results, by three settings that numba-cuda has no option for."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numba import cuda

from anastylosis.gpu.driver import is_simulated

COMPILING = threading.RLock()  # numba-cuda is changed for all threads while one compiles


def gpu_entry(function: Callable[..., Any]) -> Any:
    """Make a kernel that is launched on a GPU, within `as_on_cpu`.

    Without link-time optimisation, which numba-cuda does by default: the linker writes the machine code then, and merges products
    and sums that NVVM was told to keep apart.
    """
    return cuda.jit(function) if is_simulated() else cuda.jit(function, lto=False)


@contextmanager
def as_on_cpu() -> Iterator[None]:
    """Make kernels that are compiled within, at their first launch, round as they do on the CPU, and compile them once.

    NVVM would merge a product and a sum into one operation that rounds once; `fma=0` keeps them apart, and with IEEE's sums,
    products, quotients and roots every number is that of the CPU. numba-cuda compiles a version for every literal argument, and
    hands NVVM every function as often as it is called: without that it takes half of the time.
    """
    if is_simulated():  # where nothing is compiled
        yield
        return
    from numba.core import types
    from numba.cuda.cudadrv import nvvm
    from numba.cuda.dispatcher import CUDADispatcher

    def compile_exactly(modules: str | Sequence[str], **options: Any) -> Any:
        many = [modules] if isinstance(modules, str) else list(dict.fromkeys(modules))
        return compile_ir(many, **options | {"fma": 0})

    def resolve_plain(dispatcher: Any, args: Any, kws: Any) -> Any:
        plain = types.unliteral  # type: ignore[attr-defined]
        return resolve(dispatcher, tuple(map(plain, args)), {name: plain(arg) for name, arg in kws.items()})

    with COMPILING:
        compile_ir, resolve = nvvm.compile_ir, CUDADispatcher.get_call_template
        nvvm.compile_ir, CUDADispatcher.get_call_template = compile_exactly, resolve_plain
        try:
            yield
        finally:
            nvvm.compile_ir, CUDADispatcher.get_call_template = compile_ir, resolve
