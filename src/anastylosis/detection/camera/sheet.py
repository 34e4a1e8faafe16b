"""Sheet: the target as a page to print, in vectors and to scale."""

from pathlib import Path
from typing import Any

from anastylosis.detection.camera.target import Target, list_squares
from anastylosis.units import metres_to_millimetres
from anastylosis.whole_file import write_whole

ARROW_MM = 80
MM_PER_INCH = 25.4
GREY = "0.25"


def write_sheet(path: Path | str, target: Target) -> None:
    """Write the sheet of a target as PDF; needs the extra `photo`."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    width, height = (metres_to_millimetres(side) for side in target.page)
    squares = list_squares(target)
    with rc_context({"pdf.fonttype": 42, "font.family": "DejaVu Sans"}):
        figure = Figure(figsize=(width / MM_PER_INCH, height / MM_PER_INCH), facecolor="none")
        canvas = FigureCanvasPdf(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))  # a unit is a millimetre, from the lower left corner of the page
        axes.set(xlim=(0, width), ylim=(0, height))
        axes.set_axis_off()
        left, bottom = (metres_to_millimetres(side) for side in target.corner)
        draw_board(axes, metres_to_millimetres(1) * squares, left, bottom)
        draw_frame(axes, left, bottom)
        draw_ruler(axes, left, bottom - 19)
        draw_words(axes, target, left + Target.RULER_MM + 12, bottom - 5)
        with write_whole(Path(path)) as part:
            canvas.print_pdf(part, metadata={"Title": f"Anastylosis floor target, {target.paper}", "CreationDate": None})


def draw_board(axes: Any, squares: Any, left: float, bottom: float) -> None:
    """Draw all that is black as one shape, without hairlines between cells."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    corners, codes = [], []
    for x, y, wide, high in squares:
        x, y = x + left, y + bottom
        corners += [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high), (x, y)]
        codes += [Outline.MOVETO, *[Outline.LINETO] * 3, Outline.CLOSEPOLY]
    axes.add_patch(PathPatch(Outline(corners, codes), facecolor="black", edgecolor="none", linewidth=0, snap=False))


def draw_frame(axes: Any, left: float, bottom: float) -> None:
    """Draw the origin and the two axes, just outside the board."""
    below, beside = bottom - 4, left - 4
    arrow = {"arrowstyle": "-|>,head_width=0.18,head_length=0.4", "color": "black", "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (left + ARROW_MM, below), (left, below), arrowprops=arrow)
    axes.annotate("", (beside, bottom + ARROW_MM), (beside, bottom), arrowprops=arrow)
    axes.plot([left, left], [below - 1.5, bottom], color="black", linewidth=0.5)
    axes.plot([beside - 1.5, left], [bottom, bottom], color="black", linewidth=0.5)
    axes.text(left + ARROW_MM + 2, below, "x", fontsize=11, va="center")
    axes.text(beside, bottom + ARROW_MM + 2, "y", fontsize=11, ha="center")
    axes.text(beside - 0.5, below - 0.5, "0", fontsize=11, ha="center", va="center", weight="bold")


def draw_ruler(axes: Any, left: float, base: float) -> None:
    """Draw a ruler of 100 mm with a line every 5."""
    axes.plot([left, left + Target.RULER_MM], [base, base], color="black", linewidth=0.6, solid_capstyle="butt")
    for mark in range(0, Target.RULER_MM + 1, 5):
        long = 4 if mark % 50 == 0 else 3 if mark % 10 == 0 else 1.5
        axes.plot([left + mark, left + mark], [base, base + long], color="black", linewidth=0.4, solid_capstyle="butt")
        if mark % 50 == 0:
            axes.text(
                left + mark, base - 1.2, f"{mark}{' mm' if mark == Target.RULER_MM else ''}", fontsize=7, ha="center", va="top"
            )


def draw_words(axes: Any, target: Target, left: float, top: float) -> None:
    """Write the instructions beside the board."""
    axes.text(left, top, "Floor target", fontsize=9, weight="bold", va="top")
    square = metres_to_millimetres(target.square)
    lines = (
        f"Print at 100 % (actual size). The ruler is {Target.RULER_MM} mm long, or the print is wrong.",
        "Lay it flat on the floor beside the debris, all of it in the picture.",
        "Measure from corner 0, along x and y, to the middle of the tower's foot.",
        f"anastylosis target --paper {target.paper}; squares of {square:g} mm",
    )
    for number, line in enumerate(lines):
        axes.text(left, top - 5 - 4 * number, line, fontsize=7, va="top", color="black" if number < 3 else GREY)
