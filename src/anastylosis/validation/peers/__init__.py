"""Other engines at the same scenes. Each module has NAME, PACKAGE, SOLVER, TIME_STEPS, is_available() and simulate()."""

from importlib import import_module
from types import ModuleType

PEERS = ("physx_peer", "rapier_peer", "mujoco_peer", "bullet_peer")


def installed_peers() -> list[ModuleType]:
    """List the peers whose package is installed; no package is imported before `simulate` is called."""
    return [peer for peer in all_peers() if peer.is_available()]


def missing_peers() -> list[ModuleType]:
    """List the peers whose package is not installed."""
    return [peer for peer in all_peers() if not peer.is_available()]


def all_peers() -> list[ModuleType]:
    return [import_module(f"{__name__}.{name}") for name in PEERS]
