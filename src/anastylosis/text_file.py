"""Text files: what somebody wrote, read and checked, with places for messages. A file may hold anything."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anastylosis.errors import InvalidInput

NUMBER_MAX = 64  # characters
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
REASON_MAX = 200  # characters of an error of another library, in a message of ours
SOURCE_MAX = 500  # characters of who measured, when, with what
JOINERS = str.maketrans("", "", "\u200c\u200d")  # not printable, but Persian and Hindi need them
# Characters that command a terminal, turn text around, or stand for bytes that are no UTF-8 in a file's name.
UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
FORMULA = ("=", "+", "-", "@")


def read_text(path: Path, most: int, thing: str) -> str:
    """Read a text file; raise when it has more than `most` bytes or is not text. `thing` is for messages."""
    if path.is_dir():
        raise InvalidInput("it is a folder; name a file in it")
    if not path.is_file():
        raise InvalidInput("there is no such file")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InvalidInput(f"it has more than {round(most / 1e6, 1):g} MB; a {thing} has less", kind="file_large")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput("it is UTF-16; save it as CSV in UTF-8", kind="not_text")
    if b"\0" in content:
        raise InvalidInput("it is binary, not text; export the table as CSV in UTF-8", kind="not_text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"row {row}: byte {error.start:,} is not UTF-8; save it as CSV in UTF-8", kind="not_text") from error
    if not text.strip():
        raise InvalidInput("it is empty", kind="file_empty")
    return text


@contextmanager
def locate_errors(*where: str) -> Iterator[None]:
    """Begin the messages of errors within with a place: `row 7, column x: ...`."""
    try:
        yield
    except InvalidInput as error:
        raise error.reword(f"{', '.join(where)}: {error.what}") from error


def parse_number(cell: Any, *, commas: bool = False) -> float:
    """Parse a finite number; with `commas`, 1,5 is one and a half."""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        raise InvalidInput(f"{str(cell)[:40]!r} is not a number", kind="survey_number")
    if isinstance(cell, str):
        text = cell.strip().replace("\u2212", "-")
        if commas and "." not in text:
            text = text.replace(",", ".", 1)
        if len(text) > NUMBER_MAX or not NUMBER.fullmatch(text):
            hint = "; write it with a decimal point and nothing between thousands" if "," in cell else ""
            raise InvalidInput(f"{cell[:40]!r} is not a number{hint}", kind="survey_number")
        cell = text
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInput(f"{str(cell)[:40]} is not a finite number", kind="survey_number")
    return number


def clean_text(text: str, name: str, longest: int) -> str:
    """Return a text with single spaces; raise when it is no text, too long, or has control characters."""
    if not isinstance(text, str):
        raise InvalidInput(f"{name} is {str(text)[:60]!r}; it has to be a text")
    clean = " ".join(text.split())
    if len(clean) > longest:
        raise InvalidInput(f"{name} has {len(clean):,} characters, from {clean[:20]!r} on; at most {longest:,} are read")
    if not clean.translate(JOINERS).isprintable():
        raise InvalidInput(f"{name} is {clean[:60]!r}; take the control characters out")
    return clean


def show_text(text: str) -> str:
    """Return a text with escapes, such as \\x1b, for what must not reach a terminal, a picture or a file as it is."""
    return UNSHOWN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def load_json(text: str) -> Any:
    """Parse a JSON text; refuse NaN, infinity and names that are given twice."""
    try:
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=build_object)
    except InvalidInput:
        raise
    except RecursionError as error:
        raise InvalidInput("it is nested too deeply to be a survey", kind="survey_json") from error
    except ValueError as error:
        raise InvalidInput(f"it is not JSON: {error}", kind="survey_json") from error


def refuse_constant(word: str) -> float:
    """Raise for NaN and infinity."""
    raise InvalidInput(f"{word} is not a finite number; leave out what was not measured, or measure it", kind="survey_number")


def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; raise when a name is given twice."""
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        block = f"block {str(made['id'])[:40]!r}: " if "id" in made else ""
        raise InvalidInput(f"{block}{twice[:40]!r} is given twice; keep one of them", kind="survey_json")
    return made


def guard_formula(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text


def unguard(cell: str) -> str:
    """Undo `guard_formula`."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA) else cell
