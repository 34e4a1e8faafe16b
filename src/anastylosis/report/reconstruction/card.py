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
from anastylosis.units import metres_to_millimetres

__all__ = ["choose_stars", "draw_card", "draw_slots"]

INK, PAPER = (30, 32, 36), (250, 250, 249)
DIM = 0.55  # of the picture behind
Floats = NDArray[np.float64]


def draw_card(picture: Picture, found: Reconstruction, prediction: Prediction) -> Picture:
    """The debris, dimmed, with what is said of it."""
    height, width = picture.shape[:2]
    dimmed = np.rint(DIM * picture + (1 - DIM) * 40).astype(np.uint8)
    shown = draw_overlay(dimmed, Overlay(title="What is predicted", caption="\n".join(list_words(found, prediction))))
    chart = draw_slots(1 - found.filled, choose_stars(found), round(0.8 * height))
    top, left = round(0.04 * height), width - chart.shape[1] - round(0.03 * width)
    shown = shown.copy()
    shown[top : top + chart.shape[0], left : left + chart.shape[1]] = chart
    return shown


def list_words(found: Reconstruction, prediction: Prediction) -> list[str]:
    """A line a number, with the range that holds the truth nine times in ten."""
    said = found.assignment
    count, friction, torque = said.num_removed, said.friction, prediction.torque_risk
    told = f"friction {said.friction_given:.2f} (told)" if said.friction_given is not None else ""
    return [
        f"blocks gone before the fall: {count.value:.1f} ({count.low:.0f} to {count.high:.0f})",
        f"gave way: layer {said.failure_course} ({said.failure[said.failure_course]:.0%})",
        f"torque risk: {torque.value:.1f} moves ({torque.low:.0f} to {torque.high:.0f})",
        f"imbalance: {metres_to_millimetres(found.imbalance):.0f} mm, of the first proposal",
        told or f"friction: {friction.value:.2f} ({friction.low:.2f} to {friction.high:.2f})",
    ]


def choose_stars(found: Reconstruction) -> NDArray[np.int64]:
    """The slots that were most probably empty, as many as are said to have been."""
    number = min(round(found.assignment.num_removed.value), len(found.filled))
    return np.argsort(found.filled, kind="stable")[:number]


def draw_slots(empty: Floats, stars: NDArray[np.int64], height: int) -> Picture:
    """A map of the slots, (S,): a row a layer, the lowest at the bottom; stars on the chosen ones."""
    layers = len(empty) // PLACES
    cell = max(8, height // (layers + 4))
    letter = max(9, round(0.62 * cell))
    font, wide = load_font(letter), round(1.6 * cell)
    left = round(2.2 * letter)
    image = Image.new("RGB", (left + PLACES * wide + letter, (layers + 4) * cell), PAPER)
    pen = ImageDraw.Draw(image)
    colours = np.rint(255 * probability_colours(np.clip(empty, 0, 1))).astype(int)
    pen.text((left, round(0.2 * cell)), "empty?", fill=INK, font=load_font(letter, bold=True))
    for slot, colour in enumerate(colours):
        layer, place = divmod(slot, PLACES)
        x, y = left + place * wide, (layers - layer) * cell
        pen.rectangle((x, y, x + wide - 2, y + cell - 2), fill=tuple(colour.tolist()))
        if slot in stars:
            middle = (x + wide / 2 - 1, y + cell / 2 - 1)
            pen.text(middle, "★", fill="white", font=font, anchor="mm", stroke_width=1, stroke_fill=INK)
    for layer in range(0, layers, 1 if layers <= 12 else 3):
        pen.text((left - letter / 2, (layers - layer + 0.45) * cell), str(layer), fill=INK, font=font, anchor="rm")
    bar, level = (
        np.rint(255 * probability_colours(np.linspace(0, 1, PLACES * wide - 2))).astype(np.uint8),
        round((layers + 1.5) * cell),
    )
    image.paste(Image.fromarray(np.repeat(bar[None], cell // 2, axis=0)), (left, level))
    pen.text((left, round(level + 1.4 * cell)), "0 %", fill=INK, font=font, anchor="lm")
    pen.text((left + PLACES * wide - 2, round(level + 1.4 * cell)), "100 %", fill=INK, font=font, anchor="rm")
    return np.asarray(image)
