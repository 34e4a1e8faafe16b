"""docs/reference/models.md is what the files that ship say of themselves, and has a card for each of them."""

from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture
def tool(open_tool) -> SimpleNamespace:
    pytest.importorskip("onnx")
    return open_tool("write_model_cards")


def test_page_is_current(tool: SimpleNamespace) -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == tool.render_page(), "run python tools/write_model_cards.py"


def test_every_net_that_ships_has_a_card(tool: SimpleNamespace, project: Path) -> None:
    shipped = sorted((project / "src").rglob("*.onnx"))
    assert sorted(tool.list_models()) == shipped
    page = tool.PAGE.read_text(encoding="utf-8")
    for path in shipped:
        assert f"| file | `{path.relative_to(project).as_posix()}` |" in page


def test_a_fingerprint_of_no_files_is_said_to_be_none(tool: SimpleNamespace) -> None:
    said = tool.describe_data({"episodes": {"train": 2308, "val": 102}, "fingerprint": tool.NOTHING})
    assert said == "2,308 collapses, 102 to validate; no fingerprint was kept"


def test_it_is_in_the_menu(project: Path) -> None:
    assert "reference/models.md" in (project / "mkdocs.yml").read_text(encoding="utf-8")
