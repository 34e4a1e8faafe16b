"""The page on what differs from the paper names functions and tests that exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TEXT = (PROJECT / "docs" / "explanation" / "what-differs-from-the-paper.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(anastylosis\.[A-Za-z_.]+)`", TEXT)))
TESTS = sorted(set(re.findall(r"`(tests/[a-z_/]+\.py)(?:::([a-z_]+))?`", TEXT)))


def test_there_are_some() -> None:
    assert len(NAMES) > 12
    assert len(TESTS) > 12


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_to_code(name: str) -> None:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return
    pytest.fail(f"{name} leads nowhere")


@pytest.mark.parametrize(("path", "name"), [each for each in TESTS if each[0] != "tests/unit/test_differences.py"])
def test_a_test_exists(path: str, name: str) -> None:
    text = (PROJECT / path).read_text(encoding="utf-8")
    assert not name or f"def {name}(" in text


def test_every_erratum_of_the_equations_is_told() -> None:
    """Those that the page of equations marks, by their number, are on this page, too."""
    equations = (PROJECT / "docs" / "reference" / "equations.md").read_text(encoding="utf-8")
    marked = re.findall(r"^\| (\d+) \|.*erratum", equations, re.MULTILINE)
    assert marked
    for number in marked:
        assert f"Eq. ({number})" in TEXT, number
