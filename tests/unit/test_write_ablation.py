"""`tools/write_ablation_table.py`: the page has the table of the committed numbers."""

import runpy
from pathlib import Path


def test_the_page_is_current(project: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(project / "tools")
    tool = runpy.run_path(str(project / "tools" / "write_ablation_table.py"))
    page = tool["PAGE"].read_text(encoding="utf-8")
    assert tool["render_page"](page) == page
    assert "pooled slots, as in the paper" in page
