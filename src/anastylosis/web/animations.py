"""Animations: moments that the scene shows one after the other, and who the blocks in them are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Integers
from anastylosis.assignment import UNASSIGNED
from anastylosis.episode import EpisodeFrames
from anastylosis.reconstruction import Reconstruction
from anastylosis.report import PALETTE, BlockScene, Story, show_rebuilding
from anastylosis.structure import Structure
from anastylosis.survey import Survey
from anastylosis.units import metres_to_millimetres

LEFT = 0.02  # [m] a block that moved further than this has left its slot
Caption = tuple[str, dict[str, object]]  # a key of the table of words, and what goes into it


class Animation(NamedTuple):
    """N blocks, T moments."""

    scenes: Sequence[BlockScene]  # T
    captions: Sequence[Caption]  # T
    slot: Integers  # (N,) that a block stands in or is put back into; UNASSIGNED: none
    row: Integers  # (N,) of the survey; UNASSIGNED: no block was found, or there is no survey
    rate: float = 12.0  # moments a second
    heap: bool = False  # blocks are told by where they lie, not by the slot they fill
    first: int = 0  # the moment that is shown first


def find_rows(found: Reconstruction, rank: int) -> Integers:
    """Find the block of the survey, (S,), that a proposal puts into each slot; UNASSIGNED: none."""
    rows = np.full(len(found.structure), UNASSIGNED)
    for block, slot in enumerate(found.hypotheses[rank].state.slot):
        if slot != UNASSIGNED:
            rows[slot] = found.rows[block]
    return rows


def find_slots(found: Reconstruction, rank: int) -> Integers:
    """Find the slot, (B,), that a proposal puts each block of the survey into; UNASSIGNED: none."""
    slots = np.full(len(found.survey), UNASSIGNED)
    slots[found.rows] = found.hypotheses[rank].state.slot
    return slots


def animate_debris(found: Reconstruction, rank: int) -> Animation:
    """Show the blocks as they lie in the survey."""
    survey = found.survey
    scene = BlockScene.from_survey(survey)
    return Animation([scene], [("debris", {"count": len(survey)})], find_slots(found, rank), np.arange(len(survey)), heap=True)


def animate_survey(survey: Survey) -> Animation:
    """Show the blocks of a survey that nothing is known of yet, about the middle of the scene and on its floor."""
    scene = BlockScene.from_survey(survey)
    points = scene.surround()
    middle = np.array([*np.median(points[:, :2], axis=0), min(float(survey.position[:, 2].min()), 0.0)])
    nobody = np.full(len(survey), UNASSIGNED)
    caption: Caption = ("debris", {"count": len(survey)})
    return Animation([scene._replace(position=survey.position - middle)], [caption], nobody, np.arange(len(survey)), heap=True)


def animate_tower(found: Reconstruction, rank: int) -> Animation:
    """Show the tower as one proposal says it stood."""
    filled = found.hypotheses[rank].state.filled
    caption: Caption = ("tower", {"filled": int(filled.sum()), "empty": int((~filled).sum())})
    return Animation([BlockScene.from_slots(found.structure, filled)], [caption], np.arange(len(filled)), find_rows(found, rank))


def animate_fall(found: Reconstruction, rank: int, story: Story, falls: int | None = None) -> Animation:
    """Show the simulated fall of a proposal: blocks are taken out first, then comes the fatal pull.

    Without a simulated fall, `story` is a game whose heap looks alike. `falls`: the proposal to see if this one does not fall.
    """
    moments = story.moments
    first = next((number for number, moment in enumerate(moments) if moment.falls), 0)
    slots = np.arange(len(moments[0].scene.size))
    chosen = found.hypotheses[rank]
    ours = chosen.trial is not None
    rows = find_rows(found, rank) if ours else np.full(len(slots), UNASSIGNED)
    captions = [
        caption_moment(found, moment.scene, moment.falls, chosen.fell, falls) if ours else caption_game(moment.falls)
        for moment in moments
    ]
    scenes = [drop_outlines(moment.scene, moments[first].scene) if moment.falls else moment.scene for moment in moments]
    return Animation(scenes, captions, slots, rows, first=first)


def drop_outlines(scene: BlockScene, stood: BlockScene) -> BlockScene:
    """Return a moment of a fall without outlines once the tower has left its slots: they would hang in the air."""
    moved = np.linalg.norm(scene.position - stood.position, axis=1)
    left = scene.present & (moved > LEFT)
    left[[row for row, colour in scene.colours.items() if colour == PALETTE.taken]] = False  # it is pulled out
    return scene._replace(outlines=()) if left.any() else scene


def caption_moment(found: Reconstruction, scene: BlockScene, falls: bool, fell: bool, other: int | None) -> Caption:
    """Caption a moment of a proposal; `falls`: it is of the fatal pull. `other`: the proposal to see if this one did not fall."""
    pulled = next((slot for slot, colour in scene.colours.items() if colour == PALETTE.taken), None)
    if pulled is None:
        return "whole", {"count": len(found.structure)}
    values: dict[str, object] = {"round": len(scene.outlines) + 1, "slot": found.structure.ids[pulled]}
    if falls and not fell:
        return ("stays_all", values) if other is None else ("stays", values | {"other": other + 1})
    return "falls" if falls else "taken", values


def caption_game(falls: bool) -> Caption:
    """Caption a game of the library, whose blocks are not those of the survey."""
    return "game_falls" if falls else "game", {}


def animate_rebuild(found: Reconstruction) -> Animation:
    """Animate the first proposal of `found`, built in an order in which every step stands."""
    rebuilding = show_rebuilding(found)
    steps = {step.slot: step for step in found.steps}
    captions: list[Caption] = [("debris", {"count": len(found.survey)})]
    for number, move in enumerate(rebuilding.moves, 1):
        name = found.structure.ids[move.slot]
        step = steps.get(name)
        block = found.survey.ids[move.row] if move.row != UNASSIGNED else ""
        values: dict[str, object] = {"step": number, "steps": len(rebuilding.moves), "slot": name, "block": block}
        key = "step_found" if block else "step_unseen"
        if step is not None:
            values |= {"margin": metres_to_millimetres(step.margin), "safety": step.safety, "friction": found.building_friction}
            key += "" if step.stands else "_prop"
        else:
            key += "_bare"
        captions.append((key, values))
    unseen = [move.slot for move in rebuilding.moves if move.row == UNASSIGNED]
    slots = np.concatenate([find_slots(found, 0), np.array(unseen, np.int64)])
    rows = np.concatenate([np.arange(len(found.survey)), np.full(len(unseen), UNASSIGNED)])
    return Animation(rebuilding.scenes, [captions[number] for number in rebuilding.step], slots, rows, heap=True)


def animate_turn(tower: Structure, frames: EpisodeFrames | None, pulled: str = "") -> Animation:
    """Animate a tower that is played with: as it stands, or what came of a pull."""
    size, nobody = tower.blocks.size, np.full(len(tower), UNASSIGNED)
    slots = 3 * tower.course + tower.place
    if frames is None:
        scene = BlockScene(size, tower.position, tower.orientation, np.ones(len(tower), bool), {})
        return Animation([scene], [("play_stands", {"count": len(tower)})], slots, nobody)
    row = tower.index(pulled)
    scenes = [
        BlockScene(size, position.astype(float), orientation.astype(float), present, {row: (0.85, 0.1, 0.1)})
        for position, orientation, present in zip(frames.position, frames.orientation, frames.present, strict=True)
    ]
    captions: list[Caption] = [("play_pulled", {"block": pulled, "time": float(time)}) for time in frames.time - frames.time[0]]
    return Animation(scenes, captions, slots, nobody, rate=30.0)
