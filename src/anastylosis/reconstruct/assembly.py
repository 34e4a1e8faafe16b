"""Assembly: an order in which a proposed tower can be built so that every step stands by itself, and how safely."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.mechanics import find_safety, measure_balance, solve_equilibrium
from anastylosis.structure import Structure

__all__ = ["Step", "StepJob", "list_step_jobs", "measure_step", "order_blocks"]

DIRECTIONS = 4  # of the shaking that a step is asked to bear: along the blocks of one course or of the next
FACETS = 4  # of a friction pyramid; along its edges, which are these directions, it is the cone
SURE = (
    5e-3  # [m] with a larger margin at every interface of crossed courses no block tips by itself, and statics need not be asked
)
Flags = NDArray[np.bool_]


class Step(NamedTuple):
    """One block more, and how the structure stands with it."""

    number: int  # 0: what stands already, as far as there is any
    slot: str  # "" in step 0
    stands: bool  # by the linear programme, without a prop
    safety: float  # largest level acceleration of the ground that it bears, in units of g
    margin: float  # of balance at its weakest interface [m]


@dataclass(frozen=True, kw_only=True, eq=False)
class StepJob:
    """A structure as it is after one step."""

    number: int
    slot: str
    structure: Structure


def order_blocks(structure: Structure, there: Flags) -> list[int]:
    """Rows of `structure` in the order in which they are put up; those of the mask `there` (B,) stand already.

    From the lowest course that is not whole, the block after which the weakest interface is the safest, if it stands with it;
    else the next such block. Where none stands by itself the safest is taken all the same. `measure_step` asks statics of all.
    """
    built = there.copy()
    order: list[int] = []
    while not built.all():
        lowest = structure.course[~built].min()
        rows = np.flatnonzero(~built & (structure.course == lowest))
        order.append(choose_next(structure, built, rows.tolist()))
        built[order[-1]] = True
    return order


def choose_next(structure: Structure, built: Flags, rows: Sequence[int]) -> int:
    margins = {row: measure_balance(structure.select(add(built, row))).weakest_margin for row in rows}
    ranked = sorted(rows, key=lambda row: -margins[row])
    for row in ranked if len(ranked) > 1 and margins[ranked[0]] < SURE else ():
        if solve_equilibrium(structure.select(add(built, row))).stands:
            return row
    return ranked[0]


def add(built: Flags, row: int) -> Flags:
    more = built.copy()
    more[row] = True
    return more


def list_step_jobs(structure: Structure, there: Flags) -> list[StepJob]:
    """Every step of building `structure` on what stands already."""
    built = there.copy()
    jobs = [StepJob(number=0, slot="", structure=structure.select(built))] if built.any() else []
    for number, row in enumerate(order_blocks(structure, there), 1):
        built[row] = True
        jobs.append(StepJob(number=number, slot=structure.ids[row], structure=structure.select(built)))
    return jobs


def measure_step(job: StepJob) -> Step:
    """What statics say of one step."""
    safety = find_safety(job.structure, directions=DIRECTIONS, facets=FACETS, smallest_only=True)
    margin = measure_balance(job.structure).weakest_margin
    return Step(job.number, job.slot, safety.stands, safety.share, margin)
