"""Detection overlay: detected blocks, drawn over the pictures that they were detected in."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from anastylosis.arrays import ByteColour
from anastylosis.detection import REACH, STANDS, BoxProposals, Photo
from anastylosis.geometry import find_corners, make_matrices
from anastylosis.rendering import Camera, Picture, check_picture
from anastylosis.report.colour import PALETTE, fade, to_bytes
from anastylosis.survey import Survey

FELL, DOUBTFUL = to_bytes(PALETTE.outline_fell), to_bytes(PALETTE.outline_doubtful)
RING_COLOUR = (150, 150, 150)
SIDES = 1024, 1600  # [pixels] of a picture on a sheet, at least and at most: numbers need room
UNSURE = 0.008  # [m] standard deviation along each axis above which a block is to be checked
UNCERTAIN = 0.6  # certainty of one block below which it is, too
LEGEND = (
    ("stands in its slot, paler: less sure", to_bytes(PALETTE.outline_stands)),
    ("fell", FELL),
    ("fell; doubtful: check its line in the survey", DOUBTFUL),
    ("ring: blocks are looked for within", RING_COLOUR),
)
RING_STEPS, NEAREST = 180, 0.05  # dashes and gaps of the ring; [m] before the eye at least
WIDTH = 600  # [pixels] of a picture, for each pixel of a line or less
SMALLEST, LETTERS = 10, 76  # [pixels] height of a number, at least; how often it goes into the width
BLOCK = "block-"  # what names of detected blocks begin with
# Corners of each face, round it: numbers of `find_corners`.
FACES = {
    (0, 1): (4, 6, 7, 5), (0, -1): (0, 1, 3, 2),
    (1, 1): (2, 3, 7, 6), (1, -1): (0, 4, 5, 1),
    (2, 1): (1, 5, 7, 3), (2, -1): (0, 2, 6, 4),
}  # fmt: skip


def draw_sight(
    picture: Picture, camera: Camera, blocks: BoxProposals, colours: Sequence[ByteColour], over: NDArray[np.bool_] | None = None
) -> Picture:
    """Return a copy of the picture of `camera` with block outlines: the faces that are turned to the eye.

    The nearest block is drawn last, and hides the lines of those behind it. Those in `over` (N,) are drawn over all others.
    Blocks behind the eye are left out.
    """
    above = np.zeros(len(blocks.size), bool) if over is None else over
    plain = Image.fromarray(check_picture(picture))
    image = plain.copy()
    pen = ImageDraw.Draw(image)
    width = math.ceil(camera.width / WIDTH)
    corners = find_corners(blocks.position, blocks.size, blocks.axes)
    pixels, depth = camera.project(corners)
    for row in np.lexsort((-depth.mean(axis=1), above)):
        if not (depth[row] > 0).all():
            continue
        faces = visible_faces(blocks, row, camera)
        if not above[row]:
            wipe(image, plain, [pixels[row, list(face)] for face in faces])
        for face in faces:
            ring = [tuple(pixels[row, corner]) for corner in (*face, face[0])]
            pen.line(ring, fill=colours[row], width=width, joint="curve")
    return np.asarray(image)


def wipe(image: Image.Image, plain: Image.Image, faces: Sequence[NDArray[np.float64]]) -> None:
    """Take away what was drawn within the faces, (4, 2) pixels each."""
    if not faces:
        return
    every = np.concatenate(faces)
    left, top = np.floor(every.min(axis=0)).astype(int).clip(0)
    right, bottom = np.minimum(np.ceil(every.max(axis=0)).astype(int) + 1, image.size)
    if right <= left or bottom <= top:
        return
    mask = Image.new("1", (int(right - left), int(bottom - top)))
    for face in faces:
        ImageDraw.Draw(mask).polygon([tuple(corner) for corner in face - (left, top)], fill=1)
    image.paste(plain.crop((left, top, right, bottom)), (int(left), int(top)), mask)


def draw_survey(
    photos: Sequence[Photo], survey: Survey, words: str = "", *, sides: tuple[int, int] = SIDES, legend: bool = True
) -> Picture:
    """Draw the pictures side by side, every surveyed block on them, a legend below; `words`: its first lines.

    `sides`: least and most pixels of the longer side of each picture.
    """
    sheet = draw_found(photos, survey, sides)
    if not legend:
        return sheet
    return np.concatenate([sheet, draw_legend(sheet.shape[1], max(12, min(sheet.shape[:2]) // 32), words)])


def draw_found(photos: Sequence[Photo], survey: Survey, sides: tuple[int, int] = SIDES) -> Picture:
    """Draw surveyed blocks on the pictures, without a legend."""
    blocks = BoxProposals(survey.size, survey.position, make_matrices(survey.orientation))
    stands = [note.startswith(STANDS) for note in survey.notes]
    doubtful = find_doubtful(survey)
    fell = [DOUBTFUL if doubt else FELL for doubt in doubtful]
    numbers = {row: survey.ids[row].removeprefix(BLOCK) for row in np.flatnonzero(doubtful).tolist()}
    pale = [fade_standing(certainty) for certainty in survey.certainty.tolist()]
    colours = [blue if standing else colour for standing, blue, colour in zip(stands, pale, fell, strict=True)]
    photos = [resize(photo, sides) for photo in photos]
    height = max(photo.picture.shape[0] for photo in photos)
    strips = []
    for photo in photos:
        drawn = draw_sight(draw_ring(photo.picture, photo.camera), photo.camera, blocks, colours, doubtful)
        drawn = write_numbers(drawn, photo.camera, blocks.position, numbers)
        strips.append(np.pad(drawn, ((0, height - len(drawn)), (0, 0), (0, 0)), constant_values=255))
    return np.concatenate(strips, axis=1)


def draw_ring(picture: Picture, camera: Camera) -> Picture:
    """Return a copy with the ring on the floor beyond which no blocks are searched; parts behind the eye are left out."""
    image = Image.fromarray(picture)
    pen, angle = ImageDraw.Draw(image), np.linspace(0, 2 * np.pi, RING_STEPS + 1)
    pixels, depth = camera.project(REACH * np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1))
    for step in np.flatnonzero((depth[:-1] > NEAREST) & (depth[1:] > NEAREST))[::2]:
        pen.line([tuple(pixels[step]), tuple(pixels[step + 1])], fill=RING_COLOUR, width=math.ceil(camera.width / WIDTH))
    return np.asarray(image)


def find_doubtful(survey: Survey) -> NDArray[np.bool_]:
    """Mark blocks (N,) that a person should look at again."""
    return (survey.position_sd > UNSURE) | (survey.certainty < UNCERTAIN)


def write_numbers(picture: Picture, camera: Camera, position: NDArray[np.float64], numbers: Mapping[int, str]) -> Picture:
    """Return a copy with numbers at the middles of some blocks, (N, 3) [m], to find their lines in the survey."""
    image = Image.fromarray(picture)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(max(SMALLEST, camera.width // LETTERS))
    pixels, depth = camera.project(position)
    for row, number in numbers.items():
        if depth[row] > 0:
            pen.text(tuple(pixels[row]), number, DOUBTFUL, font, anchor="mm", stroke_width=1, stroke_fill=(40, 30, 0))
    return np.asarray(image)


def fade_standing(certainty: float) -> ByteColour:
    """Return the colour of a block that stands, paler if that is less certain."""
    return to_bytes(fade(PALETTE.outline_stands, certainty))


def resize(photo: Photo, sides: tuple[int, int]) -> Photo:
    """Scale a photo so that its longer side has between `sides[0]` and `sides[1]` pixels."""
    height, width = photo.picture.shape[:2]
    longer = max(height, width)
    factor = min(max(longer, sides[0]), sides[1]) / longer
    if factor == 1:
        return photo
    camera = replace(photo.camera, width=round(width * factor), height=round(height * factor))
    image = Image.fromarray(photo.picture).resize((camera.width, camera.height), Image.Resampling.LANCZOS)
    return Photo(np.asarray(image), camera)


def draw_legend(width: int, size: int, begin: str = "") -> Picture:
    """Draw the legend of colours with letters of this size [pixels], in as many lines as needed."""
    font = ImageFont.load_default(size)
    lines: list[list[tuple[str, ByteColour | None]]] = [[(begin, None)], []] if begin else [[]]
    x = size
    for words, colour in LEGEND:
        wide = int(font.getlength(words)) + 3 * size
        if x + wide > width and lines[-1]:
            lines.append([])
            x = size
        lines[-1].append((words, colour))
        x += wide
    image = Image.new("RGB", (width, round((1.6 * len(lines) + 0.6) * size)), "white")
    pen = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        x, y = size, round((1.6 * number + 0.5) * size)
        for words, swatch in line:
            if swatch is not None:
                pen.rectangle((x, y + size // 6, x + size, y + size), outline=swatch, width=max(2, size // 6))
            pen.text((x + 1.5 * size if swatch else x, y), words, fill=(30, 30, 30), font=font)
            x += int(font.getlength(words)) + 3 * size
    return np.asarray(image)


def visible_faces(blocks: BoxProposals, row: int, camera: Camera) -> list[tuple[int, ...]]:
    """Return the faces of a block whose outer side is turned to the eye."""
    eye: NDArray[np.float64] = blocks.axes[row].T @ (np.asarray(camera.eye) - blocks.position[row])
    return [corners for (axis, sign), corners in FACES.items() if sign * eye[axis] > blocks.size[row, axis] / 2]
