"""The validation table: every experiment, or those asked for, one row a check."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from anastylosis.errors import AnastylosisError, InvalidInput
from anastylosis.kernel_cache import is_compiled
from anastylosis.physics import warm_up
from anastylosis.validation.check import Check, Experiment, fail
from anastylosis.validation.checks import (
    collapse,
    equilibrium,
    extraction,
    free_motion,
    friction,
    impact,
    peer,
    pulling,
    residual,
    towers,
)

EXPERIMENTS: tuple[Experiment, ...] = (
    *free_motion.EXPERIMENTS,
    *friction.EXPERIMENTS,
    *impact.EXPERIMENTS,
    *pulling.EXPERIMENTS,
    *extraction.EXPERIMENTS,
    *towers.EXPERIMENTS,
    *equilibrium.EXPERIMENTS,
    *collapse.EXPERIMENTS,
    *residual.EXPERIMENTS,
    *peer.EXPERIMENTS,
)


def run_checks(
    *, quick: bool = False, only: str | None = None, progress: Callable[[str], None] = lambda message: None
) -> list[Check]:
    """Run every experiment that fills a row whose name contains `only`; those rows, in the order of the table.

    `quick`: the same rows with fewer repeats and shorter holds. `progress` is told what is being worked on.
    """
    word = (only or "").strip().lower()
    names = [name for experiment in EXPERIMENTS for name in experiment.names]
    if not any(word in name for name in names):
        raise InvalidInput(f"no check has {only!r} in its name; {suggest_names(word, names)}")
    if not is_compiled("physics"):
        progress("compiling the kernels")
        warm_up()
    checks = []
    for experiment in EXPERIMENTS:
        wanted = [name for name in experiment.names if word in name]
        if not wanted:
            continue
        progress(", ".join(wanted))
        try:
            rows = experiment.run(quick)
        except AnastylosisError as error:  # a world that diverges is a result: those rows fail, the others still run
            rows = [fail(name, str(error)) for name in experiment.names]
        checks += [check for check in rows if word in check.name]
    return checks


def suggest_names(word: str, names: Sequence[str]) -> str:
    """Suggest what to ask for instead: the nearest names, or where none is near, the first words of all."""
    near = get_close_matches(word, dict.fromkeys([*families(names), *names]), n=3)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"names begin with: {', '.join(families(names))}"


def families(names: Sequence[str]) -> list[str]:
    """Return the first words of names, each once, in their order."""
    return list(dict.fromkeys(name.split("_")[0] for name in names))
