"""Speaking: the words of pictures and films in the language that was asked for."""

from dataclasses import replace

from anastylosis.rendering import ColourScale, Overlay
from anastylosis.report.reconstruction.lines import Line
from anastylosis.report.reconstruction.naming import break_lines
from anastylosis.translation import Language, translate


def speak_overlay(overlay: Overlay, language: Language) -> Overlay:
    """Return an overlay in another language; lines of English that were broken are joined, translated and broken again."""
    if language == "en":
        return overlay
    return replace(
        overlay,
        title=translate(overlay.title, language),
        subtitle=speak_lines(overlay.subtitle, language),
        caption=speak_lines(overlay.caption, language),
        legend=tuple((translate(words, language), colour) for words, colour in overlay.legend),
        scale=None if overlay.scale is None else speak_scale(overlay.scale, language),
    )


def speak_scale(scale: ColourScale, language: Language) -> ColourScale:
    return replace(scale, label=translate(scale.label, language))


def speak_lines(text: str, language: Language) -> str:
    """Translate lines that each are a text, or that all are one."""
    each = "\n".join(translate(line, language) for line in text.splitlines())
    whole = " ".join(text.split())
    joined = translate(whole, language)
    return break_lines(each if joined == whole and each != text else joined)


def speak_line(line: Line, language: Language) -> Line:
    """Return a row of the table in another language; its name in files stays."""
    return Line(
        name=translate(line.name, language),
        code=line.code,
        value=translate(line.value, language),
        typical=translate(line.typical, language),
        meaning=translate(line.meaning, language),
    )
