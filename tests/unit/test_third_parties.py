"""THIRD_PARTY.md lists every dependency of pyproject.toml and every package of user.lock, with their versions."""

from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture
def tool(open_tool) -> SimpleNamespace:
    return open_tool("write_third_parties")


def test_every_package_is_listed_with_its_versions(tool: SimpleNamespace) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in tool.PAGE.read_text(encoding="utf-8").splitlines()]
    tables = {row[0]: row[1:] for row in rows if len(row) > 1}
    for name, (versions, extras) in tool.list_asked().items():
        assert name in tables, f"{name} is missing: run python tools/write_third_parties.py"
        assert tables[name][:2] == [versions or "any", ", ".join(extras)], f"{name}: run python tools/write_third_parties.py"
        assert tables[name][3] == tool.PURPOSES[name]
    missing = [name for name in tool.list_brought() if name not in tables]
    assert not missing, f"{missing} are missing: run python tools/write_third_parties.py"
    assert all(row[-1] and "not said" not in row for row in tables.values())


def test_no_purpose_is_left_of_what_nobody_asks_for(tool: SimpleNamespace) -> None:
    assert tool.PURPOSES.keys() == tool.list_asked().keys()


def test_the_words_around_the_tables_are_those_of_the_tool(tool: SimpleNamespace) -> None:
    assert tool.PAGE.read_text(encoding="utf-8").startswith(tool.INTRODUCTION)


def test_the_encoder_that_the_notice_names_is_the_one_that_is_used(project: Path, tool: SimpleNamespace) -> None:
    assert '"libx264"' in (project / "src/anastylosis/rendering/video.py").read_text(encoding="utf-8")
    assert "`libx264`" in tool.INTRODUCTION


def test_a_licence_is_named_by_the_most_exact_word(tool: SimpleNamespace) -> None:
    classifiers = ["Topic :: Physics", "License :: OSI Approved", "License :: OSI Approved :: MIT License"]
    about = {"license_expression": "MIT", "classifier": classifiers, "license": "Copyright (c)\nall of it"}
    assert tool.name_licence(about) == "MIT"
    assert tool.name_licence(about | {"license_expression": None}) == "MIT License"
    assert tool.name_licence({"license": "Apache 2.0\nand more"}) == "Apache 2.0"
    assert tool.name_licence({}) == ""
