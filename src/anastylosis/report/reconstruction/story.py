"""Stories: how the tower came down, moment by moment, as the films show it.

A story is of a proposal that fell in simulation. It is of a whole simulated game if the heap is known to be its debris, or
if no proposal was simulated.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.episode import Episode, EpisodeFrames, run_episode
from anastylosis.geometry import make_matrices, mirror_poses
from anastylosis.reconstruction import Hypothesis, Reconstruction, Reference
from anastylosis.report.colour import PALETTE
from anastylosis.report.film import WAYS, find_round
from anastylosis.report.reconstruction.fates import describe_few
from anastylosis.report.reconstruction.naming import SLOTS_NAMED, name_some
from anastylosis.report.reconstruction.scene import BlockScene
from anastylosis.report.reconstruction.shades import shade_evidence
from anastylosis.report.reconstruction.view import choose_azimuth
from anastylosis.structure import Structure, mirror_slots

SLIDE = (0.0, 0.3, 0.65, 1.0)  # of its length that a block is pulled out in the moments of a round
EVERY = 2  # frames of a fall of which one is shown: 15 of 30 a second
MOMENTS = 72  # of a whole game, at most
STILL = 5e-4  # [m] nothing moves that moves less
ALIKE = 1e-3  # [m], and of a turn: records are rounded
LAST = 0.1  # share of the blocks that come to rest last


class Moment(NamedTuple):
    """Scene at one moment, with its caption as time runs forwards and backwards."""

    scene: BlockScene
    round: str  # that is played, or undone; "" before the first
    forwards: str
    backwards: str
    falls: bool  # of the fatal pull, and what came of it


class Story(NamedTuple):
    """Moments in the order in which they happened."""

    title: str  # what is shown, as the end of a sentence
    moments: tuple[Moment, ...]
    last: tuple[int, ...]  # rows of the blocks that came to rest last
    rank: int = 0  # of the proposal that is shown; 0: none, a game


def build_story(found: Reconstruction, rank: int = 0) -> Story | None:
    """Build the story of a proposal, by its rank; 0: of the fall to film, that of the first proposal.

    Where the first did not fall, none did; then it is the fall of a retrieved game, and None if none was retrieved.
    """
    if rank:
        return build_proposal_story(found, rank, found.hypotheses[rank - 1])
    reference, fell = found.reference, found.best.fell and found.best.trial is not None
    game = build_game_story(found, reference) if reference is not None and (reference.how == "lookup" or not fell) else None
    return game if game is not None or not fell else build_proposal_story(found, 1, found.best)


def build_proposal_story(found: Reconstruction, rank: int, hypothesis: Hypothesis) -> Story:
    """Show the missing blocks being taken out one by one, in an unknown order; then the fatal pull."""
    assert hypothesis.trial is not None
    assert hypothesis.pull is not None
    structure, filled = found.structure, hypothesis.state.filled
    tower, frames = hypothesis.film()
    rows = np.array([structure.index(name) for name in tower.ids])
    size = structure.blocks.size.copy()
    size[rows] = tower.blocks.size
    seen = shade_evidence(found, hypothesis)
    whole = BlockScene(
        size, structure.position.copy(), structure.orientation.copy(), np.ones(len(structure), bool), seen, (), structure
    )
    whole.position[rows], whole.orientation[rows] = frames.position[0], frames.orientation[0]
    taken = np.flatnonzero(~filled)[::-1]
    moments = [Moment(whole, "", f"{len(structure)} slots, all filled.", "The tower as it was built.", False)]
    pull, rounds, azimuth = hypothesis.pull, len(taken) + 1, choose_azimuth(found.survey)
    for number, slot in enumerate(taken, 1):
        moments += take_out(whole, taken[:number], f"round {number} of {rounds}", structure.ids[slot], azimuth)
    pulled = structure.index(pull.block)
    forwards = f"{pull.block} is pulled {WAYS[pull.axis]}, and the tower {'falls' if hypothesis.fell else 'does not fall again'}."
    forwards = "\n".join([forwards, *list_doubts(found, hypothesis)])
    backwards = "The blocks rise: the fall, undone." if hypothesis.fell else f"{pull.block} goes back."
    for row in pick_frames(frames):
        present = np.zeros(len(structure), bool)
        present[rows] = frames.present[row]
        position, orientation = whole.position.copy(), whole.orientation.copy()
        position[rows], orientation[rows] = frames.position[row], frames.orientation[row]
        scene = whole._replace(
            position=position, orientation=orientation, present=present, colours=seen | {pulled: PALETTE.taken},
            outlines=tuple(taken.tolist()),
        )  # fmt: skip
        moments.append(Moment(scene, f"round {rounds} of {rounds}", forwards, backwards, True))
    title = f"{name_proposal(found, rank)}, let fall again"
    return Story(title, tuple(moments), tuple(rows[find_last(frames)].tolist()), rank)


def name_proposal(found: Reconstruction, rank: int) -> str:
    """Name a proposal, with its probability if there is one."""
    chance = found.hypotheses[rank - 1].probability
    return f"proposal {rank} of {len(found.hypotheses)}" + ("" if math.isnan(chance) else f", {chance:.0%}")


def list_doubts(found: Reconstruction, hypothesis: Hypothesis) -> Iterator[str]:
    """List the plain differences between a replay and the site."""
    if not hypothesis.fell or hypothesis.came_down is None:
        return
    wrong = found.find_contradicted(hypothesis)
    if wrong:
        names = name_some([found.structure.ids[slot] for slot in wrong], SLOTS_NAMED)
        yield f"Here the replay is wrong: {names} still stand{'s' * (len(wrong) == 1)}."
    few = describe_few(int(hypothesis.came_down.sum()), found.fallen)
    if few:
        yield f"{few.capitalize()}."


def take_out(whole: BlockScene, taken: NDArray[np.int64], played: str, name: str, azimuth: float) -> Iterator[Moment]:
    """Show the last of `taken` slide out towards the eye, which is at this side; the others are gone."""
    slot = int(taken[-1])
    long = int(whole.size[slot].argmax())
    way = make_matrices(whole.orientation[slot])[:, long]
    way = way if way @ (math.cos(azimuth), math.sin(azimuth), 0.0) >= 0 else -way
    present = whole.present.copy()
    present[taken[:-1]] = False
    for share in SLIDE:
        position = whole.position.copy()
        position[slot] += share * whole.size[slot, long] * way
        colours = {**whole.colours, slot: PALETTE.taken}
        scene = whole._replace(position=position, present=present, colours=colours, outlines=tuple(taken[:-1].tolist()))
        yield Moment(scene, played, f"{name} is taken out; in which order is not known.", f"{name} goes back.", False)


def build_game_story(found: Reconstruction, reference: Reference) -> Story | None:
    """Play a simulated game again from its recipe; None where it ends otherwise: not all processors round alike."""
    episode = run_episode(*reference.fall.recipe)
    if not ends_alike(episode, reference):
        return None
    document = episode.as_document()
    frames = mirror_frames(episode.frames, reference.signs)
    guessed = np.flatnonzero(~found.best.state.filled)
    step = max(EVERY, math.ceil(len(frames.time) / MOMENTS))
    moments, rounds = [], len(document["rounds"])
    for row in thin(len(frames.time), step):
        time = float(frames.time[row])
        played = find_round(document["rounds"], time)
        falls = document["collapsed"] and time >= document["collapse_time"]
        number, forwards, backwards = "", "A tower, settled.", "The tower as it was built."
        colours = {}
        if played:
            block = played["removed_block"]
            colours, block = (
                {document["blocks"].index(block): PALETTE.taken},
                mirror_name(found.structure, block, reference.signs),
            )
            number = f"round {played['round'] + 1} of {rounds}"
            forwards = f"{block} is pulled {WAYS[played['axis']]}{', and the tower falls' * falls}."
            backwards = "The blocks rise: the fall, undone." if falls else f"{block} goes back."
        scene = BlockScene(
            np.array(document["sizes"]), frames.position[row].astype(float), frames.orientation[row].astype(float),
            frames.present[row], colours, tuple(guessed.tolist()) if falls else (), found.structure,
        )  # fmt: skip
        moments.append(Moment(scene, number, forwards, backwards, falls))
    known = "this very game" if reference.how == "lookup" else "a game that looks alike"
    return Story(f"{known}, {reference.fall.name}", tuple(moments), tuple(find_last(frames).tolist()))


def ends_alike(episode: Episode, reference: Reference) -> bool:
    """Return whether a replayed game, mirrored as it was retrieved, ends as recorded."""
    lies = mirror_poses(np.concatenate(episode.labels.lies.seen, axis=1)[episode.labels.standing], *reference.signs)
    known = reference.fall.lies
    return lies.shape == known.shape and bool(np.allclose(lies, known, atol=ALIKE, equal_nan=True))


def mirror_name(structure: Structure, name: str, signs: tuple[int, int]) -> str:
    """Name a slot's mirror image; slots that the structure does not have keep their names."""
    if name not in structure.ids:
        return name
    return structure.ids[int(mirror_slots(np.array(structure.index(name)), *signs))]


