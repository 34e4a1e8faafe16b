"""Write the newest benchmarks/results/*.csv into docs/explanation/benchmarks.md; a test keeps it current."""

import csv
from pathlib import Path

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "benchmarks.md"
RESULTS = PROJECT / "benchmarks" / "results"
BEGIN, END = "<!-- results: generated, do not edit -->\n", "<!-- end of results -->\n"
STATICS, STATICS_END = "<!-- statics: generated, do not edit -->\n", "<!-- end of statics -->\n"

STATICS_HEADER = "| task | blocks | seconds | of the processor | hash |\n|---|---:|---:|---:|---|\n"
HEADER = (
    "| scene | engine | solver | step | threads | time | drift | penetration | contacts | shares | hash |\n"
    "|---|---|---|---|---:|---:|---:|---:|---:|---|---|\n"
)


def render_page(page: str) -> str:
    """`page` with the tables between their markers written anew."""
    page = write_between(page, BEGIN, END, render_table(find_newest("????-??-??.csv")))
    return write_between(page, STATICS, STATICS_END, render_statics(find_newest("*-statics.csv")))


def write_between(page: str, begin: str, end: str, table: str) -> str:
    before, rest = page.split(begin)
    return f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"


def find_newest(pattern: str) -> Path | None:
    """Result files are named by their date."""
    return max(RESULTS.glob(pattern), default=None, key=lambda path: path.name)


def read_rows(path: Path) -> tuple[str, list[dict[str, str]]]:
    """What they were measured with, in words, and the rows of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    first = rows[0]
    return f"`{path.name}`: anastylosis {first['anastylosis']}, numba {first['numba']}, Python {first['python']}.\n\n", rows


def render_table(path: Path | None) -> str:
    if path is None:
        return HEADER + "| no results yet |" + " |" * 10 + "\n"
    facts, rows = read_rows(path)
    return facts + HEADER + "".join(render_row(row) for row in rows)


def render_statics(path: Path | None) -> str:
    if path is None:
        return STATICS_HEADER + "| no results yet | | | | |\n"
    facts, rows = read_rows(path)
    cells = [
        (row["task"], row["blocks"], *(f"{float(row[name]):.2g}" for name in ("seconds", "cpu_seconds")), f"`{row['hash']}`")
        for row in rows
    ]
    return facts + STATICS_HEADER + "".join(f"| {' | '.join(row)} |\n" for row in cells)


def render_row(row: dict[str, str]) -> str:
    shares = [row["collide_share"], row["solve_share"], row["other_share"]]
    cells = [
        row["scene"],
        row["engine"] if row["engine"] == "anastylosis" else f"{row['engine']} {row['version']}",
        row["solver"],
        f"1/{row['steps_per_second']} s",
        row["threads"],
        f"{float(row['work_per_simulated_second']):.3g}",
        f"{float(row['drift_mm']):.4f}" if row["drift_mm"] else "",
        f"{float(row['penetration_um']):.2f}",
        row["contacts"],
        " / ".join(f"{100 * float(share):.0f} %" for share in shares) if all(shares) else "",
        f"`{row['hash']}`",
    ]
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
