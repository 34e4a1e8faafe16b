"""Write benchmarks/claims/*.csv into the tables of docs/explanation/claims.md; a test keeps them current."""

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import SupportsFloat, TypeVar

from anastylosis.mechanics import push_force_slide, push_force_torque
from anastylosis.structure.tower import BLOCK_MASS
from anastylosis.units import newtons_to_millinewtons
from anastylosis.validation.interval import Interval, mcnemar

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "claims.md"
CLAIMS = PROJECT / "benchmarks" / "claims"

KINDS = ("center_xaxis", "side_yaxis", "side_xaxis")
PAIRS = (
    ("any_x", "any_y"),
    ("any_gone", "any_y"),
    ("full_x", "full_y"),
    ("full_centre", "full_y"),
    ("full_centre", "full_x"),
    ("full_centre_gone", "full_gone"),
)
EARLY = 5  # rounds

Row = dict[str, str]
Key = TypeVar("Key")


def render_page(page: str) -> str:
    """`page` with every table between its two markers written anew."""
    games, moves = (read_rows(CLAIMS / f"{name}.csv") for name in ("games", "moves"))
    for name, render in (("games", render_games), ("kinds", render_kinds), ("moves", render_moves)):
        page = replace_between(page, name, render(moves if name == "moves" else games))
    return page


def replace_between(page: str, name: str, table: str) -> str:
    begin, end = f"<!-- {name}: generated, do not edit -->\n", f"<!-- end of {name} -->\n"
    before, rest = page.split(begin)
    return f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"


def read_rows(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def render_games(rows: list[Row]) -> str:
    """The paper's table of results, filled, with what is needed to read it."""
    header = (
        "μ",
        "collapsed",
        "mean rounds",
        f"fell within {EARLY} rounds",
        "fell, per pull",
        "stuck",
        "F_min",
        "F_τ",
        "torque moves",
    )
    lines = []
    for friction, pulls in group(rows, lambda row: row["friction"]).items():
        games = group(pulls, lambda row: row["seed"]).values()
        taken = [row for row in pulls if row["outcome"] != "stuck"]
        rounds = [sum(row["outcome"] != "stuck" for row in game) for game in games]
        fell = [game[-1]["outcome"] == "collapse" for game in games]
        early = sum(fallen and count <= EARLY for fallen, count in zip(fell, rounds, strict=True))
        mu = float(friction)
        lines.append((
            friction,
            f"{sum(fell)} / {len(rounds)}",
            show(Interval.bootstrap_mean(rounds), "{:.2f}"),
            percent(Interval.wilson(early, len(rounds))),
            percent(Interval.wilson(sum(fell), len(taken))),
            f"{len(pulls) - len(taken)}",
            millinewtons(push_force_slide(mu, BLOCK_MASS)),
            millinewtons(push_force_torque(mu, BLOCK_MASS)),
            percent(Interval.wilson(sum(row["kind"] == "side_xaxis" for row in taken), len(taken))),
        ))  # fmt: skip
    return render_table(header, lines)


def render_kinds(rows: list[Row]) -> str:
    """How often each kind of move brought the tower down in the games."""
    lines = []
    for friction, pulls in group(rows, lambda row: row["friction"]).items():
        rates = []
        for kind in KINDS:
            outcomes = Counter(row["outcome"] for row in pulls if row["kind"] == kind and row["outcome"] != "stuck")
            fell, of = outcomes["collapse"], outcomes.total()
            rates.append(f"{percent(Interval.wilson(fell, of))}, {fell} of {of}")
        lines.append((friction, *rates))
    return render_table(("μ", *(f"`{kind}`" for kind in KINDS)), lines)


def render_moves(rows: list[Row]) -> str:
    """Move against move on the same towers."""
    lines = []
    by_friction = group(rows, lambda row: row["friction"])
    for first, second in PAIRS:
        for friction, some in (*by_friction.items(), ("all", rows)):
            towers = group(some, lambda row: (row["friction"], row["seed"])).values()
            fell = [{row["way"]: row["outcome"] == "collapse" for row in tower if row["outcome"] != "stuck"} for tower in towers]
            both = [(ways[first], ways[second]) for ways in fell if first in ways and second in ways]
            split = Counter(both)
            lines.append((
                f"`{first}`, `{second}`",
                friction,
                str(len(both)),
                *(percent(Interval.wilson(sum(pair[k] for pair in both), len(both))) for k in (0, 1)),
                str(split[True, False]),
                str(split[False, True]),
                f"{mcnemar(split[True, False], split[False, True]):.2g}",
            ))  # fmt: skip
    return render_table(("first, second", "μ", "towers", "first fell", "second fell", "only first", "only second", "p"), lines)


def group(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    groups: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def millinewtons(force: SupportsFloat) -> str:
    return f"{newtons_to_millinewtons(float(force)):.1f} mN"


def percent(rate: Interval) -> str:
    return show(Interval(*(100 * part for part in rate)), "{:.1f}") + " %"


def show(interval: Interval, number: str) -> str:
    value, low, high = (number.format(part) for part in interval)
    return f"{value} ({low}-{high})"


def render_table(header: Iterable[str], lines: Iterable[Iterable[object]]) -> str:
    rows = [list(header), ["---"] * len(list(header)), *lines]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
