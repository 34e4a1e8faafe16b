"""Clock for kernels: the processor's own counter, to measure the stages of a step."""

import platform
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import config, types
from numba.core.typing import signature
from numba.extending import intrinsic

COLLIDE, SOLVE, MOVE = 0, 1, 2  # places in the array of stage times
STAGES = 3

# Elsewhere the counter is not readable by a user's process, and on a GPU nobody reads it; the stages then read 0.
COUNTS = platform.machine().lower() in ("x86_64", "amd64")


@intrinsic
def read_counter(typing_context: Any) -> Any:
    """Read the ticks since some moment, as int64."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        if not COUNTS or builder.module.triple.startswith("nvptx"):
            return ir.Constant(word, 0)
        counter = builder.module.declare_intrinsic("llvm.readcyclecounter", [], ir.FunctionType(word, []))
        return builder.call(counter, [])

    return signature(types.int64), emit


# In the CUDA simulator kernels are plain Python, which cannot call what is emitted.
ticks: Any = (lambda: 0) if config.DISABLE_JIT else read_counter
