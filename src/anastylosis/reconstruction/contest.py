"""Contest: falls that are reconstructed in every way there is, one record a fall; finished ones are kept and not done again."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.assignment.assignment import Assignment
from anastylosis.assignment.matching import ALONE
from anastylosis.dataset import code_fingerprint
from anastylosis.errors import InvalidInput
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT, find_assigner, list_detector
from anastylosis.reconstruction.calibration import read_calibration
from anastylosis.reconstruction.case import ReconstructionConfig
from anastylosis.reconstruction.fall import Fall
from anastylosis.reconstruction.judging import Answer, Exercise, count_answer, count_wrong, set_exercise
from anastylosis.reconstruction.library import SHIPPED_LIBRARY
from anastylosis.reconstruction.opened import open_detector, open_reconstructor
from anastylosis.reconstruction.photograph import see_exercise
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.reconstructor import Reconstructor
from anastylosis.reconstruction.retrieval import Reference, place_by_reference, retrieve_by_count, retrieve_nearest
from anastylosis.reconstruction.weighing import find_set
from anastylosis.survey import Noise
from anastylosis.whole_file import write_whole

__all__ = ["METHODS", "Contest", "Entry", "Record", "count_refusal", "judge_fall", "list_entries", "run_contest"]

METHODS = ("prior", "paper", "neighbour", "assignment", "physics")
WORTH = 2e-3  # probabilities of the net that a record keeps
Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Contest:
    """How falls are surveyed and reconstructed. Height is told to all; friction to none."""

    pictures: bool = False  # blocks are found in one picture of each fall, and not measured
    noise: Noise = field(default_factory=Noise)
    complete: bool = True  # told that every block that lies there was found
    config: ReconstructionConfig = field(default_factory=lambda: ReconstructionConfig(assembly=False))
    library: Path = SHIPPED_LIBRARY

    @property
    def model(self) -> Path:
        """The assignment net: another one for what the eye finds."""
        return find_assigner() if self.pictures else SHIPPED_ASSIGNMENT

    @property
    def key(self) -> str:
        """A short hash of all that decides what comes of it."""
        used = [self.model, self.library, *(list_detector() if self.pictures else ())]
        files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in used]
        own = "".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(Path(__file__).parent.glob("*.py")))
        said = [
            self.pictures,
            asdict(self.noise),
            self.complete,
            asdict(self.config),
            asdict(read_calibration()),
            files,
            own,
            code_fingerprint(),
        ]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True, eq=False)
class Entry:
    """One fall of a contest."""

    contest: Contest
    fall: Fall
    split: str

    def __str__(self) -> str:
        return self.fall.name


def list_entries(contest: Contest, falls: Sequence[Fall], split: str) -> list[Entry]:
    """Falls of one split, in their order."""
    return [Entry(contest=contest, fall=fall, split=split) for fall in falls]


def run_contest(
    entries: Sequence[Entry], folder: Path | None, execute: Callable[..., Iterator[tuple[Entry, Record]]]
) -> Iterator[Record]:
    """A record a fall, as they are done: first those that are in the folder already, if one is named."""
    missing = []
    for entry in entries:
        kept = None if folder is None else read_record(path_of(folder, entry))
        if kept is None:
            missing.append(entry)
        else:
            yield kept
    for entry, record in execute(judge_fall, missing):
        if folder is not None:
            path = path_of(folder, entry)
            path.parent.mkdir(parents=True, exist_ok=True)
            with write_whole(path) as part:
                part.write_text(json.dumps(record), encoding="utf-8")
        yield record


def path_of(folder: Path, entry: Entry) -> Path:
    return folder / cached_key(entry.contest) / entry.split / f"{entry.fall.name}.json"


@cache
def cached_key(contest: Contest) -> str:
    return contest.key


def read_record(path: Path) -> Record | None:
    """A record that is there, whole; None of any other."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and set(METHODS) <= set(record.get("methods", ())) else None


