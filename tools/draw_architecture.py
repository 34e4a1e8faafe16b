"""Draw the two walks of ARCHITECTURE.md from the imports: from a fall to the disk, and from a picture to a report.

    python tools/draw_architecture.py [--check]

Each walk lists rooms from the top down, and in each room rows of files with a few words. The arrows are read from the
imports; names taken from a room's face count as taken from the file that defines them. An arrow is left out where a longer
way through the figure says as much, unless it leads to the next row of its room. `--check` writes nothing and fails if a
figure is not what the imports say.
"""

import argparse
import ast
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parents[1]
SOURCE, TARGET = PROJECT / "src", PROJECT / "docs" / "explanation"
PACKAGE = "anastylosis"

File = tuple[str, str]  # module, what it does in a few words
Rows = Sequence[Sequence[File]]
Walk = Sequence[tuple[str, Rows]]  # rooms from the top down

FALL: Walk = (
    ("cli", [[("cli.simulate", "the command")]]),
    (
        "dataset",
        [
            [("dataset.generation", "play what is missing")],
            [("dataset.shard", "eight episodes"), ("dataset.store", "folder, lock, files")],
            [("dataset.tables", "episodes as rows")],
        ],
    ),
    (
        "episode",
        [
            [("episode.play", "one game, round by round")],
            [
                ("episode.policies", "who chooses a block"),
                ("episode.hand", "pulls it"),
                ("episode.game", "the tower so far"),
                ("episode.label", "what there is to learn"),
            ],
            [("episode.recorder", "frames, rest"), ("episode.collapse", "has it fallen?")],
        ],
    ),
    (
        "mechanics",
        [[("mechanics.move", "kinds of moves"), ("mechanics.balance", "margins"), ("mechanics.push_force", "forces of a pull")]],
    ),
    (
        "physics",
        [
            [("physics.simulation", "worlds and their state")],
            [("physics.cores", "a thread a world")],
            [("physics.step", "one step")],
            [
                ("physics.broadphase", "near pairs"),
                ("physics.narrowphase", "contacts"),
                ("physics.block_solver", "impulses"),
                ("physics.integrate", "poses"),
            ],
        ],
    ),
    ("structure", [[("structure.tower", "jenga_tower"), ("structure.structure", "blocks in slots")]]),
)
PICTURE: Walk = (
    ("cli", [[("cli.reconstruct", "the command")]]),
    (
        "report",
        [
            [("report.reconstruction.results", "all files of a run")],
            [("report.reconstruction.page", "the report"), ("report.reconstruction.film", "the film of the fall")],
        ],
    ),
    (
        "reconstruction",
        [
            [("reconstruction.pipeline", "the conductor")],
            [
                ("reconstruction.observation", "observe, detect"),
                ("reconstruction.toolset", "nets, library, numbers"),
                ("reconstruction.proposals", "propose, check"),
                ("reconstruction.resimulation", "let fall, rank"),
                ("reconstruction.building", "order the building"),
            ],
            [("reconstruction.problem", "what is known"), ("reconstruction.weighing", "distances, weights")],
            [("reconstruction.draws", "joint draws, statics")],
        ],
    ),
    (
        "detection",
        [
            [("detection.detector", "the conductor")],
            [
                ("detection.slot_classifier", "what stands"),
                ("detection.votes", "propose what fell"),
                ("detection.refiner", "score and move"),
                ("detection.rescorer", "among neighbours"),
                ("detection.overlaps", "suppress, separate"),
            ],
            [("detection.view", "one scale")],
        ],
    ),
    (
        "assignment",
        [
            [
                ("assignment.assigner", "blocks to slots"),
                ("assignment.model", "the net, an ONNX file"),
                ("assignment.unfallen", "what stands"),
            ]
        ],
    ),
    ("episode", [[("episode.play", "one game")]]),
    ("mechanics", [[("mechanics.equilibrium", "does it stand?"), ("mechanics.safety", "how much shaking")]]),
    ("survey", [[("survey.survey", "what lies there")]]),
)
WALKS: Mapping[str, tuple[str, Walk]] = {
    "architecture-fall.svg": ("From a fall to the disk", FALL),
    "architecture-picture.svg": ("From a picture to a report", PICTURE),
}

