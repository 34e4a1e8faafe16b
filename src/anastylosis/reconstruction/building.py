"""Building: an order in which a proposed tower can be put up so that every step stands by itself, and how safely."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from anastylosis.arrays import Flags
from anastylosis.assignment import UNASSIGNED
from anastylosis.mechanics import Interface, find_interfaces, find_safety, measure_balance, solve_equilibrium
from anastylosis.progress import Execute, Progress
from anastylosis.structure import Structure

if TYPE_CHECKING:
    from anastylosis.reconstruction.reconstruction import Reconstruction


DIRECTIONS = 4  # of the shaking that a step is asked to bear: along the blocks of one course or of the next
FACETS = 4  # of a friction pyramid; along its edges, which are these directions, it is the cone
MARGIN_SURE = 5e-3  # [m] at every interface of crossed courses; with more no block tips, and statics need not be asked


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
    interfaces: tuple[Interface, ...]  # of it


def order_blocks(structure: Structure, there: Flags, interfaces: Sequence[Interface] | None = None) -> list[int]:
    """List the rows of `structure` in the order in which they are put up; those of the mask `there` (B,) stand already.

    From the lowest course that is not whole, the block after which the weakest interface is the safest, if it stands with it;
    else the next such block. Where none stands by itself the safest is taken all the same. `measure_step` asks statics of all.
    `interfaces`, when they are known already, are those of `structure`.
    """
    faces = find_interfaces(structure) if interfaces is None else interfaces
    built = there.copy()
    order: list[int] = []
    while not built.all():
        lowest = structure.course[~built].min()
        rows = np.flatnonzero(~built & (structure.course == lowest))
        order.append(choose_next(structure, faces, built, rows.tolist()))
        built[order[-1]] = True
    return order


def choose_next(structure: Structure, faces: Sequence[Interface], built: Flags, rows: Sequence[int]) -> int:
    if len(rows) == 1:
        return rows[0]
    parts = {row: take_part(structure, faces, add(built, row)) for row in rows}
    margins = {row: measure_balance(*part).weakest_margin for row, part in parts.items()}
    ranked = sorted(rows, key=lambda row: -margins[row])
    for row in ranked if margins[ranked[0]] < MARGIN_SURE else ():
        if solve_equilibrium(*parts[row]).stands:
            return row
    return ranked[0]


def add(built: Flags, row: int) -> Flags:
    more = built.copy()
    more[row] = True
    return more


def take_part(structure: Structure, faces: Sequence[Interface], built: Flags) -> tuple[Structure, tuple[Interface, ...]]:
    """Select the blocks of a mask, (B,), and where they touch: of the interfaces `faces` of all of them."""
    return structure.select(built), Interface.keep_blocks(faces, built)


def set_friction(structure: Structure, friction: float) -> Structure:
    """Give all blocks and the floor this coefficient."""
    blocks = replace(structure.blocks, friction=np.full(len(structure), friction))
    return replace(structure, blocks=blocks, floor=replace(structure.floor, friction=friction))


def list_step_jobs(structure: Structure, there: Flags) -> list[StepJob]:
    """List every step of building `structure` on what stands already."""
    built, faces = there.copy(), find_interfaces(structure)
    steps = [(0, "", built.copy())] if built.any() else []
    for number, row in enumerate(order_blocks(structure, there, faces), 1):
        built[row] = True
        steps.append((number, structure.ids[row], built.copy()))
    parts = [take_part(structure, faces, there_then) for _, _, there_then in steps]
    return [
        StepJob(number=number, slot=slot, structure=part, interfaces=touching)
        for (number, slot, _), (part, touching) in zip(steps, parts, strict=True)
    ]


def measure_step(job: StepJob) -> Step:
    """Measure by statics how one step stands."""
    margin = measure_balance(job.structure, job.interfaces).weakest_margin
    safety = find_safety(
        job.structure, job.interfaces, directions=DIRECTIONS, facets=FACETS, smallest_only=True, stands=margin >= MARGIN_SURE
    )
    return Step(job.number, job.slot, safety.stands, safety.share, margin)


def order_building(found: "Reconstruction", execute: Execute, progress: Progress) -> "Reconstruction":
    """Add the steps of building the best proposal."""
    jobs = list_building_steps(found)
    steps: list[Step] = []
    progress("steps", 0, len(jobs))
    for _, step in execute(measure_step, jobs):
        steps.append(step)
        progress("steps", len(steps), len(jobs))
    return replace(found, steps=tuple(sorted(steps)))


def list_building_steps(found: "Reconstruction") -> list[StepJob]:
    """List the steps in an order that can be built, with blocks that rub no more than is known."""
    filled = found.best.state.filled
    tower = set_friction(found.structure.select(filled), found.building_friction)
    there = np.isin(np.flatnonzero(filled), found.pinned[found.pinned != UNASSIGNED])
    return list_step_jobs(tower, there)