def judge_fall(entry: Entry) -> Record:
    """What every method says of one fall, counted."""
    contest = entry.contest
    worker = open_reconstructor(contest.model, contest.library)
    rng = np.random.default_rng((entry.fall.seed, contest.config.seed))
    known = [fall for fall in worker.library if fall.seed != entry.fall.seed]
    try:
        exercise = see_exercise(entry.fall, open_detector()) if contest.pictures else set_exercise(entry.fall, contest.noise)
    except InvalidInput as error:  # the eye may find nothing at all
        unseen = set_exercise(entry.fall, contest.noise)
        return count_refusal(entry, unseen, draw_prior(known, unseen, rng), str(error))
    blind = Reconstructor(assigner=worker.assigner, calibration=worker.calibration)
    answers = {"prior": draw_prior(known, exercise, rng)}
    try:
        found = blind.reconstruct(exercise.survey, layers=exercise.courses, complete=contest.complete, config=contest.config)
    except InvalidInput as error:  # the eye may find so little that nothing can be said
        return count_refusal(entry, exercise, answers["prior"], str(error))
    said = found.assignment
    centres = exercise.survey.position
    references = {
        "paper": retrieve_by_count(known, exercise.courses, said.num_removed.value, centres),
        "neighbour": retrieve_nearest(known, said),
    }
    answers |= {name: answer_by_reference(reference, exercise) for name, reference in references.items()}
    answers |= {"assignment": answer_by_net(found, said), "physics": answer_by_physics(found)}
    methods = {name: count_answer(exercise, answer) for name, answer in answers.items()}
    return {"episode": entry.fall.name, "split": entry.split, "methods": methods} | describe_proposals(exercise, found)


def count_refusal(entry: Entry, exercise: Exercise, prior: Answer, why: str) -> Record:
    """Of a fall of which nothing could be said: no slot is filled, no block placed; but the prior needs no survey."""
    nothing = Answer(np.full(len(exercise.slot), ALONE), np.zeros(len(exercise.filled), bool))
    methods = {name: count_answer(exercise, prior if name == "prior" else nothing) for name in METHODS}
    said: Record = {"proposals": [], "blocks": [], "slots": {}, "moves": []}
    return {"episode": entry.fall.name, "split": entry.split, "refused": why, "methods": methods} | said


def draw_prior(falls: Sequence[Fall], exercise: Exercise, rng: np.random.Generator) -> Answer:
    """Without looking: the standing set of any tower of this height, blocks in any order."""
    same = [fall for fall in falls if fall.courses == exercise.courses] or list(falls)
    fall = same[int(rng.integers(len(same)))]
    order = rng.permutation(fall.slot)[: len(exercise.slot)]
    slot = np.full(len(exercise.slot), ALONE)
    slot[: len(order)] = order
    return Answer(slot, fall.filled)


def answer_by_reference(reference: Reference | None, exercise: Exercise) -> Answer:
    """Blocks as those of another heap lie, slots as they were filled there."""
    if reference is None:
        return Answer(np.full(len(exercise.slot), ALONE), np.zeros(len(exercise.filled), bool))
    return Answer(place_by_reference(reference.fall, exercise.survey.position), reference.fall.filled)


def answer_by_net(found: Reconstruction, said: Assignment) -> Answer:
    """The best complete assignment, no physics."""
    return Answer(spread(found, said.slot), said.standing)


def answer_by_physics(found: Reconstruction) -> Answer:
    """The first of the ranked proposals."""
    return Answer(spread(found, found.best.state.slot), found.best.state.filled)


def spread(found: Reconstruction, slot: np.ndarray) -> np.ndarray:
    """(B,) of all surveyed blocks, from those of the ones without a flaw."""
    whole = np.full(len(found.survey), ALONE)
    whole[found.rows] = slot
    return whole


def describe_proposals(exercise: Exercise, found: Reconstruction) -> Record:
    """Every proposal and how wrong it is; and what was said of the blocks that fell."""
    proposals = []
    for each in found.hypotheses:
        wrong, slots = count_wrong(exercise, Answer(spread(found, each.state.slot), each.state.filled))
        said = {"share": each.share, "distance": each.distance, "probability": each.probability}
        proposals.append(said | {"wrong": wrong, "slots": slots, "fell": each.fell, "stands": each.stands})
    judged = [block for block, row in enumerate(found.rows) if exercise.fell[row]]
    blocks = [
        {
            "true": int(exercise.slot[found.rows[block]]),
            "net": sparse(found.assignment.placed[block] if found.pinned[block] == ALONE else found.placed[block]),
            "set": find_set(found.placed[block], found.level).tolist(),
            "votes": [sparse(each.votes[block]) for each in found.hypotheses],
        }
        for block in judged
    ]
    filled = {"true": exercise.filled.tolist(), "said": found.filled.tolist(), "net": (1 - found.assignment.removed).tolist()}
    return {"proposals": proposals, "blocks": blocks, "slots": filled, "moves": [list(move[1:]) for move in found.moves]}


def sparse(probability: np.ndarray) -> dict[str, float]:
    return {str(slot): float(probability[slot]) for slot in np.flatnonzero(probability >= WORTH)}
