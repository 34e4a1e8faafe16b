"""Memory: what visitors used goes back to the system when they leave. glibc would keep much of it, in a heap for each thread."""

import ctypes
from contextlib import suppress

ARENA_MAX = -8  # the number of this setting in glibc's malloc.h
ARENAS = 2  # heaps that all threads share; by default eight for each core


def share_heaps() -> None:
    """Have all threads of this process share a few heaps, from now on; elsewhere than on glibc nothing happens."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(ARENA_MAX, ARENAS)


def return_memory() -> None:
    """Give what is free back to the system; elsewhere than on glibc nothing happens."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))
