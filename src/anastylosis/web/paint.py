"""Paint: what colours mean on the scene, and the legend that says so."""

import colorsys
from collections.abc import Sequence

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.assignment import UNASSIGNED
from anastylosis.reconstruction import Reconstruction
from anastylosis.rendering import probability_colours
from anastylosis.report import PALETTE
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.web.animations import Animation
from anastylosis.web.words import Translator

WAYS = ("wood", "probability", "basis", "layer")
INFERENCE = (0.78, 0.36, 0.16)
WOOD = (0.80, 0.64, 0.42)
SHADES = 0.07  # by which the wood of one block is lighter or darker than that of another


def paint_animation(animation: Animation, found: Reconstruction | None, way: str) -> Floats:
    """Return colours (N, 3), 0..1, that hold for the whole animation."""
    if found is None:
        return paint_layers(animation) if way == "layer" else paint_wood(len(animation.slot))
    if way == "layer":
        return paint_layers(animation)
    colours, wood = np.tile(PALETTE.left_out, (len(animation.slot), 1)), paint_wood(len(animation.slot))
    game = (animation.row == UNASSIGNED).all()  # of the library, whose blocks are not those of the survey
    block_of = {int(row): block for block, row in enumerate(found.rows)}
    for number, (slot, row) in enumerate(zip(animation.slot.tolist(), animation.row.tolist(), strict=True)):
        if slot == UNASSIGNED:
            continue
        block = block_of.get(row, UNASSIGNED)
        if block != UNASSIGNED and found.pinned[block] != UNASSIGNED:
            colours[number] = PALETTE.fade_evidence(float(found.survey.certainty[row]))
        elif way == "wood" and (block != UNASSIGNED or game):
            colours[number] = wood[number]
        elif block == UNASSIGNED:
            colours[number] = PALETTE.not_found
        elif way == "basis":
            colours[number] = INFERENCE
        else:
            sure = found.placed[block, slot] if animation.heap else found.filled[slot]
            colours[number] = probability_colours(np.clip(sure, 0.0, 1.0))
    return colours


def paint_wood(count: int) -> Floats:
    """Return the colours (N, 3) of blocks of wood: no two trees are alike."""
    shade = 1 + SHADES * np.sin(12.9898 * np.arange(count))  # scattered, and the same every time
    return np.clip(np.array(WOOD) * shade[:, None], 0.0, 1.0)


def paint_layers(animation: Animation) -> Floats:
    layers = max(int(animation.slot.max()) // BLOCKS_PER_COURSE + 1, 1)
    return np.array(
        [
            layer_colour(slot // BLOCKS_PER_COURSE, layers) if slot != UNASSIGNED else PALETTE.left_out
            for slot in animation.slot.tolist()
        ]
    )


def layer_colour(layer: int, layers: int) -> tuple[float, float, float]:
    """Return the colour of a layer: from blue at the bottom to red on top, every other one darker."""
    return colorsys.hsv_to_rgb(0.62 * (1 - layer / max(layers - 1, 1)), 0.62, 0.92 if layer % 2 else 0.72)


def draw_legend(words: Translator, way: str, layers: int, heap: bool) -> str:
    """Return the legend as HTML."""
    if way == "layer":
        return strip([layer_colour(layer, layers) for layer in range(layers)], words("layer_low"), words("layer_high"))
    entries = [
        (words("legend_evidence"), PALETTE.evidence),
        (words("legend_unseen"), PALETTE.not_found),
        (words("legend_left_out"), PALETTE.left_out),
    ]
    entries.append((words("legend_taken"), PALETTE.taken))
    if way == "wood":
        entries.insert(1, (words("legend_wood"), WOOD))
        return keys(entries)
    if way == "basis":
        entries.insert(1, (words("legend_inference"), INFERENCE))
        return keys(entries)
    scale = strip(probability_colours(np.linspace(0, 1, 20)).tolist(), "0 %", "100 %")
    return f"<div>{words('legend_heap' if heap else 'legend_slot')}</div>{scale}{keys(entries)}"


def css(colour: Sequence[float]) -> str:
    return "rgb({}, {}, {})".format(*(round(255 * part) for part in colour))


def strip(colours: Sequence[Sequence[float]], low: str, high: str) -> str:
    cells = "".join(f'<span style="flex:1;background:{css(colour)}"></span>' for colour in colours)
    ends = f'<div style="display:flex;justify-content:space-between"><span>{low}</span><span>{high}</span></div>'
    return f'<div style="display:flex;height:.9em;margin-top:.2em">{cells}</div>{ends}'


def keys(entries: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Return a line for each colour, as HTML."""
    square = "display:inline-block;width:.9em;height:.9em;margin-right:.5em;vertical-align:-.1em"
    hanging = "padding-left:1.4em;text-indent:-1.4em"  # as much as the square takes
    return "".join(
        f'<div style="{hanging}"><span style="{square};background:{css(colour)}"></span>{name}</div>' for name, colour in entries
    )
