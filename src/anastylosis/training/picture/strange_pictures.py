"""Strange pictures: kinds that no picture net has learned from, drawn by seed, and known pictures that were altered.

They try the score of unlikeness. None was used to fit it.
"""

import io
import math
from collections.abc import Callable, Mapping

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from anastylosis.arrays import Grey, Reals
from anastylosis.rendering import load_font

FINE = 2  # pixels drawn along each that is kept, of lines and letters
WORDS = ("tower", "blocks", "fell", "and", "the", "stone", "wall", "report", "of", "layer", "with", "survey", "year", "number")
Change = Callable[[np.random.Generator, Grey], Grey]


def draw_noise(rng: np.random.Generator, size: int) -> Grey:
    """Draw independent pixels."""
    return tone(rng, rng.normal(size=(size, size)))


def draw_texture(rng: np.random.Generator, size: int) -> Grey:
    """Draw clouds: noise whose amplitude falls with a power of the frequency."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(size), np.fft.fftfreq(size)))
    frequency[0, 0] = 1
    return tone(rng, np.fft.ifft2(np.fft.fft2(rng.normal(size=(size, size))) / frequency ** rng.uniform(0.5, 2.5)).real)


def draw_gradient(rng: np.random.Generator, size: int) -> Grey:
    """Draw a shade that changes evenly, along a direction or away from a point."""
    down, across = np.mgrid[:size, :size] / size
    turn = rng.uniform(0, 2 * math.pi)
    if rng.random() < 0.5:
        return tone(rng, math.cos(turn) * across + math.sin(turn) * down)
    return tone(rng, np.hypot(across - rng.random(), down - rng.random()))


def draw_flat(rng: np.random.Generator, size: int) -> Grey:
    """Draw one shade with a faint grain: just not blank."""
    return to_grey(rng.uniform(20, 235) + rng.uniform(0.6, 4) * rng.normal(size=(size, size)))


def draw_stripes(rng: np.random.Generator, size: int) -> Grey:
    """Draw stripes or squares, soft or sharp."""
    down, across = np.mgrid[:size, :size] / size
    turn, waves = rng.uniform(0, math.pi), rng.uniform(3, 48)
    wave = np.sin(2 * math.pi * waves * (math.cos(turn) * across + math.sin(turn) * down))
    if rng.random() < 0.5:
        wave = wave * np.sin(2 * math.pi * waves * (math.cos(turn) * down - math.sin(turn) * across))
    return tone(rng, np.sign(wave) if rng.random() < 0.5 else wave)


def draw_text(rng: np.random.Generator, size: int) -> Grey:
    """Draw a page of print."""
    side = FINE * size
    page = Image.new("L", (side, side), int(rng.integers(200, 256)))
    draw, letter = ImageDraw.Draw(page), max(4, round(side * rng.uniform(0.026, 0.08)))
    for top in range(letter, side - letter, round(1.4 * letter)):
        draw.text((letter, top), " ".join(rng.choice(WORDS, 12)), fill=int(rng.integers(0, 60)), font=load_font(letter))
    return shrink_image(page, size)


def draw_shapes(rng: np.random.Generator, size: int) -> Grey:
    """Draw ellipses, rectangles and polygons of any shade."""
    side = FINE * size
    picture = Image.new("L", (side, side), int(rng.integers(30, 240)))
    draw = ImageDraw.Draw(picture)
    for _ in range(rng.integers(3, 40)):
        centre, reach, shade = rng.uniform(0, side, 2), rng.uniform(0.013, 0.23) * side, int(rng.integers(0, 256))
        half, kind = reach * rng.uniform(0.2, 1, 2), rng.integers(3)
        if kind == 0:
            draw.ellipse([*(centre - half), *(centre + half)], fill=shade)
        elif kind == 1:
            draw.rectangle([*(centre - half), *(centre + half)], fill=shade)
        else:
            corners = centre + rng.uniform(-reach, reach, (int(rng.integers(3, 6)), 2))
            draw.polygon([(float(x), float(y)) for x, y in corners], fill=shade)
    return shrink_image(picture, size)


def draw_chart(rng: np.random.Generator, size: int) -> Grey:
    """Draw a figure of a paper: two axes, with lines, bars or points."""
    side = FINE * size
    picture = Image.new("L", (side, side), 255)
    draw, edge = ImageDraw.Draw(picture), round(0.08 * side)
    draw.line([(edge, edge), (edge, side - edge), (side - edge, side - edge)], fill=0, width=FINE)
    across = np.linspace(1.3 * edge, side - 1.3 * edge, int(rng.integers(4, 20))).tolist()
    for _ in range(rng.integers(1, 4)):
        points = list(zip(across, rng.uniform(edge, side - edge, len(across)).tolist(), strict=True))
        kind, shade = rng.integers(3), int(rng.integers(0, 180))
        if kind == 0:
            draw.line(points, fill=shade, width=int(rng.integers(2, 5)))
            continue
        for x, y in points:
            if kind == 1:
                draw.rectangle([x - edge / 6, y, x + edge / 6, side - edge], fill=shade)
            else:
                draw.ellipse([x - edge / 7, y - edge / 7, x + edge / 7, y + edge / 7], fill=shade)
    return shrink_image(picture, size)


def compress(_: np.random.Generator, picture: Grey) -> Grey:
    """Compress as JPEG."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=70)
    with Image.open(file) as read:
        return np.asarray(read.convert("L"))


