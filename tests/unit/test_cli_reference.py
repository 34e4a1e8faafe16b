"""docs/reference/cli.md is what the command line says today."""

import runpy
from pathlib import Path


def test_reference_is_current(project: Path) -> None:
    render_page = runpy.run_path(str(project / "tools" / "write_cli_reference.py"))["render_page"]
    page = (project / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert page == render_page(), "run `make format` to write it anew"
