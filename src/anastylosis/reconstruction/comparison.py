"""Comparison: known falls reconstructed by every method, one record a fall. Finished records are kept and not made again."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.assignment import UNASSIGNED, Assignment
from anastylosis.dataset import Dataset, code_fingerprint
from anastylosis.errors import InvalidInput
from anastylosis.models import find_assigner, list_detector
from anastylosis.reconstruction.falls import SHIPPED_LIBRARY, Fall, read_falls, read_library
from anastylosis.reconstruction.folder import hash_sources
from anastylosis.reconstruction.pipeline import run_pipeline
from anastylosis.reconstruction.problem import Knowledge, ReconstructionConfig
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.retrieval import Reference, place_by_reference, retrieve_by_count, retrieve_nearest
from anastylosis.reconstruction.scoring import Answer, KnownHeap, count_answer, count_wrong, photograph_fall, survey_fall
from anastylosis.reconstruction.toolset import Toolset
from anastylosis.reconstruction.weighing import find_set, read_calibration
from anastylosis.survey import Noise
from anastylosis.whole_file import hash_file, write_whole

# Rooms whose code decides a record, beside those that decide an episode (`code_fingerprint`).
DECIDING_ROOMS = ("assignment", "detection", "models", "reconstruction", "rendering", "survey")
METHODS = ("prior", "paper", "neighbour", "assignment", "physics")
KEPT_PROBABILITY_MIN = 2e-3  # probabilities of the net that a record keeps
Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class MethodComparison:
    """Settings of a comparison of methods. Every method is given the height, none the friction."""

    pictures: bool = False  # blocks are found in one picture of each fall, and not measured
    noise: Noise = field(default_factory=Noise)
    complete: bool = True  # declared that every block that lies there was found
    config: ReconstructionConfig = field(default_factory=lambda: ReconstructionConfig(assembly=False, picture_net=False))
    library: Path = SHIPPED_LIBRARY

    @property
    def model(self) -> Path:
        """Name the assignment net: for detected blocks it is another one than for measured ones."""
        return find_assigner(seen=self.pictures)

    def list_falls(self, falls: Sequence[Fall], split: str) -> "list[ComparedFall]":
        """List falls to compare under the name of a split."""
        return [ComparedFall(comparison=self, fall=fall, split=split) for fall in falls]

    def gather(self, source: Dataset, split: str, episodes: int, debris: Sequence[Path] = ()) -> "list[ComparedFall]":
        """List the first falls of a split, and those of files of other debris under their own split's name."""
        entries = self.list_falls(read_falls(source, [split], episodes), split)
        for path in debris:
            falls = read_falls(path, None, episodes)
            for name in dict.fromkeys(fall.split for fall in falls):
                entries += self.list_falls([fall for fall in falls if fall.split == name], name)
        return entries

    @property
    def key(self) -> str:
        """Return a short hash of all that decides the records of a comparison."""
        files = [self.model, self.library, *(list_detector() if self.pictures else ())]
        deciding = [
            self.pictures,
            asdict(self.noise),
            self.complete,
            asdict(self.config),
            asdict(read_calibration()),
            [hash_file(path) for path in files],
            hash_sources(*DECIDING_ROOMS),
            code_fingerprint(),
        ]
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedFall:
    """One fall of a comparison."""

    comparison: MethodComparison
    fall: Fall
    split: str

    def __str__(self) -> str:
        return self.fall.name


def run_comparison(
    entries: Sequence[ComparedFall], folder: Path | None, execute: Callable[..., Iterator[tuple[ComparedFall, Record]]]
) -> Iterator[Record]:
    """Yield a record for each fall when it is done: first those that are in the folder already, if one is named."""
    missing = []
    for entry in entries:
        kept = None if folder is None else read_record(path_of(folder, entry))
        if kept is None:
            missing.append(entry)
        else:
            yield kept
    for entry, record in execute(compare_methods, missing):
        if folder is not None:
            path = path_of(folder, entry)
            path.parent.mkdir(parents=True, exist_ok=True)
            with write_whole(path) as part:
                part.write_text(json.dumps(record), encoding="utf-8")
        yield record


def path_of(folder: Path, entry: ComparedFall) -> Path:
    return folder / cached_key(entry.comparison) / entry.split / f"{entry.fall.name}.json"


@cache
def cached_key(comparison: MethodComparison) -> str:
    return comparison.key


