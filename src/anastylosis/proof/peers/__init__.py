"""Other engines at the same scenes. Each module has NAME, SOLVER, TIME_STEPS, is_available() and simulate()."""

from importlib import import_module
from types import ModuleType

__all__ = ["installed_peers"]

PEERS = ("physx_peer", "rapier_peer", "mujoco_peer", "bullet_peer")


def installed_peers() -> list[ModuleType]:
    """The peers whose package is installed; none of the packages is imported before `simulate` is called."""
    peers = [import_module(f"{__name__}.{name}") for name in PEERS]
    return [peer for peer in peers if peer.is_available()]
