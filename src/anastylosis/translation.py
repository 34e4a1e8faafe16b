"""Translation: sentences of reports, films, panels and warnings in another language than English, in which they are written.

A template has places in braces. What stands in a place is translated in its turn, so that a sentence may hold another one.
"""

import re
from collections.abc import Mapping
from functools import cache
from html import escape, unescape
from typing import Literal

from anastylosis.spanish import TEMPLATES

Language = Literal["en", "es"]
LANGUAGE_NAMES: dict[str, str] = {"en": "English", "es": "Español"}
CATALOGUES: dict[str, Mapping[str, str]] = {"es": TEMPLATES}
JOINTS = ("\n", "   ", ". ", "; ", ": ", ", ")  # where a text that is in no catalogue is cut, and its parts translated
PLACE = re.compile(r"\\\{(\w+)\\\}")  # of a template, after its signs were escaped
TEXT = re.compile(r">([^<]+)<")
ATTRIBUTE = re.compile(r'\b(data-head|alt|title)="([^"]*)"')
KEPT = re.compile(r"(<style>.*?</style>|<pre>.*?</pre>|<script.*?</script>)", re.DOTALL)
# Places that hold one word; what is in others may be a list or a sentence.
WORDS = (
    "number", "count", "distance", "chance", "layer", "rank", "filled", "empty", "version", "slot", "low", "high", "expected",
    "friction", "safety", "depth", "height", "left", "back", "loose", "rest", "other", "asked", "score", "more",
)  # fmt: skip
DEPTH = 6  # of sentences in sentences


@cache
def compile_catalogue(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the patterns of all templates with places; those that say most come first."""
    templates = sorted(
        (each for each in CATALOGUES[language] if "{" in each), key=lambda each: -len(re.sub(r"\{\w+\}", "", each))
    )
    return tuple((re.compile(PLACE.sub(match_place, re.escape(each)), re.DOTALL), each) for each in templates)


def match_place(place: re.Match[str]) -> str:
    """Return the pattern of what stands in a place of a template."""
    return rf"(?P<{place[1]}>\S+)" if place[1] in WORDS else rf"(?P<{place[1]}>.+?)"


@cache
def translate(text: str, language: str, depth: int = DEPTH) -> str:
    """Translate a text; what no catalogue knows, such as names and numbers, stays as it is."""
    if language == "en" or not text or not depth:
        return text
    catalogue, bare = CATALOGUES[language], text.strip()
    if bare in catalogue:
        return text.replace(bare, catalogue[bare])
    for pattern, template in compile_catalogue(language):
        if match := pattern.fullmatch(bare):
            values = {name: translate(value, language, depth - 1) for name, value in match.groupdict().items()}
            return text.replace(bare, catalogue[template].format(**values))
    for joint in JOINTS:
        parts = text.split(joint)
        if len(parts) > 1:
            return joint.join(translate_part(part, joint, language, depth) for part in parts)
    return text


def translate_part(part: str, joint: str, language: str, depth: int) -> str:
    """Translate a part of a text; a sentence that was cut before its point is known with it."""
    if joint == ". " and not part.endswith("."):
        whole = translate(f"{part}.", language, depth)
        if whole != f"{part}.":
            return whole.removesuffix(".")
    return translate(part, language, depth - 1)


def translate_page(page: str, language: str) -> str:
    """Translate the texts of an HTML page; styles, programs and preformatted text stay."""
    if language == "en":
        return page

    def speak(text: str) -> str:
        return escape(translate(unescape(text), language), quote=False)

    parts = KEPT.split(page)
    for number in range(0, len(parts), 2):
        spoken = TEXT.sub(lambda match: f">{speak(match[1])}<", parts[number])
        parts[number] = ATTRIBUTE.sub(lambda match: f'{match[1]}="{escape(translate(unescape(match[2]), language))}"', spoken)
    return "".join(parts).replace('<html lang="en">', f'<html lang="{language}">')
