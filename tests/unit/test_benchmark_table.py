"""The numbers in docs/explanation/benchmarks.md are those of the newest benchmark file."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from anastylosis.cli.bench import write_csv
from anastylosis.validation.bench import Row
from anastylosis.validation.statics import StaticRow


@pytest.fixture
def tool(open_tool) -> SimpleNamespace:
    return open_tool("write_benchmark_table")


def test_table_is_current(tool: SimpleNamespace) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page == tool.render_page(page), "run `make format` to write it anew"


@pytest.mark.parametrize(("pattern", "row"), [("????-??-??.csv", Row), ("*-statics.csv", StaticRow)])
def test_committed_results_have_the_columns_of_today(tool: SimpleNamespace, pattern: str, row: type[Row | StaticRow]) -> None:
    header = tool.find_newest(pattern).read_text(encoding="utf-8").splitlines()[0].split(",")
    assert header == [*row._fields, "anastylosis", "numba", "python"]


def test_rows_become_lines(tool: SimpleNamespace, tmp_path: Path) -> None:
    row = Row(
        scene="tower_rest", engine="MuJoCo", solver="Newton", work_per_simulated_second=0.48765, drift_mm=0.0889,
        penetration_um=14.0123, contacts=None, collide_share=None, solve_share=None, other_share=None, hash="c0ffee", blocks=54,
        worlds=1, threads=1, steps_per_second=720, seed_seconds=0.001, cpu_per_simulated_second=0.48, work_min=0.4, work_max=0.6,
        repeats=3, displaced=0, version="4.0.0",
    )  # fmt: skip
    ours = row._replace(engine="anastylosis", drift_mm=None, contacts=624, collide_share=0.2, solve_share=0.7, other_share=0.1)
    write_csv([row._asdict(), ours._asdict()], tmp_path / "2000-01-01.csv")
    lines = tool.render_table(tmp_path / "2000-01-01.csv").splitlines()
    assert lines[-2] == "| tower_rest | MuJoCo 4.0.0 | Newton | 1/720 s | 1 | 0.488 | 0.0889 | 14.01 |  |  | `c0ffee` |"
    assert (
        lines[-1]
        == "| tower_rest | anastylosis | Newton | 1/720 s | 1 | 0.488 |  | 14.01 | 624 | 20 % / 70 % / 10 % | `c0ffee` |"
    )
