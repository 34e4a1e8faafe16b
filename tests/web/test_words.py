"""The page speaks every language in full."""

import re
import string
from pathlib import Path

import pytest

from anastylosis.web import words
from anastylosis.web.config import LANGUAGES
from anastylosis.web.words import COLUMNS, TABLE, Words

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


def test_values_go_where_they_belong() -> None:
    assert Words("en")("taken", round=2, slot="L03_0") == "Removal 2: L03_0 is taken out. In which order is not known."
    assert Words("es")("slot_filled", chance=0.5) == "lleno: 50%"
