"""The decorators of kernels: numba, with a cache that never serves stale code (see `kernel_cache`)."""

import logging
from collections.abc import Callable
from typing import Any

import numba

from anastylosis.kernel_cache import is_compiled, prepare_cache

__all__ = ["announce_compilation", "entry", "inlined", "kernel"]

log = logging.getLogger("anastylosis")


def compile_kernel(function: Callable[..., Any], **options: Any) -> Any:
    """numba's njit: cached, without the GIL, IEEE arithmetic (no fastmath, so the same bits everywhere)."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(prepare_cache())
    try:
        # error_model="numpy": a division by zero gives inf instead of a branch that stops vectorisation.
        return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        numba.config.CACHE_DIR = before


def entry(function: Callable[..., Any]) -> Any:
    """A kernel that Python calls."""
    return compile_kernel(function)


def kernel(function: Callable[..., Any]) -> Any:
    """A kernel that only kernels call: without the wrapper for Python it compiles twice as fast."""
    return compile_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Callable[..., Any]) -> Any:
    """A kernel that is always merged into its caller: loops over lanes vectorise only when nothing is called in them."""
    return compile_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def announce_compilation() -> None:
    """Say, once, that the first use will take a while."""
    if not is_compiled():
        log.warning("compiling the physics kernels, once for this version: about half a minute ...")
