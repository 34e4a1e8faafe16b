"""docs/reference/dataset-format.md is what the schema says today, and every column says what it means."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from anastylosis.dataset.schema import TABLES


@pytest.fixture
def tool(open_tool) -> SimpleNamespace:
    return open_tool("write_dataset_reference")


def test_reference_is_current(tool: SimpleNamespace) -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == tool.render_page(), "run `make format` to write it anew"


def test_every_column_is_there_with_its_meaning(tool: SimpleNamespace) -> None:
    lines = tool.render_page().splitlines()
    for table, columns in TABLES.items():
        assert f"### `{table}`" in lines
        for name, column in columns.items():
            assert column.meaning
            assert any(line.startswith(f"| `{name}` | ") and column.meaning in line for line in lines), name


def test_it_is_in_the_menu(project: Path) -> None:
    assert "reference/dataset-format.md" in (project / "mkdocs.yml").read_text(encoding="utf-8")
