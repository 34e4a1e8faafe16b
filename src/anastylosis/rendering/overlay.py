"""Text on pictures: title, subtitle, caption, legend, colour scale, on panels that let a little of the picture through.

Letters follow the width of the picture. Lines that are too long wrap; when all of it does not fit, letters shrink; when even
the smallest do not fit, that is refused. Nothing is ever cut, and no pixel outside the panels changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from anastylosis.arrays import ByteColour
from anastylosis.errors import InvalidInput
from anastylosis.rendering.picture import Picture, check_picture
from anastylosis.rendering.scale import probability_legend
from anastylosis.rendering.text import clean_text, load_font, wrap_text

PANEL = (18, 21, 26, 208)  # nearly black, 18 % of the picture shines through
BRIGHT = (255, 255, 255, 255)  # on the panel over white: contrast 9 to 1 (WCAG asks for 4.5)
SOFT = (214, 219, 226, 255)  # 6 to 1
OUTLINE = (255, 255, 255, 110)  # around swatches, so that dark ones are seen

LETTER = 15  # px to the em of a caption in a picture 480 px wide
GROWTH = 0.7  # letters grow more slowly than the picture: twice as wide, 1.6 times as large
WIDEST = 1.35  # times the height: the rest of a wide picture does not make letters larger
LETTER_LOW, LETTER_SMALLEST = 10, 7  # px: where growth starts, and what can just be read
TITLE = 1.25  # times LETTER
SUBTITLE = 0.95
LINE = 1.3  # from one base line to the next, in letters
TALLEST = 0.45  # share of the height that the title or the caption may take
COVER = 0.5  # share of the picture that all panels may hide, if smaller letters can help it
LEGEND_WIDEST = 0.5  # share of the width
SCALE_WIDTH = 0.36  # share of the width (up to WIDEST), if the words need no more


@dataclass(frozen=True, kw_only=True)
class ColourScale:
    """Bar of colours between two words, for colours that mean numbers."""

    colours: Sequence[ByteColour]  # two or more, (N, 3), 0 to 255, from low to high; between them the bar is linear
    low: str  # what stands at the left end, such as "0 mm"
    high: str
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "colours", tuple(check_colour(colour, "a colour scale") for colour in self.colours))
        if len(self.colours) < 2:
            raise InvalidInput(f"a colour scale needs two colours or more, not {len(self.colours)}")

    @classmethod
    def of_probability(cls, label: str) -> "ColourScale":
        """Return the scale of a probability that something was there."""
        return cls(colours=[entry.colour for entry in probability_legend()], low="0 %", high="100 %", label=label)


@dataclass(frozen=True, kw_only=True)
class Overlay:
    """Texts on a picture, and their places. Those left out take no space."""

    title: str = ""  # top left, bold
    subtitle: str = ""  # under it
    caption: str = ""  # bottom left
    legend: Sequence[tuple[str, ByteColour]] = ()  # right, at the top: words and the colour each stands for
    scale: ColourScale | None = None  # right, at the bottom

    def __post_init__(self) -> None:
        entries = tuple((words, check_colour(colour, f"{words!r} in the legend")) for words, colour in self.legend)
        object.__setattr__(self, "legend", entries)


def draw_overlay(picture: Picture, overlay: Overlay) -> Picture:
    """Return a copy of the picture with the overlay on it; uint8 (H, W, 3) in and out.

    Characters that the font does not have (it has Latin, Greek, Cyrillic, signs of measurement) become boxes.
    """
    drawn = check_picture(picture).copy()
    for panel in place_panels(overlay, drawn.shape[1], drawn.shape[0]):
        height, width, _ = panel.colour.shape
        under = drawn[panel.top : panel.top + height, panel.left : panel.left + width]
        under[:] = (under * panel.through + panel.colour + 127) // 255
    return drawn


class Placed(NamedTuple):
    """A panel in its place, ready to be laid over a picture."""

    left: int
    top: int
    colour: npt.NDArray[np.uint16]  # (h, w, 3) times opacity, 0 to 255²
    through: npt.NDArray[np.uint16]  # (h, w, 1), 255 where the picture stays as it is


@lru_cache(maxsize=32)  # a film shows one overlay on many pictures
def place_panels(overlay: Overlay, width: int, height: int) -> tuple[Placed, ...]:
    """Place the panels of an overlay for one size of picture: the largest letters that fit and leave enough of it to be seen."""
    fitting = None
    largest = max(LETTER_LOW, round(LETTER * (min(width, WIDEST * height) / 480) ** GROWTH))
    for letter in range(largest, LETTER_SMALLEST - 1, -1):
        placed = try_letter(overlay, letter, width, height)
        if placed is not None:
            fitting = placed
            if sum(panel.through.size for panel in placed) <= COVER * width * height:
                break
    if fitting is not None:
        return fitting
    raise InvalidInput(
        f"the words of the overlay do not fit on {width} x {height} pixels, even {LETTER_SMALLEST} pixels high: "
        "use fewer, or a larger picture"
    )


def try_letter(overlay: Overlay, letter: int, width: int, height: int) -> tuple[Placed, ...] | None:
    """Return panels with letters of this size; None when they do not fit. Side panels go where they do not touch the bands."""
    margin = max(3, round(0.6 * letter))
    room = width - 2 * margin
    top, bottom = margin, height - margin
    placed = []

    title = draw_title(overlay, letter, room)
    caption = draw_texts((StyledText(overlay.caption, letter, False, BRIGHT),), letter, room)
    legend = draw_legend(overlay.legend, letter, round(room * LEGEND_WIDEST))
    scale = draw_scale(overlay.scale, letter, round(min(room, WIDEST * height) * SCALE_WIDTH))

    if title is not None:
        placed.append((margin, top, title))
    if caption is not None:
        placed.append((margin, bottom - caption.height, caption))
    if legend is not None:
        if title is not None and title.width + margin + legend.width > room:
            top += title.height + margin
        placed.append((width - margin - legend.width, top, legend))
    if scale is not None:
        if caption is not None and caption.width + margin + scale.width > room:
            bottom -= caption.height + margin
        placed.append((width - margin - scale.width, bottom - scale.height, scale))

    bands = [band.height for band in (title, caption) if band is not None]
    if any(band > TALLEST * height for band in bands) or not all_apart(placed, margin, width, height):
        return None
    return tuple(premultiply(*panel) for panel in placed)


def all_apart(placed: list[tuple[int, int, Image.Image]], margin: int, width: int, height: int) -> bool:
    """Return True when all panels are inside the picture, a margin from its edges and half a margin from each other."""
    boxes = [(left, top, left + panel.width, top + panel.height) for left, top, panel in placed]
    inside = all(
        left >= margin and top >= margin and right <= width - margin and under <= height - margin
        for left, top, right, under in boxes
    )
    gap = margin // 2
    return inside and not any(
        a[0] < b[2] + gap and b[0] < a[2] + gap and a[1] < b[3] + gap and b[1] < a[3] + gap
        for index, a in enumerate(boxes)
        for b in boxes[:index]
    )


def premultiply(left: int, top: int, panel: Image.Image) -> Placed:
    pixels = np.asarray(panel, dtype=np.uint16)
    opacity = pixels[:, :, 3:]
    return Placed(left, top, pixels[:, :, :3] * opacity, 255 - opacity)


# ---- one panel each: what it says, the size of its letters, the room it has; None when there is nothing to say ----


def draw_title(overlay: Overlay, letter: int, room: int) -> Image.Image | None:
    title = StyledText(overlay.title, round(letter * TITLE), True, BRIGHT)
    subtitle = StyledText(overlay.subtitle, round(letter * SUBTITLE), False, SOFT)
    return draw_texts((title, subtitle), letter, room)


class StyledText(NamedTuple):
    """A text and how it looks."""

    text: str
    size: int  # px to the em
    bold: bool
    colour: tuple[int, int, int, int]


@lru_cache(maxsize=16)
def draw_texts(parts: tuple[StyledText, ...], letter: int, room: int) -> Image.Image | None:
    """Draw texts under each other."""
    pad = padding(letter)
    rows: list[StyledText] = []
    for part in parts:
        if words := clean_text(part.text):
            rows += [part._replace(text=line) for line in wrap_text(words, load_font(part.size, bold=part.bold), room - 2 * pad)]
    if not rows:
        return None
    widest = max(load_font(row.size, bold=row.bold).getlength(row.text) for row in rows)
    panel = open_panel(widest + 2 * pad, sum(line_height(row.size) for row in rows) + 2 * pad, letter)
    draw, top = ImageDraw.Draw(panel), pad
    for row in rows:
        write_line(draw, pad, top, row)
        top += line_height(row.size)
    return panel


@lru_cache(maxsize=16)
def draw_legend(entries: Sequence[tuple[str, ByteColour]], letter: int, room: int) -> Image.Image | None:
    """Draw one swatch and its words a row."""
    if not entries:
        return None
    pad, font, height = padding(letter), load_font(letter), line_height(letter)
    side = round(0.8 * letter)
    indent = pad + side + round(0.6 * letter)
    wrapped = [(wrap_text(clean_text(words), font, room - indent - pad), colour) for words, colour in entries]
    widest = max(font.getlength(line) for lines, _ in wrapped for line in lines)
    rows = sum(len(lines) for lines, _ in wrapped)
    panel = open_panel(indent + widest + pad, rows * height + 2 * pad, letter)
    draw, top = ImageDraw.Draw(panel), pad
    for lines, colour in wrapped:
        upper = top + round(0.63 * letter - side / 2)  # level with the words
        swatch = (pad, upper, pad + side - 1, upper + side - 1)
        draw.rectangle(swatch, fill=(*colour, 255), outline=(*blend_outline(colour), 255))
        for line in lines:
            write_line(draw, indent, top, StyledText(line, letter, False, BRIGHT))
            top += height
    return panel


@lru_cache(maxsize=16)
def draw_scale(scale: ColourScale | None, letter: int, room: int) -> Image.Image | None:
    """Draw the label, the bar, and the words at its ends."""
    if scale is None:
        return None
    pad, font, height = padding(letter), load_font(letter), line_height(letter)
    low, high = clean_text(scale.low), clean_text(scale.high)
    ends = font.getlength(low) + 1.5 * letter + font.getlength(high)
    width = round(max(room - 2 * pad, ends))
    label = wrap_text(clean_text(scale.label), font, width) if scale.label else []
    width = round(max(width, *(font.getlength(line) for line in label), 0))
    bar, gap = round(0.75 * letter), round(0.2 * letter)
    panel = open_panel(width + 2 * pad, (len(label) + 1) * height + bar + 2 * gap + 2 * pad, letter)
    draw, top = ImageDraw.Draw(panel), pad
    for line in label:
        write_line(draw, pad, top, StyledText(line, letter, False, BRIGHT))
        top += height
    top += gap
    spread = np.linspace(0, len(scale.colours) - 1, width)
    stops = np.asarray(scale.colours, dtype=float)
    row = np.stack([np.interp(spread, np.arange(len(stops)), stops[:, channel]) for channel in range(3)], axis=1)
    colours = np.repeat(np.rint(row).astype(np.uint8)[None], bar, axis=0)
    panel.paste(Image.fromarray(colours), (pad, top))
    write_line(draw, pad, top + bar + gap, StyledText(low, letter, False, SOFT))
    write_line(draw, pad + width - font.getlength(high), top + bar + gap, StyledText(high, letter, False, SOFT))
    return panel


def draw_key(overlay: Overlay, letter: int, width: int, *, scale_width: int, background: ByteColour) -> Picture:
    """Draw the legend and the colour scale of an overlay as a strip of this width, to go below a picture [pixels]."""
    legend, scale = draw_legend(overlay.legend, letter, width), draw_scale(overlay.scale, letter, min(width, scale_width))
    assert legend is not None
    assert scale is not None
    side_by_side = legend.width + scale.width + 3 * letter <= width
    places = [(letter, letter // 2), (width - scale.width - letter, letter // 2)]
    if not side_by_side:
        places[1] = (letter, legend.height + letter)
    height = letter // 2 + max(place[1] + panel.height for place, panel in zip(places, (legend, scale), strict=True))
    strip = Image.new("RGB", (width, height), background)
    for place, panel in zip(places, (legend, scale), strict=True):
        strip.paste(panel.convert("RGB"), place, panel)
    return np.asarray(strip)


def padding(letter: int) -> int:
    return max(3, round(0.6 * letter))


def line_height(size: int) -> int:
    return round(LINE * size)


def open_panel(width: float, height: int, letter: int) -> Image.Image:
    """Return an empty panel with round corners, drawn four times as large and made smaller so that they are smooth."""
    size = (int(np.ceil(width)), height)
    mask = Image.new("L", (4 * size[0], 4 * size[1]), 0)
    ImageDraw.Draw(mask).rounded_rectangle(
        (0, 0, 4 * size[0] - 1, 4 * size[1] - 1), radius=4 * round(0.35 * letter), fill=PANEL[3]
    )
    panel = Image.new("RGBA", size, PANEL)
    panel.putalpha(mask.resize(size, Image.Resampling.BOX))
    return panel


def write_line(draw: ImageDraw.ImageDraw, left: float, top: float, row: StyledText) -> None:
    """Write one line, its letters in the middle of its height."""
    base = top + round(0.94 * row.size)  # capitals are 0.73 em high, descenders 0.21 deep
    draw.text((round(left), base), row.text, font=load_font(row.size, bold=row.bold), fill=row.colour, anchor="ls")


def blend_outline(colour: ByteColour) -> ByteColour:
    share = OUTLINE[3] / 255
    red, green, blue = (round(channel * (1 - share) + light * share) for channel, light in zip(colour, OUTLINE[:3], strict=True))
    return red, green, blue


def check_colour(colour: Sequence[int], where: str) -> ByteColour:
    """Return (red, green, blue) as plain integers."""
    values = np.asarray(colour)
    if values.shape != (3,) or values.dtype.kind not in "iu" or (values < 0).any() or (values > 255).any():
        raise InvalidInput(f"the colour of {where} is three whole numbers from 0 to 255, not {colour!r}")
    return int(values[0]), int(values[1]), int(values[2])
