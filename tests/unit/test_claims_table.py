"""The tables in docs/explanation/claims.md are those of the committed measurements."""

from types import SimpleNamespace

import pytest


@pytest.fixture
def tool(open_tool) -> SimpleNamespace:
    return open_tool("write_claims_table")


def test_tables_are_current(tool: SimpleNamespace) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page == tool.render_page(page), "run `make format` to write them anew"


def test_pairs_are_split_by_who_fell(tool: SimpleNamespace) -> None:
    def tower(seed: int, x: str, y: str) -> list[dict[str, str]]:
        return [{"friction": "0.4", "seed": str(seed), "way": way, "outcome": fell} for way, fell in (("any_x", x), ("any_y", y))]

    rows = [
        *tower(0, "out", "collapse"),
        *tower(1, "collapse", "collapse"),
        *tower(2, "out", "out"),
        *tower(3, "out", "collapse"),
    ]
    line = next(line for line in tool.render_moves(rows).splitlines() if line.startswith("| `any_x`, `any_y` | 0.4 "))
    _, _, _, towers, first, second, only_first, only_second, p, _ = (cell.strip() for cell in line.split("|"))
    assert (towers, only_first, only_second, p) == ("4", "0", "2", "0.5")
    assert first.startswith("25.0 (")
    assert second.startswith("75.0 (")
