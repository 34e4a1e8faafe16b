"""The paper's figure: how far its solver is from converged after 14 iterations."""

from anastylosis.validation.check import Check, Experiment, report
from anastylosis.validation.residual import pgs_residual

NAMES = ("pgs_residual_cold", "pgs_residual_warm")


def measure_residual(quick: bool) -> list[Check]:
    """Measure the relative error of the normal impulses, from a cold and a warm start. Paper §7, its figure: < 1 %?"""
    residual = pgs_residual()
    return [report(name, residual[name.removeprefix("pgs_residual_")], "%") for name in NAMES]


EXPERIMENTS = (Experiment(NAMES, measure_residual),)