def expose(rng: np.random.Generator, picture: Grey) -> Grey:
    """Change brightness and contrast."""
    return to_grey(picture * rng.uniform(0.75, 1.25) + rng.uniform(-20, 20))


def blur(rng: np.random.Generator, picture: Grey) -> Grey:
    """Blur by 1 to 2.5 % of the side."""
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(rng.uniform(0.01, 0.025) * len(picture))))


def crop(rng: np.random.Generator, picture: Grey) -> Grey:
    """Keep 40 to 75 % of each side, anywhere."""
    size = len(picture)
    side = max(1, round(size * rng.uniform(0.4, 0.75)))
    top, left = (int(begin) for begin in rng.integers(0, size - side + 1, 2))
    kept = Image.fromarray(picture[top : top + side, left : left + side])
    return np.asarray(kept.resize((size, size), Image.Resampling.BILINEAR))


def tilt(rng: np.random.Generator, picture: Grey) -> Grey:
    """Turn by 15 to 40 degrees; corners get the shade of the upper edge."""
    angle = float(rng.choice((-1, 1)) * rng.uniform(15, 40))
    return np.asarray(Image.fromarray(picture).rotate(angle, Image.Resampling.BILINEAR, fillcolor=int(np.median(picture[0]))))


def turn_quarters(rng: np.random.Generator, picture: Grey) -> Grey:
    """Turn by 90, 180 or 270 degrees."""
    return np.rot90(picture, int(rng.integers(1, 4))).copy()


def invert(_: np.random.Generator, picture: Grey) -> Grey:
    """Swap light and dark."""
    return 255 - picture


def tone(rng: np.random.Generator, values: Reals) -> Grey:
    """Give values some brightness and some contrast."""
    standard = (values - values.mean()) / max(float(values.std()), 1e-9)
    return to_grey(rng.uniform(60, 190) + rng.uniform(5, 60) * standard)


def to_grey(values: Reals) -> Grey:
    return np.rint(values.clip(0, 255)).astype(np.uint8)


def shrink_image(picture: Image.Image, size: int) -> Grey:
    return np.asarray(picture.resize((size, size), Image.Resampling.BOX))


FAR: Mapping[str, Callable[[np.random.Generator, int], Grey]] = {
    "noise": draw_noise, "texture": draw_texture, "gradient": draw_gradient, "flat": draw_flat, "stripes": draw_stripes,
    "text": draw_text, "shapes": draw_shapes, "chart": draw_chart,
}  # fmt: skip
# Of known pictures: what should be accepted, and what should not, since the answer is worth little.
HARMLESS: Mapping[str, Change] = {"compressed": compress, "exposed": expose}
ALTERED: Mapping[str, Change] = {
    "blurred": blur, "cropped": crop, "tilted": tilt, "turned": turn_quarters, "inverted": invert,
}  # fmt: skip
