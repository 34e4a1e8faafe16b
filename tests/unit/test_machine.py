"""The line that installs an extra works where it is printed."""

import json
import os
import sys
from importlib import metadata
from pathlib import Path

import pytest

from anastylosis.machine import count_cores, install_line


@pytest.fixture
def place(monkeypatch, tmp_path: Path) -> Path:
    """The user's folder, with a Python of its own and no pip on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    return tmp_path


def install_from(monkeypatch, record: dict | None) -> None:
    """As if pip had written `record` beside the installed package (PEP 610)."""
    text = None if record is None else json.dumps(record)
    monkeypatch.setattr(metadata.PathDistribution, "read_text", lambda self, name: text if name == "direct_url.json" else None)


@pytest.mark.parametrize("record", [None, {"url": "file:///wherever", "dir_info": {}}])
def test_an_install_by_name_is_extended_by_name(monkeypatch, place: Path, record: dict | None) -> None:
    install_from(monkeypatch, record)
    assert install_line("train") == ".venv/bin/python -m pip install 'anastylosis[train]'"


def test_a_checkout_is_installed_again_from_its_folder(monkeypatch, place: Path) -> None:
    install_from(monkeypatch, {"url": place.as_uri(), "dir_info": {"editable": True}})
    assert install_line("train") == ".venv/bin/python -m pip install -e '.[train]'"


def test_from_another_folder_the_checkout_is_named(monkeypatch, place: Path) -> None:
    install_from(monkeypatch, {"url": place.as_uri(), "dir_info": {"editable": True}})
    (place / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert install_line("train") == f"{sys.executable} -m pip install -e '{place}[train]'"


@pytest.mark.parametrize(("folder", "command"), [(".venv/bin", "pip"), ("usr/bin", ".venv/bin/python -m pip")])
def test_pip_alone_is_enough_where_it_is_this_pythons(monkeypatch, place: Path, folder: str, command: str) -> None:
    install_from(monkeypatch, None)
    pip = place / folder / "pip"
    pip.parent.mkdir(parents=True)
    pip.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(pip.parent))
    assert install_line("web") == f"{command} install 'anastylosis[web]'"


def test_a_package_that_was_never_installed_has_a_line_too(monkeypatch, place: Path) -> None:
    def refuse(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", refuse)
    assert install_line("web").endswith("install 'anastylosis[web]'")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot keep a process to some cores")
def test_cores_are_those_this_process_may_use() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert count_cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)
