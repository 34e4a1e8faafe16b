"""The page speaks every language in full."""

import re
import string
from pathlib import Path

import pytest

from anastylosis.web import words
from anastylosis.web.config import LANGUAGES
from anastylosis.web.problems import PROBLEMS
from anastylosis.web.words import COLUMNS, TABLE, Translator

SOURCES = sorted(Path(words.__file__).parent.glob("*.py"))


def list_fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_language_of_the_page_has_a_column() -> None:
    assert tuple(LANGUAGES) == COLUMNS


@pytest.mark.parametrize("key", TABLE)
def test_every_key_is_said_in_every_language_with_the_same_values(key: str) -> None:
    said = TABLE[key]
    assert len(said) == len(COLUMNS)
    assert all(text.strip() == text != "" for text in said)
    assert len({frozenset(list_fields(text)) for text in said}) == 1


def test_every_key_that_the_page_uses_is_in_the_table_and_every_key_is_used() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "words.py")
    asked = set(re.findall(r"words\([\"'](\w+)[\"'][,)]", source))
    assert asked <= TABLE.keys()
    begun = (*re.findall(r'words\(f"(\w+)\{', source), "play_", "basis_", "kind_", "error_")  # the rest is made from a choice
    loose = {
        key
        for key in TABLE
        if not re.search(rf"[\"']{key}[\"']", source) and not key.startswith(begun) and not key.endswith("_means")
    }
    assert loose - {"low", "nominal", "high"} == {key for key in loose if key.startswith("step_")}


@pytest.mark.parametrize("language", COLUMNS)
def test_what_problems_quote_is_written_so_on_the_page(language: str) -> None:
    """A label that changes, changes in the problem that names it, too."""
    column, quotes = COLUMNS.index(language), {"en": "“([^”]*)”", "es": "«([^»]*)»"}[language]
    labels = tuple(said[column] for key, said in TABLE.items() if not key.startswith("error_"))
    quoted = [name for said in PROBLEMS.values() for name in re.findall(quotes, said[column])]
    assert len(quoted) > 10
    in_files = {"id", "# units: mm", "# angles: degrees"}
    assert [name for name in quoted if name not in in_files and not any(label.startswith(name) for label in labels)] == []


def test_values_go_where_they_belong() -> None:
    assert Translator("en")("taken", round=2, slot="L03_0") == "Removal 2: L03_0 is taken out. In which order is not known."
    assert Translator("es")("slot_filled", chance=0.5) == "lleno: 50%"
