"""Write the newest benchmarks/results/*.csv into docs/explanation/benchmarks.md; a test keeps it current."""

import csv
from pathlib import Path

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "benchmarks.md"
RESULTS = PROJECT / "benchmarks" / "results"
BEGIN, END = "<!-- results: generated, do not edit -->\n", "<!-- end of results -->\n"

HEADER = (
    "| scene | engine | solver | step | threads | time | drift | penetration | contacts | shares | hash |\n"
    "|---|---|---|---|---:|---:|---:|---:|---:|---|---|\n"
)


def render_page(page: str) -> str:
    """`page` with the table between its two markers written anew."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{render_table(find_newest())}\n{END}{after}"


def find_newest() -> Path | None:
    """Result files are named by their date."""
    return max(RESULTS.glob("*.csv"), default=None, key=lambda path: path.name)


def render_table(path: Path | None) -> str:
    if path is None:
        return HEADER + "| no results yet |" + " |" * 10 + "\n"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    first = rows[0]
    facts = f"`{path.name}`: anastylosis {first['anastylosis']}, numba {first['numba']}, Python {first['python']}.\n\n"
    return facts + HEADER + "".join(render_row(row) for row in rows)


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
