"""Submission to the benchmark: a CSV file with answers to the test split, scored beside the baselines.

A row is an episode that fell; columns:

    episode             its name
    L00_0, L00_1, ...   probability, 0..1, that this slot was empty just before the fatal pull; blank: the tower had no such slot
    num_removed         how many were empty; if left out, the sum of the probabilities
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anastylosis.arrays import Floats, Reals
from anastylosis.dataset import Examples, Truth
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import name_slots
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.text_file import locate_errors, parse_number, read_text
from anastylosis.training.picture.evaluation import PictureTest, PictureTrial
from anastylosis.validation import Measure, ScoreRow

LARGEST = 200_000_000  # bytes of a file: 20,000 towers of 60 layers with 17 digits
EPISODE, COUNT = "episode", "num_removed"


@dataclass(frozen=True, kw_only=True, eq=False)
class Submission:
    """Answers to N episodes, in their order, for P slots."""

    name: str
    removed_locs: Floats  # (N, P) probabilities; 0 where the tower had no slot
    num_removed: Floats  # (N,)

    @classmethod
    def from_file(cls, path: Path, examples: Examples) -> "Submission":
        """Read the answers to these episodes; raise when one is missing, given twice or not asked for."""
        with locate_errors(str(path)):
            header, rows = read_table(read_text(path, LARGEST, "submission"))
            layers = int(examples.layers.max())
            slots = name_slots(layers)
            check_header(header, slots)
            given = dict(read_rows(header, rows))
            row_of = {str(name): row for row, name in enumerate(examples.name)}
            for name in given:
                if name not in row_of:
                    raise InvalidInput(f"episode {name[:60]!r} is not asked for; only towers of the split test that fell are")
            lacking = [name for name in row_of if name not in given]
            if lacking:
                raise InvalidInput(f"{len(lacking)} of {len(row_of)} episodes are not answered, the first is {lacking[0]}")
            removed = np.zeros((len(examples), len(slots)))
            number = np.zeros(len(examples))
            for name, row in row_of.items():
                with locate_errors(f"episode {name}"):
                    there = BLOCKS_PER_COURSE * int(examples.layers[row])
                    removed[row] = read_probabilities(given[name], slots, there)
                    number[row] = read_count(given[name], there) if COUNT in header else removed[row].sum()
            return cls(name=path.stem, removed_locs=removed, num_removed=number)

    def score(self, test: PictureTest, trial: PictureTrial, *, resamples: int = 1000) -> Iterator[list[ScoreRow]]:
        """Yield the rows of each baseline and model of the test, then those of the submission."""
        truth = None
        for name, pictures, answers in test.answer(trial):
            truth = pictures.truth.cut(BLOCKS_PER_COURSE * test.layers)
            yield score_heads(name, trial.name, truth, answers.num_removed, answers.removed_locs, resamples)
        assert truth is not None
        episodes, slots = truth.slots.shape
        known = np.zeros((episodes, slots))
        width = min(slots, self.removed_locs.shape[1])
        known[:, :width] = self.removed_locs[:, :width]
        yield score_heads(self.name, trial.name, truth, self.num_removed, known, resamples)


def read_table(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the names of the columns, and the number and cells of each row that is not blank."""
    try:
        lines = [(number, cells) for number, cells in enumerate(csv.reader(io.StringIO(text), strict=True), 1) if any(cells)]
    except csv.Error as error:
        raise InvalidInput(f"it is not CSV: {error}") from error
    return [name.strip() for name in lines[0][1]], lines[1:]


def check_header(header: list[str], slots: list[str]) -> None:
    """Raise unless every slot has a column, and every column a meaning."""
    if EPISODE not in header:
        raise InvalidInput(f"it has no column {EPISODE!r}; the first row has the names of the columns")
    for name in header:
        if header.count(name) > 1:
            raise InvalidInput(f"column {name[:40]!r} is there twice; keep one of them")
        if name not in (EPISODE, COUNT, *slots):
            raise InvalidInput(f"column {name[:40]!r} is not known; columns are {EPISODE}, {COUNT} and {slots[0]} to {slots[-1]}")
    lacking = [name for name in slots if name not in header]
    if lacking:
        raise InvalidInput(f"column {lacking[0]} is missing; there is one for each slot, {slots[0]} to {slots[-1]}")


def read_rows(header: list[str], rows: list[tuple[int, list[str]]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the cells of each episode."""
    seen: set[str] = set()
    for number, cells in rows:
        if len(cells) != len(header):
            raise InvalidInput(f"row {number} has {len(cells)} cells, and the first row {len(header)}")
        row = dict(zip(header, (cell.strip() for cell in cells), strict=True))
        if row[EPISODE] in seen:
            raise InvalidInput(f"row {number}: episode {row[EPISODE][:60]!r} is there twice")
        seen.add(row[EPISODE])
        yield row[EPISODE], row


def read_probabilities(row: dict[str, str], slots: list[str], there: int) -> Floats:
    """Return the probability of each slot; those beyond the tower are 0, whatever stands there."""
    found = np.zeros(len(slots))
    for place, slot in enumerate(slots[:there]):
        with locate_errors(f"column {slot}"):
            found[place] = parse_number(row[slot])
            if not 0 <= found[place] <= 1:
                raise InvalidInput(f"{row[slot][:40]} is no probability; give 0 to 1")
    return found


def read_count(row: dict[str, str], there: int) -> float:
    """Return how many slots were empty."""
    with locate_errors(f"column {COUNT}"):
        number = parse_number(row[COUNT])
        if not 0 <= number <= there:
            raise InvalidInput(f"{row[COUNT][:40]} slots are empty; the tower has {there}")
        return number


def score_heads(name: str, split: str, truth: Truth, num_removed: Reals, removed_locs: Reals, resamples: int) -> list[ScoreRow]:
    """Return the rows of one model."""
    draws = Measure.draw_episodes(len(truth.slots), resamples, 0)
    measures = {
        "num_removed": Measure.num_removed(truth, num_removed),
        "removed_locs": Measure.removed_locs(truth, removed_locs),
    }
    scores = [measure.score(head, metric, draws) for head in measures for metric, measure in measures[head].items()]
    return [ScoreRow(split, score.head, score.metric, name, *score[2:]) for score in scores]
