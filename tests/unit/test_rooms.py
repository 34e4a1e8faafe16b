"""Rooms import downwards only: the contracts of `[tool.importlinter]` in pyproject.toml."""

from pathlib import Path

from importlinter.cli import lint_imports


def test_rooms_import_downwards_only(project: Path, capsys) -> None:
    broken = lint_imports(config_filename=str(project / "pyproject.toml"), no_cache=True)
    assert broken == 0, capsys.readouterr().out
