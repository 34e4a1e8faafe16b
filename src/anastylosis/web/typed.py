"""Typed: measures as people write them into a line of text.

viser's boxes of numbers forget the sign of -0 before the rest of -0.5 is typed; so measures that may be below zero are text.
"""

import math
import re

from anastylosis.web.trouble import Refused
from anastylosis.web.words import Translator

MEASURE = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)", re.ASCII)
BETWEEN = re.compile(r"[;\s]+|,(?=[^\d\s]|$)")  # and a comma before a sign; one before a digit is of the number
COMMA_SPACE = re.compile(r",(?=\s)")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)  # or decimals: nobody can tell
MINUS = str.maketrans({"−": "-", "–": "-"})  # as typed by phones, and as copied from pages
COUNTS = {1: "typed_one", 2: "typed_pair", 3: "typed_three"}
SHOWN = 30  # characters of what cannot be read


def read_measures(text: str, count: int, label: str, words: Translator, most: float = math.inf) -> tuple[float, ...]:
    """Read so many numbers, with a space between them; decimals with a point or a comma. None is further from zero than `most`.
    Refused in the visitor's language."""
    parts = [part for part in BETWEEN.split(COMMA_SPACE.sub(" ", text.translate(MINUS))) if part]
    shown = {"label": label, "text": text.strip()[:SHOWN]}
    if any(THOUSANDS.fullmatch(part) for part in parts):
        raise Refused(words("typed_thousands", **shown))
    numbers = tuple(float(part.replace(",", ".")) for part in parts if MEASURE.fullmatch(part))
    if not len(numbers) == len(parts) == count or not all(map(math.isfinite, numbers)):
        raise Refused(words(COUNTS[count], **shown))
    if any(abs(number) > most for number in numbers):
        raise Refused(words("typed_far", most=f"{most:,.0f}".replace(",", " "), **shown))
    return numbers


def read_within(value: float, label: str, words: Translator, least: float, most: float) -> float:
    """Read a number of a box of its own, between these; a browser may send anything."""
    if not least <= value <= most:
        raise Refused(words("typed_range", label=label, value=value, least=least, most=most))
    return value


def write_measures(*numbers: float) -> str:
    """Write numbers as `read_measures` reads them."""
    return "  ".join(f"{number:.10g}" for number in numbers)
