"""`tools/write_results.py`: tables between markers, words around them left alone, a small picture."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from anastylosis.report.summary import Summary, summarise_level, summarise_moves
from support.handwritten_games import FALLS, STANDS, make_games


@pytest.fixture
def tool(open_tool) -> SimpleNamespace:
    return open_tool("write_results")


def test_a_page_is_begun_and_its_words_are_kept(tool: SimpleNamespace, two_levels: Path, tmp_path: Path) -> None:
    page, picture = tmp_path / "results.md", tmp_path / "dashboard.png"
    tool.write_results(two_levels, page, picture)
    first = page.read_text(encoding="utf-8")
    assert "| nominal | 0.4 |" in first
    assert "144.2 mN | 192.3 mN" in first
    assert "anastylosis summary two-levels" in first
    assert "anastylosis simulate" not in first  # it is not the paper's experiment
    assert picture.stat().st_size < tool.PICTURE_MAX
    with Image.open(picture) as drawn:
        assert (drawn.format, drawn.mode) == ("PNG", "P")
    page.write_text(first.replace("# Results\n", "# What came out\n\nSurprise.\n").replace("144.2 mN", "stale"), encoding="utf-8")
    tool.write_results(two_levels, page, picture)
    assert page.read_text(encoding="utf-8") == first.replace("# Results\n", "# What came out\n\nSurprise.\n")


def test_tables_counted_by_hand(tool: SimpleNamespace) -> None:
    games = make_games(FALLS, STANDS)
    summary = Summary((summarise_level(games),), tuple(summarise_moves(games)))
    level = tool.render_levels(summary.levels).splitlines()[-1]
    assert level == (
        "| low | 0.4 | 1 / 2, 50.0 (9.5-90.5) % | 2.00 (1.00-3.00) | 230.7 mN | 307.6 mN | 600 (300-750) mN "
        "| 50.0 (0.0-66.7) % | 1, 20.0 (0.0-25.0) % |"
    )
    header, _, moves = tool.render_moves(summary.moves).splitlines()
    assert header == "| level | `center_xaxis` | `side_yaxis` | `side_xaxis` | all |"
    assert moves.endswith("| 50.0 (9.5-90.5) %, 1 of 2 | 25.0 (4.6-69.9) %, 1 of 4 |")


def test_what_is_not_known_is_a_dash(tool: SimpleNamespace) -> None:
    assert tool.show(float("nan"), 0.0, 1.0, 1) == "-"
    assert tool.show(6.0, float("nan"), float("nan"), 2) == "6.00"