BOX_WIDTH, BOX_HEIGHT, GAP_ACROSS, GAP_DOWN, PAD, LABEL = 168, 42, 36, 40, 14, 126  # [pixels]
APART, STEPS = 5, (9, 16, 23, 30)  # [pixels] between arrows that run side by side; beside a box
INK, PALE, LINE, BAND, CODE = "#22313f", "#ffffff", "#5b7f9e", "#eef3f7", "#7a4a12"


class Box(NamedTuple):
    """Place of a file in the figure: left and upper edge [pixels]."""

    left: float
    top: float


class Channel(NamedTuple):
    """Vertical part of an arrow [pixels]."""

    x: float
    high: float
    low: float


def draw_walk(title: str, walk: Walk) -> str:
    """Return a walk as SVG."""
    boxes, bands, width, height = lay_out(walk)
    words = {name: what for _, rows in walk for row in rows for name, what in row}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" font-family="sans-serif">',
        f"<title>{escape(title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 1 L10 5 L0 9 z" fill="{LINE}"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="8" fill="{PALE}"/>',
    ]
    for room, top, low in bands:
        lines.append(f'<rect x="6" y="{top}" width="{width - 12}" height="{low - top}" rx="8" fill="{BAND}"/>')
        lines.append(f'<text x="18" y="{top + 24}" font-size="15" font-weight="bold" fill="{INK}">{room}</text>')
    steps = {(one[0], other[0]) for _, rows in walk for high, low in pairwise(rows) for one in high for other in low}
    taken: list[Channel] = []
    lines += [draw_arrow(boxes[start], boxes[end], list(boxes.values()), taken) for start, end in list_arrows(list(words), steps)]
    for name, box in boxes.items():
        path = find_file(name).relative_to(SOURCE / PACKAGE / name.partition(".")[0]).as_posix().replace("/__init__.py", "/")
        middle = box.left + BOX_WIDTH / 2
        lines += [
            f'<rect x="{box.left}" y="{box.top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" '
            f'fill="{PALE}" stroke="{LINE}"/>',
            f'<text x="{middle}" y="{box.top + 18}" font-size="11" font-family="monospace" fill="{CODE}" text-anchor="middle">'
            f"{escape(path)}</text>",
            f'<text x="{middle}" y="{box.top + 34}" font-size="11" fill="{INK}" text-anchor="middle">'
            f"{escape(words[name])}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def lay_out(walk: Walk) -> tuple[dict[str, Box], list[tuple[str, float, float]], int, int]:
    """Return the box of each file, the band of each room (name, top, bottom), and the width and height of the figure."""
    widest = max(len(row) for _, rows in walk for row in rows)
    width = LABEL + widest * BOX_WIDTH + widest * GAP_ACROSS + PAD
    boxes: dict[str, Box] = {}
    bands, top = [], 6.0
    for room, rows in walk:
        start, top = top, top + PAD
        for row in rows:
            across = len(row) * BOX_WIDTH + (len(row) - 1) * GAP_ACROSS
            left = LABEL + (width - LABEL - across) / 2
            for number, (name, _) in enumerate(row):
                boxes[name] = Box(left + number * (BOX_WIDTH + GAP_ACROSS), top)
            top += BOX_HEIGHT + GAP_DOWN
        top += PAD - GAP_DOWN
        bands.append((room, start, top))
        top += GAP_DOWN - PAD
    return boxes, bands, int(width), int(top - GAP_DOWN + PAD + 6)


def draw_arrow(start: Box, end: Box, boxes: Sequence[Box], taken: list[Channel]) -> str:
    """Return the arrow between two boxes: sideways within a row, else downwards, past the boxes that are in between."""
    if start.top == end.top:
        ahead = end.left > start.left
        x0, x1 = start.left + BOX_WIDTH * ahead, end.left + BOX_WIDTH * (not ahead)
        y, high = start.top + BOX_HEIGHT / 2, 0.0 if abs(x1 - x0) < BOX_WIDTH else BOX_HEIGHT
        way = f"M{x0:g} {y:g} C{(x0 + x1) / 2:g} {y - high:g} {(x0 + x1) / 2:g} {y - high:g} {x1:g} {y:g}"
    else:
        if start.top > end.top:
            raise ValueError("an arrow leads upwards; put the file that imports above the one that it imports")
        x0, x1, y0, y1 = start.left + BOX_WIDTH / 2, end.left + BOX_WIDTH / 2, start.top + BOX_HEIGHT, end.top
        between = [box for box in boxes if y0 < box.top < y1]
        way = f"M{x0:g} {y0:g} "
        if between:
            high, low = min(box.top for box in between), max(box.top for box in between) + BOX_HEIGHT
            x = find_channel(x0, x1, between, [channel.x for channel in taken if channel.high < low and channel.low > high])
            taken.append(Channel(x, high, low))
            way += f"{bend(x0, y0, x, high)} L{x:g} {low:g} {bend(x, low, x1, y1)}"
        else:
            way += bend(x0, y0, x1, y1)
    return f'<path d="{way}" fill="none" stroke="{LINE}" stroke-width="1.3" marker-end="url(#tip)"/>'


def bend(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return a curve that leaves and arrives vertically."""
    middle = (y0 + y1) / 2
    return f"C{x0:g} {middle:g} {x1:g} {middle:g} {x1:g} {y1:g}"


def find_channel(x0: float, x1: float, between: Sequence[Box], taken: Sequence[float]) -> float:
    """Return where an arrow passes boxes on its way from `x0` to `x1`: the shortest way beside arrows that pass already."""
    beside = [x + side * step for box in between for x, side in ((box.left, -1), (box.left + BOX_WIDTH, 1)) for step in STEPS]
    free = [
        x
        for x in (x0, x1, *beside)
        if all(abs(x - other) >= APART for other in taken)
        and all(x < box.left - APART or x > box.left + BOX_WIDTH + APART for box in between)
    ]
    return min(free, key=lambda x: abs(x - x0) + abs(x - x1))


def list_arrows(names: Sequence[str], steps: Collection[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """Return the imports between these files, without those that a longer way implies; `steps` stay in any case."""
    to = {name: {other for other in names if other in find_imports(name)} - {name} for name in names}
    return [
        (start, end)
        for start in names
        for end in sorted(to[start])
        if (start, end) in steps or not any(end in reach(to, other, {start}) for other in to[start] - {end})
    ]


def reach(to: Mapping[str, set[str]], start: str, seen: set[str]) -> set[str]:
    """Return all that can be reached from a file without passing those already seen."""
    found: set[str] = set()
    for end in to[start] - seen:
        found |= {end} | reach(to, end, seen | {start, end})
    return found


@cache
def find_imports(name: str) -> frozenset[str]:
    """Return the files that a file imports, wherever in it; `name` is without the package. Raises if there is none.

    Imports for type checkers alone do not count.
    """
    tree = ast.parse(find_file(name).read_text(encoding="utf-8"))
    unread = {id(node) for branch in ast.walk(tree) if is_for_types(branch) for node in ast.walk(branch)}
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and id(node) not in unread]
    return frozenset(file for node in imports for alias in node.names for file in resolve(node.module or "", alias.name))


def is_for_types(node: ast.AST) -> bool:
    """Tell whether a node is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def resolve(module: str, name: str) -> Iterator[str]:
    """Yield the file that defines a name of a module, and the face that it was taken from, if it was."""
    if module.partition(".")[0] != PACKAGE:
        return
    room = module.removeprefix(PACKAGE).lstrip(".")
    inner = f"{room}.{name}".lstrip(".")
    if is_there(inner):
        yield inner
    elif room:
        yield room
        if find_file(room).name == "__init__.py":
            for node in ast.walk(ast.parse(find_file(room).read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names}:
                    yield from resolve(node.module or "", name)


def is_there(name: str) -> bool:
    """Tell whether a file or a room has this name."""
    place = SOURCE / PACKAGE / Path(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def find_file(name: str) -> Path:
    """Return the path of a file or of the face of a room."""
    if not is_there(name):
        raise FileNotFoundError(f"{PACKAGE}.{name} is no file of the package any more; mend the walks in {Path(__file__).name}")
    place = SOURCE / PACKAGE / Path(*name.split("."))
    return place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__init__.py"


def main(words: Sequence[str] | None = None) -> int:
    """Write both figures, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a figure is not up to date")
    asked = parser.parse_args(words)
    stale = []
    for name, (title, walk) in WALKS.items():
        path, text = TARGET / name, draw_walk(title, walk)
        if asked.check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(name)
        if not asked.check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{', '.join(stale)}: not what the imports say; run python tools/draw_architecture.py", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
