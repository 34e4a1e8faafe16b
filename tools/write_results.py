"""Write the tables of docs/explanation/results.md, and docs/explanation/dashboard.png, from a dataset.

    python tools/write_results.py FOLDER

What is between the markers is written anew; the words around it are written by people and stay. Where there is no page
yet, one is begun.
"""

import math
import sys
import tempfile
from pathlib import Path

from PIL import Image

from anastylosis.dataset import Dataset, Plan, paper_levels
from anastylosis.dataset.manifest import plan_manifest
from anastylosis.report.dashboard import write_dashboard
from anastylosis.report.games import KINDS
from anastylosis.report.summary import LevelRow, MoveRow, Summary, summarise
from anastylosis.whole_file import write_whole
from write_claims_table import render_table, replace_between

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "results.md"
PICTURE = PROJECT / "docs" / "explanation" / "dashboard.png"

PICTURE_MAX = 300_000  # bytes
PARTS = ("made", "levels", "moves")

BEGINNING = """\
# Results

The paper's experiment, its table of results filled, and the same data on one page.

<!-- made: generated, do not edit -->
<!-- end of made -->

## By friction

<!-- levels: generated, do not edit -->
<!-- end of levels -->

A round is a pull that was not stuck. F_min and F_τ are the paper's 3 μ m g and 4 μ m g, closed forms; *felt* is the largest
force of the hand at a pull, the mean over blocks that came out; it pulls no harder than 1.25 times what an even share of the
load would need, and a block that needs more is stuck. Torque moves are rounds in which a side block was pulled across. In
brackets: 95 % intervals, Wilson for towers that fell, bootstrap over episodes for the others.

## By kind of move

The share of rounds of each kind at which the tower fell, with Wilson intervals.

<!-- moves: generated, do not edit -->
<!-- end of moves -->

## On one page

![Twelve panels: falls, rounds, forces, margins, risks, torques, energies, movements, layers, kinds, floor, angles](dashboard.png)
"""


def write_results(folder: Path, page: Path = PAGE, picture: Path = PICTURE) -> None:
    """Both files."""
    dataset = Dataset(folder)
    text = page.read_text(encoding="utf-8") if page.exists() else BEGINNING
    text = render_page(text, dataset, summarise(dataset))
    write_picture(dataset, picture)
    page.write_text(text, encoding="utf-8")


def render_page(page: str, dataset: Dataset, summary: Summary) -> str:
    """`page` with every part between its two markers written anew."""
    parts = (render_made(dataset, summary), render_levels(summary.levels), render_moves(summary.moves))
    for name, part in zip(PARTS, parts, strict=True):
        page = replace_between(page, name, part)
    return page


def render_made(dataset: Dataset, summary: Summary) -> str:
    """What the tables are made from, and the commands that make it."""
    manifest, name = dataset.manifest, dataset.folder.resolve().name
    episodes, rounds = sum(row.episodes for row in summary.levels), sum(row.rounds for row in summary.levels)
    commands = [f"anastylosis summary {name}", f"anastylosis dashboard {name} --out dashboard.png"]
    wanted = max(manifest.episodes.values())
    if manifest.levels == plan_manifest(Plan(levels=paper_levels(wanted)), "").levels:
        commands.insert(0, f"anastylosis simulate {name} --preset paper --episodes {wanted} --seed {manifest.seed}")
    lines = "\n".join(commands)
    return (
        f"{episodes:,} episodes, {rounds:,} rounds; seed {manifest.seed}, Anastylosis {manifest.version}.\n\n"
        f"```\n{lines}\n```\n\nWritten here by `python tools/write_results.py {name}`.\n"
    )


def render_levels(rows: tuple[LevelRow, ...]) -> str:
    """The paper's table of results."""
    header = ("level", "μ", "collapsed", "mean rounds", "F_min", "F_τ", "felt", "torque moves", "stuck pulls")
    return render_table(header, map(render_level, rows))


def render_level(row: LevelRow) -> tuple[str, ...]:
    collapsed = show(row.collapsed_percent, row.collapsed_low_percent, row.collapsed_high_percent, 1)
    torque = show(row.torque_moves_percent, row.torque_moves_low_percent, row.torque_moves_high_percent, 1)
    stuck = show(row.stuck_percent, row.stuck_low_percent, row.stuck_high_percent, 1)
    alike = row.friction_low == row.friction_high
    return (
        row.level,
        f"{row.friction:g}" if alike else f"{row.friction_low:.2f} to {row.friction_high:.2f}",
        f"{row.collapsed} / {row.episodes}, {collapsed} %",
        show(row.rounds_mean, row.rounds_low, row.rounds_high, 2),
        f"{row.force_min_mN:.1f} mN",
        f"{row.force_torque_mN:.1f} mN",
        f"{show(row.force_felt_mN, row.force_felt_low_mN, row.force_felt_high_mN, 0)} mN",
        f"{torque} %",
        f"{row.stuck}, {stuck} %",
    )


def render_moves(rows: tuple[MoveRow, ...]) -> str:
    """A line a level, a column a kind of move."""
    levels: dict[str, list[str]] = {}
    for row in rows:
        share = show(row.collapse_percent, row.collapse_low_percent, row.collapse_high_percent, 1)
        levels.setdefault(row.level, []).append(f"{share} %, {row.collapsed} of {row.rounds}")
    return render_table(("level", *(f"`{kind}`" for kind in KINDS), "all"), ((level, *cells) for level, cells in levels.items()))


def show(value: float, low: float, high: float, decimals: int) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.{decimals}f}" if math.isnan(low) else f"{value:.{decimals}f} ({low:.{decimals}f}-{high:.{decimals}f})"


def write_picture(dataset: Dataset, path: Path) -> None:
    """The dashboard in 256 colours: a third of the bytes, without a visible difference."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "dashboard.png"
        write_dashboard(dataset, whole)
        with Image.open(whole) as picture, write_whole(path) as part:
            small = picture.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
            small.save(part, format="png", optimize=True)
            if part.stat().st_size > PICTURE_MAX:
                raise SystemExit(f"{path.name} would have {part.stat().st_size:,} bytes, more than {PICTURE_MAX:,}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tools/write_results.py FOLDER")
    write_results(Path(sys.argv[1]))
