"""Rooms import downwards only: the contracts of `[tool.importlinter]` in pyproject.toml."""

import subprocess
import sys
from pathlib import Path

# In a process of its own: it sets up logging anew, which silences every logger that is there.
LINT = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"


def test_rooms_import_downwards_only(project: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LINT], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 kept, 0 broken" in done.stdout
