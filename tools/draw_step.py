"""Draw one step of the engine, stage by stage, for docs/explanation/physics-engine.md.

    python tools/draw_step.py [FILE]

The names are those of the functions that physics/step.py calls; a test checks that.
"""

import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

TARGET = Path(__file__).parents[1] / "docs" / "explanation" / "step.png"
# Title, what it does, and the functions, in their order.
SUBSTEP = (
    (
        "Collide",
        "near pairs, 15 axes,\nup to 4 points a pair,\ninto lanes of four",
        ("sweep_pairs", "find_contacts", "pack_rows", "fill_rows"),
    ),
    ("Accelerate", "gravity, forces\nfrom outside", ("integrate_velocity",)),
    (
        "Solve",
        "begin with the last\nimpulses; 4 passes;\npush penetration out",
        ("warm_start_blocks", "solve_servos", "solve_blocks", "push_blocks"),
    ),
    ("Move", "places and turns,\nangular momentum\nis kept", ("integrate_position",)),
    ("Bounce", "what was struck\nleaves with e times\nits approach, once", ("bounce_blocks",)),
)
BEFORE = ("Once, before time starts", "the resting forces", ("seed_impulses",))
AFTER = (
    "Once a step",
    "sleep and wake before the substeps, if asked;\nall finite? keep the frame",
    ("update_islands", "first_bad_block", "record_frame"),
)
INK, PALE, LINE, CODE = "#22313f", "#eef3f7", "#5b7f9e", "#7a4a12"
WIDE, HIGH, GAP = 2.25, 2.5, 0.35  # of a stage, and between two; the unit is an inch or so


def draw_box(axes: Axes, left: float, low: float, wide: float, high: float, stage: tuple[str, str, tuple[str, ...]]) -> None:
    title, words, names = stage
    axes.add_patch(FancyBboxPatch((left, low), wide, high, boxstyle="round,pad=0,rounding_size=0.1", fc=PALE, ec=LINE, lw=1.4))
    top = low + high
    axes.text(left + 0.12, top - 0.16, title, va="top", fontsize=12, weight="bold", color=INK)
    axes.text(left + 0.12, top - 0.52, words, va="top", fontsize=9, color=INK, linespacing=1.3)
    axes.text(left + 0.12, low + 0.12, "\n".join(names), va="bottom", fontsize=8, family="monospace", color=CODE)


def draw_arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=14, lw=1.6, color=LINE))


def draw_step() -> Figure:
    """The figure."""
    figure = Figure(figsize=(13, 6.2), dpi=110, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    total = len(SUBSTEP) * WIDE + (len(SUBSTEP) - 1) * GAP
    axes.set(xlim=(-0.4, total + 0.4), ylim=(-1.35, 4.55))
    axes.axis("off")
    axes.add_patch(
        FancyBboxPatch((-0.2, 0.75), total + 0.4, 3.35, boxstyle="round,pad=0,rounding_size=0.15", fc="none", ec=LINE, ls="--")
    )
    axes.text(-0.05, 4.2, "One substep, 1/1920 s; eight of them are a step of 1/240 s", fontsize=12, color=INK)
    for number, stage in enumerate(SUBSTEP):
        left = number * (WIDE + GAP)
        draw_box(axes, left, 1.4, WIDE, HIGH, stage)
        if number:
            draw_arrow(axes, (left - GAP, 2.65), (left, 2.65))
    axes.plot([total - WIDE / 2, total - WIDE / 2, WIDE / 2], [1.4, 1.05, 1.05], lw=1.6, color=LINE)
    draw_arrow(axes, (WIDE / 2, 1.05), (WIDE / 2, 1.4))
    axes.text(total / 2, 0.98, "eight times", ha="center", va="top", fontsize=9, color=INK)
    draw_box(axes, 0, -1.15, 3.4, 1.6, BEFORE)
    draw_arrow(axes, (0.5, 0.45), (0.5, 1.4))
    draw_box(axes, total - 5.2, -1.15, 5.2, 1.6, AFTER)
    draw_arrow(axes, (total - 0.4, 0.75), (total - 0.4, 0.45))
    return figure


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    draw_step().savefig(target, metadata={"Software": None})
    print(target)
