"""Kernels on the command line: compile missing ones, one process a room, before all processes need them."""

from importlib import import_module
from typing import TYPE_CHECKING

from anastylosis.kernel_cache import KERNEL_ROOMS, is_compiled

if TYPE_CHECKING:
    from anastylosis.reconstruction.problem import Execute

__all__ = ["compile_kernels"]


def compile_kernels(execute: "Execute") -> None:
    """The first run of all takes a minute or two here; later ones pass."""
    missing = [room for room in KERNEL_ROOMS if not is_compiled(room)]
    for _ in execute(warm_room, missing) if missing else ():
        pass


def warm_room(room: str) -> None:
    import_module(f"anastylosis.{room}").warm_up()