def mirror_frames(frames: EpisodeFrames, signs: tuple[int, int]) -> EpisodeFrames:
    poses = mirror_poses(np.concatenate([frames.position, frames.orientation], axis=2), *signs)
    return frames._replace(position=poses[..., :3].astype(np.float32), orientation=poses[..., 3:].astype(np.float32))


def pick_frames(frames: EpisodeFrames) -> list[int]:
    """Pick rows of the frames in which something moves, and one before and after; one of `EVERY`."""
    moved = np.linalg.norm(frames.position - frames.position[0], axis=2).max(axis=1) > STILL
    left = np.linalg.norm(frames.position - frames.position[-1], axis=2).max(axis=1) > STILL
    first = max(int(moved.argmax()) - 1, 0)
    last = min(int(np.flatnonzero(left)[-1]) + 1 if left.any() else 0, len(moved) - 1)
    return [first + row for row in thin(max(last - first, 0) + 1, EVERY)]


def thin(count: int, step: int) -> list[int]:
    """Return every so many of `count` rows, and the last."""
    return sorted({*range(0, count, step), count - 1})


def find_last(frames: EpisodeFrames) -> NDArray[np.int64]:
    """Find rows of the blocks that come to rest last, of those that are there in the end."""
    apart = np.linalg.norm(frames.position - frames.position[-1], axis=2) > STILL
    rest = np.where(apart.any(axis=0), len(apart) - apart[::-1].argmax(axis=0), 0)
    rest[~frames.present[-1]] = 0
    moved = np.flatnonzero(rest)
    count = min(max(3, round(LAST * len(rest))), len(moved))
    return moved[np.argsort(-rest[moved], kind="stable")[:count]]
