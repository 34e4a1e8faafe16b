"""The card of a film: every prediction on one picture, with the map of the slots."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from anastylosis.predict.answers import PLACES
from anastylosis.predict.prediction import Prediction
from anastylosis.reconstruct.reconstruction import Reconstruction
from anastylosis.render import Overlay, draw_overlay, probability_colours
from anastylosis.render.picture import Picture
from anastylosis.render.text import load_font
from anastylosis.report.reconstruction.view import BAR, HEIGHT, LEGEND_ROOM, SCALE_ROOM, add_bar, draw_bar
from anastylosis.units import metres_to_millimetres

__all__ = ["choose_stars", "draw_beside", "draw_card", "draw_slots"]

INK, PAPER = (30, 32, 36), (250, 250, 249)
DIM = 0.55  # of the picture behind
HEAD, FOOT = 2, 5  # of a map of slots, in letters
TITLE = "was empty?"
LETTER = 12  # [pixels] below a map in the bar
Floats = NDArray[np.float64]


def draw_card(picture: Picture, found: Reconstruction, prediction: Prediction) -> Picture:
    """The debris, dimmed, with what is said of it."""
    dimmed = add_bar(np.rint(DIM * picture + (1 - DIM) * 40).astype(np.uint8), draw_bar(len(picture)))
    height, width = dimmed.shape[:2]
    about = "inference, from where the blocks lie"
    shown = draw_overlay(
        dimmed, Overlay(title="What is predicted", subtitle="\n".join([about, *list_words(found, prediction)]))
    )  # above: what lies there is not hidden
    chart = draw_slots(1 - found.filled, choose_stars(found), round(0.94 * height))
    top, left = (height - chart.shape[0]) // 2, width - (BAR + chart.shape[1]) // 2
    shown[top : top + chart.shape[0], left : left + chart.shape[1]] = chart
    return shown


def draw_beside(found: Reconstruction, scale: bool = False) -> Picture:
    """The bar beside a film's pictures, with the map of the slots; with room for a `scale` of colours below it."""
    room = HEIGHT - LEGEND_ROOM - (SCALE_ROOM if scale else LETTER)
    return draw_bar(HEIGHT, draw_slots(1 - found.filled, choose_stars(found), room))


def list_words(found: Reconstruction, prediction: Prediction) -> list[str]:
    """A line a number, with the range that holds the truth nine times in ten."""
    said = found.assignment
    count, friction, torque = said.num_removed, said.friction, prediction.torque_risk
    told = "" if found.told_friction is None else f"friction {found.told_friction.words} (told)"
    return [
        f"blocks taken out before the fall: {count.words()}",
        f"gave way: layer {said.failure_course} ({said.failure[said.failure_course]:.0%})",
        f"dangerous moves: {torque.words()}",
        f"imbalance: {metres_to_millimetres(found.imbalance):.0f} mm; below 0 its weight is over its foot",
        told or f"friction: {friction.words(2)}",
    ]


def choose_stars(found: Reconstruction) -> NDArray[np.int64]:
    """The slots that were most probably empty, as many as are said to have been."""
    number = min(round(found.assignment.num_removed.value), len(found.filled))
    return np.argsort(found.filled, kind="stable")[:number]


def draw_slots(empty: Floats, stars: NDArray[np.int64], height: int) -> Picture:
    """A map of the slots, (S,), no higher than that [pixels]: a row a layer, the lowest at the bottom; stars on the chosen ones.

    Above and below it what rows, colours and stars mean.
    """
    layers = len(empty) // PLACES
    letter = max(9, height // 38)
    font, bold = load_font(letter), load_font(letter, bold=True)
    cell = min(max(2, (height - (HEAD + FOOT) * letter) // layers), 2 * letter)
    wide = round(2.2 * letter)
    left, top = round(font.getlength("layer") + 1.2 * letter), HEAD * letter
    bottom, right = top + layers * cell, left + PLACES * wide
    most = "★ most probably"
    edge = round(max(right, left + font.getlength(most), left + bold.getlength(TITLE))) + letter
    image = Image.new("RGB", (edge, bottom + FOOT * letter), PAPER)
    pen = ImageDraw.Draw(image)
    pen.text((left - letter / 2, top / 2), "layer", fill=INK, font=font, anchor="rm")
    pen.text((left, top / 2), TITLE, fill=INK, font=bold, anchor="lm")
    colours = np.rint(255 * probability_colours(np.clip(empty, 0, 1))).astype(int)
    for slot, colour in enumerate(colours):
        layer, place = divmod(slot, PLACES)
        x, y = left + place * wide, bottom - (layer + 1) * cell
        pen.rectangle((x, y, x + wide - 2, y + max(1, cell - 2)), fill=tuple(colour.tolist()))
        if slot in stars and cell >= letter:
            middle = (x + wide / 2 - 1, y + cell / 2 - 1)
            pen.text(middle, "★", fill="white", font=font, anchor="mm", stroke_width=1, stroke_fill=INK)
    for layer in range(0, layers, max(1 if layers <= 12 else 3, -(-letter // cell))):
        pen.text((left - letter / 2, bottom - (layer + 0.5) * cell), str(layer), fill=INK, font=font, anchor="rm")
    bar = np.rint(255 * probability_colours(np.linspace(0, 1, right - left - 2))).astype(np.uint8)
    image.paste(Image.fromarray(np.repeat(bar[None], letter, axis=0)), (left, bottom + letter // 2))
    pen.text((left, bottom + 2.3 * letter), "0 %", fill=INK, font=font, anchor="lm")
    pen.text((right - 2, bottom + 2.3 * letter), "100 %", fill=INK, font=font, anchor="rm")
    pen.text((left, bottom + 3.9 * letter), most, fill=INK, font=font, anchor="lm")
    return np.asarray(image)
