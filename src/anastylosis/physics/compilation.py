"""Compilation of this room: two parts that two processes compile side by side, and the step that takes them from the cache."""

from pathlib import Path

from anastylosis.errors import InvalidInput
from anastylosis.kernel import compile_for, follow_compilation
from anastylosis.kernel_cache import PARTS
from anastylosis.physics.config import EngineConfig
from anastylosis.physics.model import world_view
from anastylosis.physics.overlap import deepest_overlap
from anastylosis.physics.parts import build_parts
from anastylosis.physics.seed import seed_impulses
from anastylosis.physics.simulation import PAIRS_PER_BLOCK, Simulation
from anastylosis.physics.step import advance, collide, solve_by_blocks, solve_by_points
from anastylosis.structure import jenga_tower

CONTACTS, SOLVERS = (collide,), (seed_impulses, solve_by_blocks, solve_by_points)


def warm_up(part: str | None = None) -> None:
    """Compile all kernels, or those of one part, *contacts* or *solvers*; or load them from the cache."""
    if part is not None:
        compile_part(part)
        return
    with follow_compilation("physics kernels", advance, deepest_overlap, done=find_done()):
        Simulation(jenga_tower(1)).run(EngineConfig().timestep)  # one kernel holds both solvers


def compile_part(part: str) -> None:
    """Compile the kernels of a part for the types that the step has them for."""
    if part not in PARTS["physics"]:
        raise InvalidInput(f"part is {part!r}; choose one of {', '.join(PARTS['physics'])}")
    arrays, settings, servos = build_parts([jenga_tower(1)], PAIRS_PER_BLOCK), EngineConfig().settings(), 0
    model, state, control, bodies, contacts, rows = (world_view(each, 0) for each in arrays[:-1])
    entries = CONTACTS if part == "contacts" else SOLVERS
    with follow_compilation(f"physics kernels, {part}", *entries):
        if part == "contacts":
            compile_for(collide, model, state, bodies, contacts, rows, settings)
        else:
            compile_for(seed_impulses, model, bodies, control, contacts, rows, settings)
            compile_for(solve_by_blocks, model, control, bodies, contacts, rows, settings, servos)
            compile_for(solve_by_points, model, state, control, bodies, contacts, rows, settings, servos)


def find_done() -> tuple[object, ...]:
    """Return the kernels of the parts that are on disk, or compiled in this process."""
    return tuple(each for each in (*CONTACTS, *SOLVERS) if is_kept(each))


def is_kept(dispatcher: object) -> bool:
    """Tell whether a kernel need not be compiled any more."""
    folder: str | None = getattr(getattr(dispatcher, "stats", None), "cache_path", None)
    name = getattr(getattr(dispatcher, "py_func", None), "__name__", "")
    return folder is not None and any(Path(folder).glob(f"*.{name}-*.nbc"))
