"""ARCHITECTURE.md names files that are there, and its figures show their imports."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TOOL = PROJECT / "tools" / "draw_architecture.py"


@pytest.fixture
def tool():
    spec = spec_from_file_location("draw_architecture", TOOL)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_figures_are_what_the_imports_say(tool, capsys) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_figure_is_noticed(tool, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(tool, "TARGET", tmp_path)
    assert tool.main(["--check"]) == 1
    assert "architecture-fall.svg" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_arrows_follow_faces_and_leave_out_what_a_longer_way_says(tool, tmp_path: Path, monkeypatch) -> None:
    files = {
        "upper/__init__.py": "",
        "upper/play.py": "from anastylosis.lower import build\nfrom anastylosis.upper.hand import pull\n",
        "upper/hand.py": "def pull():\n    from anastylosis.lower import build\n",
        "lower/__init__.py": "from anastylosis.lower.tower import build\n",
        "lower/tower.py": "from math import pi\n",
    }
    for name, text in files.items():
        (tmp_path / "anastylosis" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "anastylosis" / name).write_text(text)
    monkeypatch.setattr(tool, "SOURCE", tmp_path)
    arrows = tool.list_arrows(["upper.play", "upper.hand", "lower.tower"])
    assert arrows == [("upper.play", "upper.hand"), ("upper.hand", "lower.tower")]


def test_a_file_that_is_gone_is_named(tool) -> None:
    with pytest.raises(FileNotFoundError, match=r"physics\.nothing is no file"):
        tool.find_imports("physics.nothing")


def test_the_files_of_the_architecture_page_are_there() -> None:
    page = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    files = re.findall(r"`([\w/]+\.\w+)`", page)
    assert len(files) > 30
    places = PROJECT, PROJECT / "src" / "anastylosis"
    assert [file for file in files if not any((place / file).exists() for place in places)] == []
