"""Closed forms of block structures: forces, moves, balance, equilibrium. Shares no code with `physics`; each tests the other."""

from anastylosis.mechanics.balance import Balance, measure_balance
from anastylosis.mechanics.equilibrium import Equilibrium, solve_equilibrium
from anastylosis.mechanics.interface import FLOOR, GAP_TOLERANCE, Interface, find_interfaces, keep_blocks, without_block
from anastylosis.mechanics.move import CENTRE, Axis, Kind, Move, Risk, classify_move
from anastylosis.mechanics.pull import PullRange, solve_pull
from anastylosis.mechanics.push_force import (
    GRAVITY,
    friction_limit,
    push_force_layers,
    push_force_loaded,
    push_force_slide,
    push_force_torque,
    shared_loads,
)
from anastylosis.mechanics.safety import Safety, find_safety

__all__ = [
    "CENTRE",
    "FLOOR",
    "GAP_TOLERANCE",
    "GRAVITY",
    "Axis",
    "Balance",
    "Equilibrium",
    "Interface",
    "Kind",
    "Move",
    "PullRange",
    "Risk",
    "Safety",
    "classify_move",
    "find_interfaces",
    "find_safety",
    "friction_limit",
    "keep_blocks",
    "measure_balance",
    "push_force_layers",
    "push_force_loaded",
    "push_force_slide",
    "push_force_torque",
    "shared_loads",
    "solve_equilibrium",
    "solve_pull",
    "without_block",
]
