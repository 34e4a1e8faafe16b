"""Write the moving picture of the README, from the film of `make demo`.

    make demo
    python tools/write_readme_film.py demo/survey/reconstruction.mp4

Every so many frames of the film, smaller, as one GIF that repeats.
"""

import sys
from pathlib import Path

import av
from PIL import Image

from anastylosis.report.reconstruction.shades import BYTES, SLOT_SCALE
from anastylosis.whole_file import write_whole

OUT = Path(__file__).parents[1] / "docs" / "reconstruction.gif"
SIDE, COLOURS = 360, 255  # [pixels]; of the palette
EVERY, SHOWN, LAST = 4, 160, 2500  # frames of which one is taken; [ms] of each, and of the last


def main(film: str) -> None:
    with av.open(film) as container:
        frames = [frame.to_image() for number, frame in enumerate(container.decode(video=0)) if number % EVERY == 0]
    small = [frame.resize((round(SIDE * frame.width / frame.height), SIDE), Image.Resampling.LANCZOS) for frame in frames]
    palette = stack([*small[:: len(small) // 5], small[-1], draw_stripes(small[-1].size)]).quantize(COLOURS)
    pictures = [frame.quantize(COLOURS, palette=palette, dither=Image.Dither.NONE) for frame in small]
    times = [SHOWN] * (len(pictures) - 1) + [LAST]
    with write_whole(OUT) as part:
        pictures[0].save(part, "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True)
    print(f"{OUT.name}: {len(pictures)} pictures, {OUT.stat().st_size / 1e6:.2f} MB")


def draw_stripes(size: tuple[int, int]) -> Image.Image:
    """The colours that legends and the scale explain, so that the palette has each of them."""
    colours = [*BYTES.values(), *SLOT_SCALE.colours]
    picture, step = Image.new("RGB", size), size[1] // len(colours)
    for row, colour in enumerate(colours):
        picture.paste(colour, (0, row * step, size[0], (row + 1) * step))
    return picture


def stack(pictures: list[Image.Image]) -> Image.Image:
    """Pictures of one size, one below the other."""
    width, height = pictures[0].size
    whole = Image.new("RGB", (width, height * len(pictures)))
    for number, picture in enumerate(pictures):
        whole.paste(picture, (0, number * height))
    return whole


if __name__ == "__main__":
    main(sys.argv[1])
