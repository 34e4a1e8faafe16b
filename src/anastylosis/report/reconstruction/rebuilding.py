"""Film of the rebuilding: one block after the other travels to its slot, in an order that can be built."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.assignment import UNASSIGNED
from anastylosis.geometry import HALF_TURNS, make_matrices, multiply_quaternions
from anastylosis.progress import Execute, Progress
from anastylosis.reconstruction import Reconstruction
from anastylosis.rendering import Overlay, draw_overlay, write_film
from anastylosis.report.colour import PALETTE
from anastylosis.report.film import END_HOLD
from anastylosis.report.reconstruction.card import draw_beside
from anastylosis.report.reconstruction.naming import break_lines
from anastylosis.report.reconstruction.scene import BlockScene, draw_scene, draw_scenes
from anastylosis.report.reconstruction.settling import find_pierced, settle
from anastylosis.report.reconstruction.shades import BLOCK_SCALE, BYTES, LEGEND, shade_blocks
from anastylosis.report.reconstruction.speaking import speak_overlay
from anastylosis.report.reconstruction.story import name_proposal
from anastylosis.report.reconstruction.view import add_bar, choose_azimuth, choose_view, show_tower
from anastylosis.translation import Language

RATE = 12  # pictures a second
WAY = (0.3, 0.7, 1.0)  # of a block's way, moment by moment
LIFT = 0.10  # [m] above the higher end of its way
START_HOLD = 2.0  # [s]
WORDS = (*LEGEND, ("not put back", BYTES[PALETTE.left_out]))


class RebuildingMove(NamedTuple):
    """One step: a block of the survey, or one that nobody found, goes to a slot."""

    slot: int
    row: int  # of the survey; UNASSIGNED: nobody found it
    words: str
    safety: str


class Rebuilding(NamedTuple):
    """Moves in the order in which they are made, and T moments of them."""

    moves: list[RebuildingMove]
    scenes: list[BlockScene]  # T
    step: list[int]  # T, number of the move, from 1; 0: the heap


def film_rebuilding(path: Path, found: Reconstruction, execute: Execute, progress: Progress, language: Language = "en") -> None:
    """Write the film; there whole or not at all."""
    moves, scenes, steps = show_rebuilding(found)
    azimuth = choose_azimuth(found.survey)
    pictures = draw_scenes(choose_view(scenes, azimuth), scenes, execute, progress)
    picture, bar = next(pictures), draw_beside(found, scale=True, language=language)
    proposal = "the most probable tower" if np.isnan(found.best.probability) else name_proposal(found, 1)
    heap = Overlay(
        title="What lies there", subtitle=f"to be put up: {proposal}", caption=f"{len(found.survey)} blocks, as surveyed.",
        legend=WORDS, scale=BLOCK_SCALE,
    )  # fmt: skip
    with write_film(path) as film:
        film.hold(draw_overlay(add_bar(picture, bar), speak_overlay(heap, language)), seconds=START_HOLD)
        for step, picture in zip(steps[1:], pictures, strict=True):
            move = moves[step - 1]
            title = f"Step {step} of {len(moves)}"
            caption = break_lines(move.words)
            words = Overlay(title=title, subtitle=move.safety, caption=caption, legend=WORDS, scale=BLOCK_SCALE)
            film.play([draw_overlay(add_bar(picture, bar), speak_overlay(words, language))], rate=RATE)
        done = Overlay(
            title="Rebuilt", subtitle=proposal, caption=f"{len(moves)} blocks put up.", legend=WORDS, scale=BLOCK_SCALE
        )
        tower = draw_scene(show_tower(found.structure, azimuth), scenes[-1])
        film.hold(draw_overlay(add_bar(tower, bar), speak_overlay(done, language)), seconds=END_HOLD)


def show_rebuilding(found: Reconstruction) -> Rebuilding:
    """Show how the first proposal is built, in an order that can be built."""
    moves = list_moves(found)
    steps = [0, *(number for number in range(1, len(moves) + 1) for _ in WAY)]
    return Rebuilding(moves, list(show_moves(found, moves)), steps)


def order_slots(found: Reconstruction) -> list[int]:
    """Return slots of the best proposal in the order in which they are filled; those still filled do not count."""
    if found.steps:
        return [found.structure.index(step.slot) for step in found.steps if step.slot]
    return [int(slot) for slot in np.flatnonzero(found.best.state.filled) if slot not in found.pinned]


def list_moves(found: Reconstruction) -> list[RebuildingMove]:
    slots = found.best.state.slot
    row_of = {int(slot): int(found.rows[block]) for block, slot in enumerate(slots) if slot != UNASSIGNED}
    steps = {step.slot: step for step in found.steps}
    moves = []
    for slot in order_slots(found):
        name, row = found.structure.ids[slot], row_of.get(slot, UNASSIGNED)
        step = steps.get(name)
        bears = f"bears {step.safety:.2f} g of shaking at friction {found.building_friction:.2f}" if step else ""
        safety = bears if step is None or step.stands else "needs a prop"
        if row == UNASSIGNED:
            words = f"{name} was filled with {found.filled[slot]:.0%}; its block was not found."
        else:
            block = int(np.flatnonzero(found.rows == row)[0])
            words = f"{found.survey.ids[row]} to {name}: {found.placed[block, slot]:.0%} sure that it stood there."
        moves.append(RebuildingMove(slot, row, words, safety))
    return moves


def show_moves(found: Reconstruction, moves: list[RebuildingMove]) -> Iterator[BlockScene]:
    """Show the heap, then the moments of every move. Rows: blocks of the survey, then slots whose blocks were not found.

    Blocks of the heap come down when what they lay on is gone. Those that are not put back fade where the tower rises.
    """
    survey, structure = found.survey, found.structure
    unseen = [move.slot for move in moves if move.row == UNASSIGNED]
    size = np.concatenate([survey.size, structure.blocks.size[unseen]])
    position = np.concatenate([survey.position, structure.position[unseen]])
    orientation = np.concatenate([survey.orientation, structure.orientation[unseen]])
    colours = shade_blocks(found) | {len(survey) + number: PALETTE.not_found for number in range(len(unseen))}
    present = np.arange(len(size)) < len(survey)
    pinned = found.rows[found.pinned != UNASSIGNED]
    loose = present.copy()
    loose[pinned] = False
    left_out = loose.copy()
    left_out[[move.row for move in moves if move.row != UNASSIGNED]] = False
    yield BlockScene(size, position, orientation, present, colours)
    for move in moves:
        row = move.row if move.row != UNASSIGNED else len(survey) + unseen.index(move.slot)
        present = present.copy()
        present[row], loose[row] = True, False
        start, end = (position[row], orientation[row]), (structure.position[move.slot], structure.orientation[move.slot])
        for share in WAY:
            position, orientation = position.copy(), orientation.copy()
            position[row], orientation[row] = travel(*start, *end, share)
            if share == WAY[-1]:
                present = present & ~find_pierced(size, position, orientation, left_out, row)
                position = settle(size, position, orientation, present, loose)
            yield BlockScene(size, position, orientation, present, colours)


def travel(start: Floats, turned: Floats, end: Floats, wanted: Floats, share: float) -> tuple[Floats, Floats]:
    """Interpolate the position and turn of a block on its way, lifted above what is between.

    It turns the short way, for a box has no front.
    """
    smooth = share * share * (3 - 2 * share)
    place = (1 - smooth) * start + smooth * end
    if not np.allclose(start, end):
        place[2] = max(place[2], (1 - abs(2 * share - 1)) * (max(start[2], end[2]) + LIFT))
    return place, turn_between(turned, nearest_turn(turned, wanted), smooth)


def nearest_turn(turned: Floats, wanted: Floats) -> Floats:
    """Choose, from the four turns of a box that look like `wanted`, the one nearest to `turned` (quaternions)."""
    matrices = make_matrices(wanted)[None] * HALF_TURNS[:, None, :]
    best = int(np.einsum("ij,kij->k", make_matrices(turned), matrices).argmax())
    flips = np.array([(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)], float)
    return multiply_quaternions(wanted, flips[best])


def turn_between(a: Floats, b: Floats, share: float) -> Floats:
    """Return the quaternion a share of the way from one to the other. Shoemake (1985)."""
    cosine = float(a @ b)
    b, cosine = (b, cosine) if cosine >= 0 else (-b, -cosine)
    angle = np.arccos(min(cosine, 1.0))
    if angle < 1e-6:
        return b
    mixed = (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)
    return np.asarray(mixed / np.linalg.norm(mixed))