def read_record(path: Path) -> Record | None:
    """Read a record that is there, whole; return None for any other."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and set(METHODS) <= set(record.get("methods", ())) else None


def compare_methods(entry: ComparedFall) -> Record:
    """Reconstruct one fall by every method, and count what is right."""
    comparison, fall = entry.comparison, entry.fall
    tools = Toolset(model=comparison.model, library=())  # no retrieval: it is a method of its own
    rng = np.random.default_rng((fall.seed, comparison.config.seed))
    known = [each for each in read_library(comparison.library) if each.seed != fall.seed]
    try:
        heap = photograph_fall(fall, tools.open_detector()) if comparison.pictures else survey_fall(fall, comparison.noise)
    except InvalidInput as error:  # no block may be detected at all
        unseen = survey_fall(fall, comparison.noise)
        return count_refusal(entry, unseen, draw_prior(known, unseen, rng), str(error))
    answers = {"prior": draw_prior(known, heap, rng)}
    try:
        found = run_pipeline(heap.survey, Knowledge(layers=heap.courses, complete=comparison.complete), comparison.config, tools)
    except InvalidInput as error:  # so few may be detected that nothing can be said
        return count_refusal(entry, heap, answers["prior"], str(error))
    assignment = found.assignment
    centres = heap.survey.position
    references = {
        "paper": retrieve_by_count(known, heap.courses, assignment.num_removed.value, centres),
        "neighbour": retrieve_nearest(known, assignment),
    }
    answers |= {name: answer_by_reference(reference, heap) for name, reference in references.items()}
    answers |= {"assignment": answer_by_net(found, assignment), "physics": answer_by_physics(found)}
    methods = {name: count_answer(heap, answer) for name, answer in answers.items()}
    return {"episode": fall.name, "split": entry.split, "methods": methods} | describe_proposals(heap, found)


def count_refusal(entry: ComparedFall, heap: KnownHeap, prior: Answer, why: str) -> Record:
    """Record a fall that could not be reconstructed: no slot filled, no block placed; only the prior needs no survey."""
    nothing = Answer(np.full(len(heap.slot), UNASSIGNED), np.zeros(len(heap.filled), bool))
    methods = {name: count_answer(heap, prior if name == "prior" else nothing) for name in METHODS}
    empty: Record = {"proposals": [], "blocks": [], "slots": {}, "moves": []}
    return {"episode": entry.fall.name, "split": entry.split, "refused": why, "methods": methods} | empty


def draw_prior(falls: Sequence[Fall], heap: KnownHeap, rng: np.random.Generator) -> Answer:
    """Answer without evidence: the standing set of any tower of this height, blocks in any order."""
    same = [fall for fall in falls if fall.courses == heap.courses] or list(falls)
    fall = same[int(rng.integers(len(same)))]
    order = rng.permutation(fall.slot)[: len(heap.slot)]
    slot = np.full(len(heap.slot), UNASSIGNED)
    slot[: len(order)] = order
    return Answer(slot, fall.filled)


def answer_by_reference(reference: Reference | None, heap: KnownHeap) -> Answer:
    """Answer by another heap: blocks as its blocks lie, slots as they were filled there."""
    if reference is None:
        return Answer(np.full(len(heap.slot), UNASSIGNED), np.zeros(len(heap.filled), bool))
    return Answer(place_by_reference(reference.fall, heap.survey.position), reference.fall.filled)


def answer_by_net(found: Reconstruction, assignment: Assignment) -> Answer:
    """Answer by the best complete assignment, without physics."""
    return Answer(spread(found, assignment.slot), assignment.standing)


def answer_by_physics(found: Reconstruction) -> Answer:
    """Answer by the first of the ranked proposals."""
    return Answer(spread(found, found.best.state.slot), found.best.state.filled)


def spread(found: Reconstruction, slot: np.ndarray) -> np.ndarray:
    """Return values (B,) of all surveyed blocks, given those of the ones without a flaw."""
    whole = np.full(len(found.survey), UNASSIGNED)
    whole[found.rows] = slot
    return whole


def describe_proposals(heap: KnownHeap, found: Reconstruction) -> Record:
    """Describe every proposal and how wrong it is, and the slots that fallen blocks were given."""
    proposals = []
    for each in found.hypotheses:
        wrong, slots = count_wrong(heap, Answer(spread(found, each.state.slot), each.state.filled))
        weights = {"share": each.share, "distance": each.distance, "probability": each.probability}
        proposals.append(weights | {"wrong": wrong, "slots": slots, "fell": each.fell, "stands": each.stands})
    judged = [block for block, row in enumerate(found.rows) if heap.fell[row]]
    blocks = [
        {
            "true": int(heap.slot[found.rows[block]]),
            "net": sparse(found.assignment.placed[block] if found.pinned[block] == UNASSIGNED else found.placed[block]),
            "set": find_set(found.placed[block], found.level).tolist(),
            "votes": [sparse(each.votes[block]) for each in found.hypotheses],
        }
        for block in judged
    ]
    filled = {"true": heap.filled.tolist(), "said": found.filled.tolist(), "net": (1 - found.assignment.removed).tolist()}
    return {"proposals": proposals, "blocks": blocks, "slots": filled, "moves": [list(move[1:]) for move in found.moves]}


def sparse(probability: np.ndarray) -> dict[str, float]:
    return {str(slot): float(probability[slot]) for slot in np.flatnonzero(probability >= KEPT_PROBABILITY_MIN)}
