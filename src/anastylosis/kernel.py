"""Decorators of kernels, for every room that has some: numba, with a cache that never serves stale code
(see `kernel_cache`).
"""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba.core import types

from anastylosis.kernel_cache import is_compiled, prepare_cache, room_of

__all__ = ["announce_compilation", "entry", "inlined", "kernel"]

log = logging.getLogger("anastylosis")


def compile_kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile by numba's njit: without the GIL, IEEE arithmetic (no fastmath, so equal bits everywhere), no allocation."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(prepare_cache(room_of(function.__module__)))
    try:
        # error_model="numpy": a division by zero gives inf instead of a branch that stops vectorisation.
        # _nrt=False: kernels allocate nothing, and without reference counts (two atomic additions for every row of an
        # array that is looked at) they run 1.6 times faster and compile in two thirds of the time.
        dispatcher = numba.njit(nogil=True, error_model="numpy", _nrt=False, **options)(function)
    finally:
        numba.config.CACHE_DIR = before
    if not numba.config.DISABLE_JIT:  # in the CUDA simulator kernels stay plain Python
        forget_literals(dispatcher)
    return dispatcher


def forget_literals(dispatcher: Any) -> None:
    """Compile f(0), f(1) and f(i) once, not three times: numba makes a version of its own for every literal argument."""
    resolve = dispatcher.get_call_template

    def resolve_plain(args: Any, kws: Any) -> Any:
        plain = types.unliteral  # type: ignore[attr-defined]
        return resolve(tuple(map(plain, args)), {name: plain(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = resolve_plain


def entry(function: Callable[..., Any]) -> Any:
    """Make a kernel that Python calls, if only a test's; these alone are kept on disk, with all they call inside."""
    return compile_kernel(function, cache=True, no_cfunc_wrapper=True)


def kernel(function: Callable[..., Any]) -> Any:
    """Make a kernel that only kernels call: without the wrapper for Python it compiles twice as fast."""
    return compile_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Callable[..., Any]) -> Any:
    """Make a kernel that is always merged into its caller: loops over lanes vectorise only when nothing is called in them."""
    return compile_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


@cache
def announce_compilation(room: str, duration: str) -> None:
    """Announce, once, that the first use of a room will take a while."""
    if not is_compiled(room):
        log.warning("compiling the %s kernels, once for this version: %s ...", room, duration)
