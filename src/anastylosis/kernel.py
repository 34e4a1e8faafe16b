"""Decorators of kernels, for every room that has some: numba, with a cache that never serves stale code
(see `kernel_cache`).
"""

import logging
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
from numba.core import event, types

from anastylosis.kernel_cache import is_compiled, prepare_cache, room_of

__all__ = ["announce_compilation", "compile_for", "entry", "follow_compilation", "inlined", "kept", "kernel"]

LINE_EVERY = 5.0  # [s] between two lines about one compilation

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


def kept(function: Callable[..., Any]) -> Any:
    """Make a kernel that only kernels call, kept on disk by itself: one process compiles it while another is at others."""
    return compile_kernel(function, cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def kernel(function: Callable[..., Any]) -> Any:
    """Make a kernel that only kernels call: without the wrapper for Python it compiles twice as fast."""
    return compile_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Callable[..., Any]) -> Any:
    """Make a kernel that is always merged into its caller: loops over lanes vectorise only when nothing is called in them."""
    return compile_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


@cache
def announce_compilation(room: str, duration: str) -> None:
    """Announce, once, that the first use of a room will take a while, unless its compilation is followed line by line."""
    if not is_compiled(room) and not CompilationLines.open:
        log.warning("compiling the %s kernels, once for this version: %s ...", room, duration)


def compile_for(dispatcher: Any, *arguments: Any) -> None:
    """Compile a kernel for arguments like these, or load it from the cache; nothing is run."""
    if not numba.config.DISABLE_JIT:
        dispatcher.compile(tuple(dispatcher.typeof_pyval(argument) for argument in arguments))


@contextmanager
def follow_compilation(what: str, *entries: Any, done: Collection[Any] = ()) -> Iterator[None]:
    """Log how many of the kernels that these entries need are compiled within, a line now and then.

    `done`: kernels that are on disk with all that they call; they are loaded, not compiled.
    """
    wanted = list_kernels(entries, without=done)
    with event.install_listener("numba:compile", CompilationLines(what, wanted)):
        CompilationLines.open += 1
        try:
            yield
        finally:
            CompilationLines.open -= 1


class CompilationLines(event.Listener):
    """Lines about one compilation, from numba's events."""

    open = 0  # compilations that are followed just now

    def __init__(self, what: str, wanted: set[Any]) -> None:
        self.what, self.wanted, self.total, self.said = what, wanted, len(wanted), -LINE_EVERY
        self.found = False

    def on_start(self, event: Any) -> None:
        """Say what begins, once something is compiled and not loaded."""
        if not self.found:
            self.found = True
            self.say(f"0 of {self.total} kernels")

    def on_end(self, event: Any) -> None:
        """Count a kernel; a second version of one, for other types, does not count."""
        self.wanted.discard(event.data["dispatcher"].py_func)
        if not self.wanted:
            self.said = -LINE_EVERY
        if time.monotonic() - self.said >= LINE_EVERY and self.total:
            self.say(f"{self.total - len(self.wanted)} of {self.total} kernels")
            self.total = self.total if self.wanted else 0  # the last line was said

    def say(self, how_far: str) -> None:
        """Log a line."""
        self.said = time.monotonic()
        log.warning("compiling %s, once for this version: %s", self.what, how_far)


def list_kernels(dispatchers: Collection[Any], without: Collection[Any] = ()) -> set[Any]:
    """List the functions of these kernels and of all that they call, but for those `without` and what these call."""
    found: set[Any] = set()
    skipped = list_kernels(without) if without else set()
    waiting = [each for each in dispatchers if hasattr(each, "py_func")]  # plain functions in the CUDA simulator
    while waiting:
        function = waiting.pop().py_func
        if function in found or function in skipped:
            continue
        found.add(function)
        named = (function.__globals__.get(name) for name in function.__code__.co_names)
        waiting += [each for each in named if hasattr(each, "py_func")]
    return found
