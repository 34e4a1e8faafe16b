"""Text as lines of a font: the font that ships with the package, and where lines break."""

import unicodedata
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

FONTS = Path(__file__).parent / "fonts"


@lru_cache(maxsize=64)
def load_font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Load DejaVu Sans, `size` pixels to the em. Basic layout: equal pixels whether or not Pillow finds libraqm."""
    path = FONTS / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


def clean_text(text: str) -> str:
    """Compose letters (n and ~ are ñ), replace tabs by spaces, remove other control characters; line breaks stay."""
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n").expandtabs(4)
    return "".join(letter for letter in text if letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cf")).strip()


def wrap_text(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Break text into lines no wider than `width` pixels: as few as can be, of about equal width.

    Words break only when they are too long. A letter that is wider than `width` stands alone on its line and sticks out.
    """
    return [line for paragraph in text.split("\n") for line in wrap_evenly(paragraph, font, width)]


def wrap_evenly(paragraph: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    lines = wrap_greedily(paragraph, font, width)
    if len(lines) == 1:
        return lines
    low, high = min(width, max(font.getlength(word) for word in paragraph.split(" "))), width  # no narrower than a word
    for _ in range(5):  # the narrowest width that needs no more lines
        middle = (low + high) / 2
        tried = wrap_greedily(paragraph, font, middle)
        if len(tried) == len(lines):
            lines, high = tried, middle
        else:
            low = middle
    return lines


def wrap_greedily(paragraph: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    lines = [""]
    for word in paragraph.split(" "):
        line = f"{lines[-1]} {word}" if lines[-1] else word
        if font.getlength(line) <= width:
            lines[-1] = line
        elif font.getlength(word) <= width:
            lines.append(word)
        else:
            pieces = break_word(word, font, width)
            lines = (lines if lines[-1] else lines[:-1]) + pieces
    return lines


def break_word(word: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Break a word that is wider than a line into pieces."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and font.getlength(pieces[-1] + letter) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces
