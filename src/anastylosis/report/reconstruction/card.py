"""The card of a film: every prediction on one picture, with the map of the slots."""

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from anastylosis.arrays import Floats
from anastylosis.models import Prediction
from anastylosis.reconstruction import Reconstruction
from anastylosis.rendering import Overlay, Picture, draw_overlay, load_font, probability_colours
from anastylosis.report.colour import PALETTE
from anastylosis.report.reconstruction.view import BAR, HEIGHT, LEGEND_ROOM, SCALE_ROOM, add_bar, draw_bar
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.translation import Language, translate
from anastylosis.units import metres_to_millimetres

INK, PAPER = (30, 32, 36), (250, 250, 249)
DIM = 0.55  # of the picture behind
FAINT = (165, 165, 160)  # of a nought
HEAD, FOOT, SCALE = 1.7, 1.8, 3.0  # of a map of slots, in letters: above it, below it, and a scale of colours
NUMBERS, STAR = 12, 9  # [pixels] cells at least so high have numbers in them, or stars
TITLE = "was empty, %"
EDGE = 8  # [pixels] of the bar on each side of a map
LETTER = 12  # [pixels] below a map in the bar


def draw_card(picture: Picture, found: Reconstruction, prediction: Prediction, language: Language = "en") -> Picture:
    """Draw the debris, dimmed, with the predictions on it; and the map of the slots, if it fits."""
    dimmed = add_bar(np.rint(DIM * picture + (1 - DIM) * 40).astype(np.uint8), draw_bar(len(picture)))
    height, width = dimmed.shape[:2]
    about = "inference, from where the blocks lie"
    said = [translate(line, language) for line in (about, *list_words(found, prediction))]
    words = Overlay(title=translate("What is predicted", language), subtitle="\n".join(said))
    shown = draw_overlay(dimmed, words)  # above: what lies there is not hidden
    chart = draw_slots(1 - found.filled, found.emptiest, BAR - 2 * EDGE, round(0.94 * height), language)
    if chart.shape[0] <= height:
        top, left = (height - chart.shape[0]) // 2, width - (BAR + chart.shape[1]) // 2
        shown[top : top + chart.shape[0], left : left + chart.shape[1]] = chart
    return shown


def draw_beside(found: Reconstruction, scale: bool = False, language: Language = "en") -> Picture:
    """Draw the bar beside a film's pictures: the map of slots, and room for a `scale` of colours below."""
    room = HEIGHT - LEGEND_ROOM - (SCALE_ROOM if scale else LETTER)
    return draw_bar(HEIGHT, draw_slots(1 - found.filled, found.emptiest, BAR - 2 * EDGE, room, language))


def describe_torque(prediction: Prediction) -> str:
    """Describe the dangerous moves, and whether the net knows such a heap at all."""
    doubt = "; the net does not know such a heap, do not trust it" if prediction.unlike else ""
    return f"{prediction.torque_risk.words()}{doubt}"


def list_words(found: Reconstruction, prediction: Prediction) -> list[str]:
    """List a line a number, with the range that holds the truth nine times in ten."""
    assignment = found.assignment
    count, friction = assignment.num_removed, assignment.friction
    known = "" if found.known_friction is None else f"friction {found.known_friction.words} (told)"
    return [
        f"blocks taken out before the fall: {count.words()}",
        f"gave way: layer {assignment.failure_course} ({assignment.failure[assignment.failure_course]:.0%})",
        f"dangerous moves: {describe_torque(prediction)}",
        f"its weight: {describe_balance(found)}",
        known or f"friction: {friction.words(2)}",
    ]


def describe_balance(found: Reconstruction) -> str:
    """Describe where the weight of the first proposal acts: minus its imbalance."""
    outwards = metres_to_millimetres(found.imbalance)
    if not math.isfinite(outwards):
        return "nothing is under it"
    return f"{abs(outwards):.0f} mm {'inside' if outwards <= 0 else 'outside'} the edge of its foot"


def draw_slots(empty: Floats, stars: NDArray[np.int64], width: int, height: int, language: Language = "en") -> Picture:
    """Draw a map of the slots (S,) within this width and height [pixels].

    One row a layer, the lowest at the bottom; percent in the cells, stars on the chosen ones. Cells too low for numbers get a
    scale of colours below the map. No cell is lower than two pixels, so a map of very many layers is higher.
    """
    layers = len(empty) // BLOCKS_PER_COURSE
    letter, row = min(max(10, height // 30), 16), translate("layer", language)
    font, bold = load_font(letter), load_font(letter, bold=True)
    numbers = (height - (HEAD + FOOT) * letter) // layers >= NUMBERS
    foot = round((FOOT if numbers else FOOT + SCALE) * letter)
    cell = min(max(2, (height - round(HEAD * letter) - foot) // layers), 2 * letter)
    left, top = round(font.getlength(row) + 1.2 * letter), round(HEAD * letter)
    wide = (width - left - letter) // BLOCKS_PER_COURSE
    bottom, right = top + layers * cell, left + BLOCKS_PER_COURSE * wide
    image = Image.new("RGB", (width, bottom + foot), PAPER)
    pen = ImageDraw.Draw(image)
    pen.text((left - letter / 2, top / 2), row, fill=INK, font=font, anchor="rm")
    pen.text((left, top / 2), translate(TITLE, language), fill=INK, font=bold, anchor="lm")
    colours = np.rint(255 * probability_colours(np.clip(empty, 0, 1), absent=True)).astype(int)
    small = load_font(min(letter, cell - 2)) if numbers else font
    for slot, (colour, chance) in enumerate(zip(colours, empty, strict=True)):
        layer, place = divmod(slot, BLOCKS_PER_COURSE)
        x, y = left + place * wide, bottom - (layer + 1) * cell
        pen.rectangle((x, y, x + wide - 2, y + max(1, cell - 2)), fill=tuple(colour.tolist()))
        ink, middle = "white" if chance > PALETTE.dark_share else INK, y + cell / 2 - 1
        if numbers:
            percent = f"{100 * chance:.0f}"
            pen.text((x + wide - letter, middle), percent, fill=ink if percent != "0" else FAINT, font=small, anchor="rm")
        if slot in stars and cell >= STAR:
            pen.text((x + 0.5 * letter, middle), "★", fill=ink, font=small, anchor="lm")
    for layer in range(0, layers, max(1 if numbers else 3, -(-letter // cell))):
        pen.text((left - letter / 2, bottom - (layer + 0.5) * cell), str(layer), fill=INK, font=small, anchor="rm")
    if not numbers:
        bar = np.rint(255 * probability_colours(np.linspace(0, 1, right - left - 2), absent=True)).astype(np.uint8)
        image.paste(Image.fromarray(np.repeat(bar[None], letter, axis=0)), (left, bottom + letter // 2))
        pen.text((left, bottom + 2.3 * letter), "0 %", fill=INK, font=font, anchor="lm")
        pen.text((right - 2, bottom + 2.3 * letter), "100 %", fill=INK, font=font, anchor="rm")
    pen.text((left, bottom + foot - 0.9 * letter), translate("★ most probably empty", language), fill=INK, font=font, anchor="lm")
    return np.asarray(image)
