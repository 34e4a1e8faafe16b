"""Mechanics: closed forms of block structures. Shares no code with `physics`; each tests the other."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.mechanics.balance import Balance, measure_balance
    from anastylosis.mechanics.equilibrium import solve_equilibrium
    from anastylosis.mechanics.interface import Interface, find_interfaces
    from anastylosis.mechanics.move import CENTRE, KINDS, RISKS, Axis, Move, classify_move
    from anastylosis.mechanics.pull import solve_pull
    from anastylosis.mechanics.push_force import push_force_layers, push_force_slide, push_force_torque, shared_loads
    from anastylosis.mechanics.safety import find_safety

__all__ = [
    "CENTRE",
    "KINDS",
    "RISKS",
    "Axis",
    "Balance",
    "Interface",
    "Move",
    "classify_move",
    "find_interfaces",
    "find_safety",
    "measure_balance",
    "push_force_layers",
    "push_force_slide",
    "push_force_torque",
    "shared_loads",
    "solve_equilibrium",
    "solve_pull",
]

__getattr__, __dir__ = load_on_demand(__name__)
