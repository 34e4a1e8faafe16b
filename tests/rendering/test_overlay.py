"""Text on pictures: drawn, whole, readable, and nowhere but on its panels."""

import unicodedata

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.rendering import ColourScale, Overlay, draw_overlay
from anastylosis.rendering.overlay import place_panels
from anastylosis.rendering.text import clean_text, load_font, wrap_text

VIRIDIS = [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)]
SCALE = ColourScale(colours=VIRIDIS, low="0 mm", high="30 mm", label="distance from its place")
LEGEND = [("stands", (214, 170, 110)), ("taken out", (220, 60, 50))]
FULL = Overlay(
    title="Reconstruction, hypothesis 1 of 5",
    subtitle="probability 0.62 · μ = 0.40",
    caption="t = 1.25 s; 81 × 26 × 18 mm, 30°, L. A. Muñoz",
    legend=LEGEND,
    scale=SCALE,
)
LONG = Overlay(
    title="A title that is much too long for one line of a small picture, and so has to be broken into several",
    subtitle="with_a_word_that_is_longer_than_any_line_can_be_in_a_picture_of_this_size_and_has_no_spaces.tar.gz",
    caption="And a caption that goes on and on: " + "the block leaves along its length, " * 3,
    legend=[("a legend entry that needs more than half of the width of the picture", (90, 140, 220))],
    scale=ColourScale(
        colours=[(0, 0, 0), (255, 255, 255)], low="a low end with words", high="a high end with words", label="what " * 9
    ),
)
NOISE = np.random.default_rng(1).integers(0, 256, (2000, 2000, 3), dtype=np.uint8)


def plain(grey: int, width: int = 480, height: int = 480) -> np.ndarray:
    return np.full((height, width, 3), grey, dtype=np.uint8)


def panel_mask(overlay: Overlay, width: int, height: int) -> np.ndarray:
    mask = np.zeros((height, width), dtype=int)
    for panel in place_panels(overlay, width, height):
        rows, columns, _ = panel.colour.shape
        assert panel.left >= 0
        assert panel.top >= 0
        assert panel.left + columns <= width
        assert panel.top + rows <= height
        mask[panel.top : panel.top + rows, panel.left : panel.left + columns] += 1
    return mask


@pytest.mark.parametrize("overlay", [FULL, LONG], ids=["short", "long"])
@pytest.mark.parametrize(("width", "height"), [(240, 240), (480, 480), (480, 270), (640, 640), (1280, 720), (360, 640)])
def test_only_panels_change_and_none_covers_another(width: int, height: int, overlay: Overlay) -> None:
    picture = NOISE[:height, :width].copy()
    before = picture.copy()
    drawn = draw_overlay(picture, overlay)
    assert (picture == before).all()  # the given picture is left alone
    assert drawn.dtype == np.uint8
    assert drawn.shape == picture.shape
    mask = panel_mask(overlay, width, height)
    assert mask.max() == 1
    assert mask.mean() < (0.55 if width == 240 else 0.5)  # the picture is what is to be seen
    assert (drawn[mask == 0] == picture[mask == 0]).all()
    assert (drawn[mask == 1] != picture[mask == 1]).any(axis=1).mean() > 0.95


def bright(drawn: np.ndarray) -> np.ndarray:
    """Where letters are, over a black picture: panels are darker than 30."""
    return drawn.min(axis=2) > 60


@pytest.mark.parametrize("width", [240, 480, 640, 1280])
@pytest.mark.parametrize("part", ["title", "subtitle", "caption"])
def test_letters_are_whole(width: int, part: str) -> None:
    """High, deep and wide letters: the rim of the panel, which would cut them, stays dark."""
    text = "Àgjpqy| ñ μ Ωß_ÅÇ" * 2
    overlay = Overlay(**{part: text})
    panels = place_panels(overlay, width, width)
    assert len(panels) == 1
    colour = panels[0].colour // np.maximum(255 - panels[0].through, 1)
    lit = colour.min(axis=2) > 60
    assert lit.any()
    rim = np.concatenate([lit[:2].ravel(), lit[-2:].ravel(), lit[:, :2].ravel(), lit[:, -2:].ravel()])
    assert not rim.any()


