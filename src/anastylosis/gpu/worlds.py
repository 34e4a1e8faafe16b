"""Worlds on a GPU: arrays with the world axis last in memory, and kernels that see one world of them.

Neighbouring threads work on neighbouring worlds, so the same number of two worlds has to lie side by side: then a warp reads
32 of them at once. The kernels do not know. They are given views of one world, whose strides are long.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba import cuda
from numpy.typing import NDArray

from anastylosis.errors import CapacityExceeded
from anastylosis.gpu.compiling import as_on_cpu, gpu_entry

Tuple = TypeVar("Tuple", bound=tuple)

CLEARING = 1024  # threads that fill an array with zeros
THREADS = 32  # of a block: one warp, so that few worlds are spread over many processors


class GpuArrays:
    """Arrays of many worlds on a GPU: their way there and back, and views of one world for kernels."""

    @staticmethod
    def make_view(kind: type[Tuple]) -> Callable[[Any, int], Tuple]:
        """Make a device function: the tuple of arrays `kind` for one world alone.

        numba cannot loop over the fields, so they are written out.
        """
        fields = ", ".join(f"batch.{field}[..., w]" for field in kind._fields)  # type: ignore[attr-defined]
        space: dict[str, Any] = {"kind": kind}
        exec(f"def view(batch, w):\n    return kind({fields})", space)
        return numba.njit(space["view"])

    @staticmethod
    def refuse_without_room(worlds: int, memory: int) -> None:
        """Raise `CapacityExceeded` when the GPU has less free memory than so many worlds want [B]."""
        free = cuda.current_context().get_memory_info()[0]
        if memory > free:
            raise CapacityExceeded(
                f"{worlds} worlds take {memory / 1e9:.1f} GB, and the GPU has {free / 1e9:.1f} GB free: "
                "step fewer at a time, pass a smaller pairs_per_block, or use the CPU"
            )

    @staticmethod
    def upload(array: NDArray[Any]) -> Any:
        """Copy an array (W, ...) to the GPU as (..., W)."""
        return cuda.to_device(np.ascontiguousarray(np.moveaxis(array, 0, -1)))

    @staticmethod
    def upload_all(batch: Tuple) -> Tuple:
        """Copy every array of a tuple to the GPU."""
        return type(batch)(*map(GpuArrays.upload, batch))

    @staticmethod
    def room_for(batch: Tuple) -> Tuple:
        """Make zeros on the GPU in the shapes of the arrays of a tuple (W, ...), which are not read: they may be large."""
        return type(batch)(*(zeros((*array.shape[1:], array.shape[0]), array.dtype) for array in batch))

    @staticmethod
    def download(array: Any) -> NDArray[Any]:
        """Copy an array (..., W) of the GPU as (W, ...), here."""
        return np.moveaxis(array.copy_to_host(), -1, 0)

    @staticmethod
    def grid_for(threads: int) -> tuple[int, int]:
        """Return the number of blocks, and of threads in each, for so many threads or a few more."""
        return -(-threads // THREADS), THREADS


def zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """Make an array of zeros on the GPU."""
    array = cuda.device_array(shape, dtype)
    with as_on_cpu():
        clear[GpuArrays.grid_for(min(array.size, CLEARING))](array.reshape(array.size))
    return array


@gpu_entry
def clear(array):
    """Fill (N,) with zeros, each thread every n-th."""
    for n in range(cuda.grid(1), array.shape[0], cuda.gridsize(1)):
        array[n] = 0
