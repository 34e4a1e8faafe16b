"""Closed forms of block structures: forces, moves, balance, equilibrium. Shares no code with `physics`; each tests the other."""

from anastylosis.mechanics.balance import Balance, measure_balance
from anastylosis.mechanics.interface import FLOOR, GAP_TOLERANCE, Interface, find_interfaces
from anastylosis.mechanics.move import Axis, Kind, Move, Risk, classify_move
from anastylosis.mechanics.push_force import (
    GRAVITY,
    friction_limit,
    push_force_layers,
    push_force_loaded,
    push_force_slide,
    push_force_torque,
    shared_loads,
)

__all__ = [
    "FLOOR",
    "GAP_TOLERANCE",
    "GRAVITY",
    "Axis",
    "Balance",
    "Interface",
    "Kind",
    "Move",
    "Risk",
    "classify_move",
    "find_interfaces",
    "friction_limit",
    "measure_balance",
    "push_force_layers",
    "push_force_loaded",
    "push_force_slide",
    "push_force_torque",
    "shared_loads",
]