@pytest.mark.parametrize("part", ["title", "subtitle", "caption"])
def test_text_is_drawn_where_it_belongs(part: str) -> None:
    drawn = draw_overlay(plain(0), Overlay(**{part: "WWWW"}))
    rows, columns = np.nonzero(bright(drawn))
    assert columns.max() < 240  # left
    assert (rows.min() > 400) if part == "caption" else (rows.max() < 80)
    more = bright(draw_overlay(plain(0), Overlay(**{part: "WWWW WWWW"}))).sum()
    assert more == pytest.approx(2 * len(rows), rel=0.02)  # twice the letters, twice the light


def test_letters_follow_the_width_of_the_picture() -> None:
    def cap_height(width: int) -> int:
        rows = np.nonzero(bright(draw_overlay(plain(0, width, width), Overlay(caption="HHH"))).any(axis=1))[0]
        return int(np.ptp(rows)) + 1

    heights = [cap_height(width) for width in (240, 480, 640, 1280)]
    assert heights == sorted(set(heights))
    assert heights[1] >= 10  # px: 480 wide is still read at arm's length
    assert 18 <= heights[3] <= 26


@pytest.mark.parametrize("background", [0, 128, 255])
@pytest.mark.parametrize("part", ["title", "subtitle", "caption"])
def test_contrast_is_enough_on_any_background(background: int, part: str) -> None:
    drawn = draw_overlay(plain(background), Overlay(**{part: "IIII ████".replace("█", "■")}))
    mask = panel_mask(Overlay(**{part: "IIII ■■■■"}), 480, 480) == 1
    inside = drawn[mask]
    values, counts = np.unique(inside, axis=0, return_counts=True)
    panel = values[counts.argmax()]  # most of a panel is panel
    ink = values[values.sum(axis=1).argmax()] if background == 0 else values[(values.min(axis=1) > 200)][-1]
    assert (luminance(ink) + 0.05) / (luminance(panel) + 0.05) > 4.5  # WCAG 2.1, 1.4.3


def luminance(colour: np.ndarray) -> float:
    """WCAG 2.1: relative luminance of an sRGB colour."""
    share = colour / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


NEEDED = "μµ°×ñÑéÉèüÜöäßøåçčłşğőΑΩαβγθλρσφωДжя±·–—−≤≥≈≠→←↑↓²³⁻¹½‰…“”«»€•●■▲▶◀√∞Δ∑∂✓"


@pytest.mark.parametrize("bold", [False, True], ids=["regular", "bold"])
def test_the_font_has_the_letters(bold: bool) -> None:
    font = load_font(40, bold=bold)
    box = bytes(font.getmask("\U000f0000"))
    assert any(box)  # what is drawn for a letter that is not there
    assert [letter for letter in NEEDED if bytes(font.getmask(letter)) in (box, b"")] == []
    assert len({bytes(font.getmask(letter)) for letter in "nñeéuμo°x×"}) == 10


def test_letters_in_two_parts_are_one() -> None:
    assert clean_text(unicodedata.normalize("NFD", "Muñoz")) == unicodedata.normalize("NFC", "Muñoz")
    whole = draw_overlay(plain(0), Overlay(title="Muñoz"))
    parts = draw_overlay(plain(0), Overlay(title=unicodedata.normalize("NFD", "Muñoz")))
    assert (whole == parts).all()


def test_control_characters_are_not_drawn() -> None:
    clean = draw_overlay(plain(0), Overlay(caption="one\ntwo"))
    assert (draw_overlay(plain(0), Overlay(caption="\x1bone\r\n\u200btwo\x00\n")) == clean).all()


def test_line_breaks_are_kept() -> None:
    def lines(caption: str) -> int:
        rows = bright(draw_overlay(plain(0), Overlay(caption=caption))).any(axis=1).astype(int)
        return int((np.diff(rows) == 1).sum())

    assert lines("HHH") == 1
    assert lines("HHH\nHHH\nHHH") == 3


@pytest.mark.parametrize("width", [60, 120, 300])
def test_wrapped_lines_fit_and_lose_nothing(width: int) -> None:
    font = load_font(14)
    text = "the block leaves along its length and donaudampfschifffahrtsgesellschaft is long"
    lines = wrap_text(text, font, width)
    assert max(font.getlength(line) for line in lines) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_lines_are_of_about_equal_width() -> None:
    font = load_font(14)
    text = "the block leaves along its length and the tower stays"
    lines = wrap_text(text, font, font.getlength(text) - 5)  # greedy would leave "stays" alone
    assert len(lines) == 2
    assert min(map(len, lines)) > 0.7 * max(map(len, lines))


