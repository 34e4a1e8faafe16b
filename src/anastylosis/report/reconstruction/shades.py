"""Shades: what colours mean in pictures and films of reconstructions, the same in all of them.

Blue is evidence, the paler the less certain it is. Yellow to violet is inference, by how probable it is; of what, the scale
beside it says. Red is what was gone.
"""

import numpy as np

from anastylosis.arrays import Colour
from anastylosis.assignment import UNASSIGNED
from anastylosis.reconstruction import Hypothesis, Reconstruction
from anastylosis.rendering import ColourScale, make_look, probability_colours
from anastylosis.report.colour import PALETTE, to_bytes

PLAIN = make_look("wood", 0).colour  # wood: it fell, and how is simulated
BYTES = {colour: to_bytes(colour) for colour in (PALETTE.evidence, PALETTE.not_found, PALETTE.left_out, PALETTE.taken, PLAIN)}
LEGEND = (("evidence (pale: unsure)", BYTES[PALETTE.evidence]), ("filled, block not found", BYTES[PALETTE.not_found]))
HEAP_LEGEND = (
    ("still stands (pale: unsure)", BYTES[PALETTE.evidence]),
    ("fell", BYTES[PLAIN]),
    ("not put back", BYTES[PALETTE.left_out]),
)
STORY_LEGEND = (LEGEND[0], ("inference: simulated", BYTES[PLAIN]))
SLOT_SCALE, BLOCK_SCALE = (
    ColourScale.of_probability(label)
    for label in ("inference: that there was a block in this slot", "inference: that this block stood in its slot")
)


def shade_tower(found: Reconstruction, hypothesis: Hypothesis) -> dict[int, Colour]:
    """Map each slot that a proposal fills to a colour: evidence, or the probability that it was filled."""
    colours = {int(slot): as_colour(found.filled[slot]) for slot in np.flatnonzero(hypothesis.state.filled)}
    placed = hypothesis.state.slot[hypothesis.state.slot != UNASSIGNED]
    colours |= {slot: PALETTE.not_found for slot in colours if slot not in placed}
    return colours | shade_evidence(found)


def shade_evidence(found: Reconstruction, replayed: Hypothesis | None = None) -> dict[int, Colour]:
    """Map each slot whose block still stands to a colour.

    Blocks that come down in the replay of a proposal are left out: that is no evidence.
    """
    wrong = [] if replayed is None else found.find_contradicted(replayed)
    seen = np.flatnonzero(found.pinned != UNASSIGNED)
    slots = {int(found.pinned[block]): float(found.survey.certainty[found.rows[block]]) for block in seen}
    return {slot: PALETTE.fade_evidence(sure) for slot, sure in slots.items() if slot not in wrong}


def shade_blocks(found: Reconstruction) -> dict[int, Colour]:
    """Map each row of the survey to a colour: evidence, probability of its slot, or left out."""
    colours = dict.fromkeys(range(len(found.survey)), PALETTE.left_out)
    for block, row in enumerate(found.rows):
        slot = int(found.best.state.slot[block])
        if slot != UNASSIGNED and found.pinned[block] != UNASSIGNED:
            colours[int(row)] = PALETTE.fade_evidence(float(found.survey.certainty[row]))
        elif slot != UNASSIGNED:
            colours[int(row)] = as_colour(found.placed[block, slot])
    return colours


def shade_given(found: Reconstruction) -> dict[int, Colour]:
    """Map rows of the survey to colours: still standing, or left out. Fallen blocks have none: nothing is inferred here."""
    fell = {int(row) for block, row in enumerate(found.rows) if found.pinned[block] == UNASSIGNED}
    return {row: colour for row, colour in shade_blocks(found).items() if row not in fell or colour == PALETTE.left_out}


def as_colour(probability: float) -> Colour:
    red, green, blue = probability_colours(np.clip(probability, 0.0, 1.0)).tolist()
    return red, green, blue
