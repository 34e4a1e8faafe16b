"""The paper's figure: (a) the map of one episode, (b) the embedding on a map, (c) torque against count."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.report.explanation_pages.heat import draw_contrasts, draw_episode_map, draw_picture
from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, INK, PALE, SMALL, say
from anastylosis.report.panels.series import COLOURS
from anastylosis.units import metres_to_millimetres
from anastylosis.validation import Insight, Interval, PaperFindings

FOOT = (
    "(a) ☆ the model's likeliest slots, as many as it says are gone; orange outline: truly empty; hatched bar: layers that fell. "
    "(b) {map}\n"
    "(c) ρ: rank correlation. Brackets are 95 % intervals over towers. All on the test split, which no training has seen; the "
    "true dots in (c) are moved by up to a quarter."
)
OF_MAP = "Maps by t-SNE; distances on them are not to scale. Silhouette: in all dimensions; shuffled: of labels by chance."
MARKERS = ("o", "^", "s", "D", "v", "P", "X")  # so that levels are told apart without colour, too
JITTER = 0.25
RAISED = 21  # [pt] of a title that has a line of words between it and its panel
MILLIMETRES = metres_to_millimetres(1.0)
Map = tuple[NDArray[np.int64], Floats]


@in_style
def draw_overview(insight: Insight, findings: PaperFindings, places: Map | None, title: str, *, why_no_map: str = "") -> Figure:
    """Draw the page. `places`: rows and their places on the map of the embedding; without it no map, and the foot says why."""
    foot = FOOT.format(map=OF_MAP if places is not None else f"is left out: {why_no_map}.")
    figure = begin_page(title, foot, 8.8)
    widths = [1.0, 0.65, 1.3] if places is None else [1.15, 0.8, 1.1, 1.0]
    grid = figure.add_gridspec(2, len(widths), width_ratios=widths)
    draw_picture(figure.add_subplot(grid[0, 0]), insight)
    draw_contrasts(figure.add_subplot(grid[1, 0]), findings)
    heat = figure.add_subplot(grid[:, 1])
    draw_episode_map(heat, insight)
    heat.set_title("(a) Said of each slot, %")
    if places is not None:
        draw_levels(figure.add_subplot(grid[0, 2]), insight, findings, places)
        draw_best(figure.add_subplot(grid[1, 2]), insight, findings, places)
    truth, answers = insight.truth, insight.answers
    predicted, true = figure.add_subplot(grid[0, -1]), figure.add_subplot(grid[1, -1])
    draw_torque(predicted, answers.num_removed, answers.torque_risk, insight, findings.correlations["torque and count: said"])
    draw_torque(true, truth.num_removed, truth.torque_risk, insight, findings.correlations["torque and count: true"], whole=True)
    if places is None:  # else the colours are told with the map
        key_levels(predicted, loc="lower right", bbox_to_anchor=(1, 1.01), ncols=3)
    predicted.set_title("(c) Torque risk and count, said", pad=RAISED)
    true.set_title("The same, true", pad=RAISED)
    return figure


def draw_levels(axes: Axes, insight: Insight, findings: PaperFindings, places: Map) -> None:
    """Draw the map by level of friction."""
    rows, at = places
    axes.set_title("(b) The embedding, by friction")
    level = insight.truth.friction_level[rows]
    for k in range(len(FRICTION_LEVELS)):
        mine = at[level == k]
        if len(mine):
            axes.scatter(
                mine[:, 0], mine[:, 1], s=dot_size(len(rows)), color=COLOURS[k], marker=MARKERS[k], alpha=0.75,
                linewidth=0.3, edgecolor="white", label=name_level(k),
            )  # fmt: skip
    blank(axes)
    key_levels(axes, loc="lower center", bbox_to_anchor=(0.5, -0.12), ncols=3)
    found = findings.separation
    if found is not None and np.isfinite(found.value):
        write_note(axes, f"silhouette {found.value:.3f}; shuffled {found.chance_low:.3f} to {found.chance_high:.3f}\n"
                   f"{found.words}")  # fmt: skip


def draw_best(axes: Axes, insight: Insight, findings: PaperFindings, places: Map) -> None:
    """Draw the map by the quantity that neighbours in the embedding predict best, except friction."""
    rows, at = places
    known = {name: found for name, found in findings.neighbours.items() if name != "friction" and np.isfinite(found.value)}
    if not known:
        axes.set_title("The same, by what it holds most of")
        return say(axes, "nothing differs")
    best = max(known, key=lambda name: known[name].value)
    values = findings.quantities[best][rows]
    unit = " [mm]" if best == "dispersal" else ""
    axes.set_title(f"The same, by {best}{unit}")
    drawn = axes.scatter(
        at[:, 0],
        at[:, 1],
        c=values * (MILLIMETRES if unit else 1),
        s=dot_size(len(rows)),
        cmap="viridis",
        linewidth=0.3,
        edgecolor="white",
    )
    assert axes.figure is not None
    bar = axes.figure.colorbar(drawn, ax=axes, pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=SMALL, labelcolor=GREY)
    bar.ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=not unit))
    blank(axes)
    friction = findings.neighbours.get("friction")
    words = f"its ten neighbours know it: ρ {show(known[best])}"
    write_note(axes, words if friction is None else f"{words}\nof friction they know: ρ {show(friction)}")


def draw_torque(
    axes: Axes,
    count: NDArray[np.floating],
    torque: NDArray[np.floating],
    insight: Insight,
    found: Interval,
    *,
    whole: bool = False,
) -> None:
    """Draw torque moves over blocks that were gone; whole numbers are jittered, and none below 0. ρ stands above the panel."""
    rng = np.random.default_rng(0)
    x, y = count.astype(float), torque.astype(float)
    if whole:
        x, y = (np.abs(each + rng.uniform(-JITTER, JITTER, len(each))) for each in (x, y))
    for k in range(len(FRICTION_LEVELS)):
        mine = insight.truth.friction_level == k
        if mine.any():
            axes.scatter(
                x[mine], y[mine], s=dot_size(len(x)), color=COLOURS[k], marker=MARKERS[k], alpha=0.7, linewidth=0.3,
                edgecolor="white", label=name_level(k),
            )  # fmt: skip
    axes.set_xlabel("blocks gone" if whole else "blocks gone, head 1")
    axes.set_ylabel("torque moves" if whole else "torque moves, head 4")
    axes.grid(color=PALE, linewidth=0.6)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    words = "one of them does not change" if np.isnan(found.value) else f"ρ {show(found)}"
    axes.text(0, 1.02, words, transform=axes.transAxes, ha="left", va="bottom", fontsize=SMALL + 1, color=INK)


def name_level(k: int) -> str:
    name, value = list(FRICTION_LEVELS.items())[k]
    return f"{name}, μ near {value:g}"


def key_levels(axes: Axes, **where: Any) -> None:
    axes.legend(fontsize=SMALL, frameon=False, handletextpad=0.1, columnspacing=0.8, borderaxespad=0, **where)


def write_note(axes: Axes, words: str) -> None:
    """Write words under the title; the map is moved down to give them room."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.2 * (high - low))
    axes.text(0, 0.995, words, transform=axes.transAxes, ha="left", va="top", fontsize=SMALL, color=INK, linespacing=1.4)


def show(found: Interval) -> str:
    value, low, high = found
    return f"{value:.2f}" if np.isnan(low) else f"{value:.2f} ({low:.2f} to {high:.2f})"


def dot_size(count: int) -> float:
    """Return the area of a dot [pt^2]: smaller where there are more."""
    return float(np.clip(4000 / max(count, 1), 9, 34))


def blank(axes: Axes) -> None:
    """Remove the axes of a map."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.margins(0.06)