def test_legend_shows_its_colours() -> None:
    drawn = draw_overlay(plain(255), Overlay(legend=LEGEND))
    rows = []
    for _, colour in LEGEND:
        found = np.argwhere((drawn == colour).all(axis=2))
        assert len(found) > 60  # a swatch of 12 x 12, without its outline
        assert found[:, 1].min() > 240  # right
        rows.append(found[:, 0].mean())
    assert 15 < rows[1] - rows[0] < 30  # one under the other, in their order


def test_dark_swatches_have_an_outline() -> None:
    drawn = draw_overlay(plain(0), Overlay(legend=[("x", (18, 21, 26))]))
    swatch = bright(drawn)[:, : np.nonzero(bright(drawn).any(axis=0))[0][0] + 12]
    assert swatch.sum() >= 4 * 10


def test_colour_scale_goes_from_low_to_high() -> None:
    drawn = draw_overlay(plain(255), Overlay(scale=SCALE)).astype(int)
    row, left = np.argwhere((drawn == VIRIDIS[0]).all(axis=2))[0]
    right = np.argwhere((drawn == VIRIDIS[-1]).all(axis=2))[0][1]
    bar = drawn[row, left : right + 1]
    assert len(bar) > 100
    expected = [np.interp(np.linspace(0, 4, len(bar)), range(5), [colour[channel] for colour in VIRIDIS]) for channel in range(3)]
    assert np.abs(bar - np.stack(expected, axis=1)).max() <= 1


def test_legend_goes_below_a_title_that_needs_the_width() -> None:
    short, long = Overlay(title="short", legend=LEGEND), Overlay(title="a title that is as wide as the picture is", legend=LEGEND)
    tops = [place_panels(overlay, 480, 480)[1].top for overlay in (short, long)]
    assert tops[0] == place_panels(short, 480, 480)[0].top
    assert tops[1] > tops[0] + 30


def test_letters_shrink_before_words_are_refused() -> None:
    entries = [(f"entry number {k}", (10 * k, 90, 90)) for k in range(20)]
    few, many = (place_panels(Overlay(legend=entries[:count]), 480, 300)[0] for count in (2, 20))
    assert many.colour.shape[1] < few.colour.shape[1]


@pytest.mark.parametrize(
    ("overlay", "width", "height"),
    [(LONG, 160, 160), (Overlay(title="title"), 20, 20), (Overlay(caption="words " * 200), 320, 320)],
)
def test_words_that_do_not_fit_are_refused(overlay: Overlay, width: int, height: int) -> None:
    with pytest.raises(InvalidInput, match=f"do not fit on {width} x {height} pixels"):
        draw_overlay(plain(0, width, height), overlay)


def test_nothing_to_say_changes_nothing() -> None:
    assert (draw_overlay(NOISE[:100, :100], Overlay(title=" \n")) == NOISE[:100, :100]).all()
    assert (draw_overlay(NOISE[:9, :9], Overlay()) == NOISE[:9, :9]).all()


def test_colours_may_be_arrays() -> None:
    overlay = Overlay(
        legend=[("x", np.array([1, 2, 3], dtype=np.uint8))], scale=ColourScale(colours=np.array(VIRIDIS), low="0", high="1")
    )
    assert overlay.legend == (("x", (1, 2, 3)),)
    draw_overlay(plain(0), overlay)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Overlay(legend=[("x", (0, 0, 256))]), "colour of 'x' in the legend is three whole numbers"),
        (lambda: Overlay(legend=[("x", (0.5, 0, 0))]), "three whole numbers"),
        (lambda: Overlay(legend=[("x", "red")]), "not 'red'"),
        (lambda: ColourScale(colours=[(0, 0, 0)], low="", high=""), "two colours or more, not 1"),
        (lambda: draw_overlay(np.zeros((48, 64)), Overlay()), "not array of float64"),
        (lambda: draw_overlay(np.zeros((48, 64, 4), np.uint8), Overlay()), r"not \(48, 64, 4\)"),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()
