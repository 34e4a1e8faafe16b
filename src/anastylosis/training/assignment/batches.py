"""Batches of surveys of debris, with the truth.

Each time that a collapse is used it is surveyed anew: measured with other errors, some blocks hidden, foreign ones added. It is
also mirrored and turned, together with its slots. That is exact: nothing in the physics knows north.
"""

import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anastylosis.assignment.block_size import choose_block_size, find_fitting, scale_survey
from anastylosis.assignment.model import COURSES_MORE, AssignmentInput, build_input, fewest_courses
from anastylosis.structure import Structure, jenga_tower
from anastylosis.survey import Noise, survey_debris
from anastylosis.training.assignment.config import SurveyRecipe
from anastylosis.training.assignment.debris import Debris
from anastylosis.training.assignment.net import SheetTensors

FOREIGN, FILL = -1, -2  # instead of a slot: a block that stood nowhere; no block, to fill a row
UNTELLABLE = -100  # a label that no loss counts
POOL = 16  # batches among which towers are sorted by height: fewer rows to fill, and still all mixed
MIRRORS = tuple(np.diag((x, y, 1.0)) for x in (1.0, -1.0) for y in (1.0, -1.0))
QUARTERS = (np.eye(3), np.eye(3)[[1, 0, 2]])  # as it is; x and y exchanged


class AssignmentTarget(NamedTuple):
    """The true answers to a batch of surveys."""

    slot: Tensor  # (N, B) in which each block stood, FOREIGN or FILL
    fell: Tensor  # (N, B) bool
    found: Tensor  # (N, S) bool: one of the blocks stood here
    removed: Tensor  # (N, S) bool
    failure: Tensor  # (N,) course
    courses: Tensor  # (N,) more than the blocks would just fill; UNTELLABLE when foreign ones fill more than there were
    friction: Tensor  # (N,)
    direction: Tensor  # (N, 2)


class SurveyBatch(NamedTuple):
    """Surveys as the net reads them, and the true answers."""

    sheet: SheetTensors
    answer: AssignmentTarget

    def to(self, device: torch.device) -> "SurveyBatch":
        sheet = SheetTensors._make(part.to(device, non_blocking=True) for part in self.sheet)
        return SurveyBatch(sheet, AssignmentTarget._make(part.to(device, non_blocking=True) for part in self.answer))


class SurveyCase(NamedTuple):
    """One survey of one collapse, and the truth."""

    sheet: AssignmentInput
    slot: NDArray[np.int64]  # (B,)
    fell: NDArray[np.bool_]  # (B,)
    debris: Debris
    row: int


def open_survey_case(debris: Debris, row: int, noise: Noise, rng: np.random.Generator, *, with_friction: bool) -> SurveyCase:
    """Survey one collapse."""
    names = [str(number) for number in range(debris.position.shape[1])]
    survey, origin = survey_debris(names, debris.size[row], debris.position[row], debris.orientation[row], noise, rng)
    block = choose_block_size(survey)
    fits = find_fitting(survey.size, block)  # blocks that do not fit are left out before the net runs
    survey, origin = scale_survey(survey.select(fits), block), origin[fits]
    own = origin >= 0
    return SurveyCase(
        sheet=build_input(survey, build_tower(int(debris.courses[row])), float(debris.friction[row]) if with_friction else None),
        slot=np.where(own, debris.slot[row, origin], FOREIGN),
        fell=own & debris.fell[row, origin],
        debris=debris,
        row=row,
    )


@cache
def build_tower(courses: int) -> Structure:
    return jenga_tower(courses)


class SurveyBatches:
    """The collapses of a split in batches. In order, each is surveyed with the next of `noises`, always the same."""

    def __init__(
        self, debris: Debris, *, size: int, recipe: SurveyRecipe, noises: Sequence[Noise] = (Noise(),), seed: int = 0
    ) -> None:
        self.debris, self.size, self.recipe, self.noises, self.seed = debris, size, recipe, tuple(noises), seed

    def __len__(self) -> int:
        return -(-len(self.debris) // self.size)

    def in_order(self) -> Iterator[SurveyBatch]:
        """Yield each collapse once, in order; friction is never told."""
        for begin in range(0, len(self.debris), self.size):
            rows = range(begin, min(begin + self.size, len(self.debris)))
            yield collect([self.survey_again(row) for row in rows])

    def survey_again(self, row: int) -> SurveyCase:
        """Return the one survey of a collapse that is always the same."""
        rng = np.random.default_rng((self.seed, row))
        return open_survey_case(self.debris, row, self.noises[row % len(self.noises)], rng, with_friction=False)

    def shuffled(self, epoch: int) -> Iterator[SurveyBatch]:
        """Yield each collapse once, surveyed anew. The same epoch gives the same batches."""
        rng = np.random.default_rng((self.seed, zlib.crc32(b"epoch"), epoch))
        for rows in sort_rows(self.debris.courses, self.size, rng):
            cases = []
            for row in rows:
                with_friction = rng.random() >= self.recipe.hide_friction
                noise = draw_noise(self.recipe, rng)
                cases.append(open_survey_case(self.debris, int(row), noise, rng, with_friction=with_friction))
            yield turn_batch(collect(cases), rng)


def sort_rows(courses: NDArray[np.int64], size: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return the rows of each batch, in random order. Towers (N,) of a batch are about as high."""
    rows = rng.permutation(len(courses))
    pools = [rows[begin : begin + POOL * size] for begin in range(0, len(rows), POOL * size)]
    sorted_rows = [pool[np.argsort(courses[pool], kind="stable")] for pool in pools]
    batches = [pool[begin : begin + size] for pool in sorted_rows for begin in range(0, len(pool), size)]
    return [batches[number] for number in rng.permutation(len(batches))]


def draw_noise(recipe: SurveyRecipe, rng: np.random.Generator) -> Noise:
    """Draw the errors of one survey."""
    exact, complete, pure, position, angle, hidden = rng.random(6)
    count = int(rng.integers(1, recipe.foreign + 1)) if recipe.foreign else 0
    measured = exact >= recipe.exact
    return Noise(
        position=recipe.position * position if measured else 0.0,
        angle=recipe.angle * angle if measured else 0.0,
        hidden=recipe.hidden * hidden if complete >= recipe.complete else 0.0,
        foreign=count if pure >= recipe.pure else 0,
    )


def collect(cases: Sequence[SurveyCase]) -> SurveyBatch:
    """Join cases to one batch; shorter ones are padded."""
    blocks = max(len(case.slot) for case in cases)
    slots = max(case.sheet.slot_there.shape[1] for case in cases)
    parts = zip(AssignmentInput._fields, *(case.sheet for case in cases), strict=True)
    sheet = {name: join(rows, name, blocks, slots) for name, *rows in parts}
    debris = cases[0].debris
    rows = np.array([case.row for case in cases])
    slot = np.stack([fill(case.slot, blocks, FILL) for case in cases])
    fewest = fewest_courses(sheet["block_there"].sum(1).numpy())
    found = (slot[:, :, None] == np.arange(slots)).any(axis=1)
    answer = AssignmentTarget(
        slot=torch.from_numpy(slot),
        fell=torch.from_numpy(np.stack([fill(case.fell, blocks, False) for case in cases])),
        found=torch.from_numpy(found),
        removed=torch.from_numpy(np.ascontiguousarray(debris.removed[rows, :slots])),
        failure=torch.from_numpy(debris.failure_layer[rows]),
        courses=torch.from_numpy(
            np.where(debris.courses[rows] < fewest, UNTELLABLE, np.minimum(debris.courses[rows] - fewest, COURSES_MORE - 1))
        ),
        friction=torch.from_numpy(debris.friction[rows].astype(np.float32)),
        direction=torch.from_numpy(debris.direction[rows].astype(np.float32)),
    )
    return SurveyBatch(SheetTensors(**sheet), answer)


def join(parts: Sequence[NDArray[np.float32]], name: str, blocks: int, slots: int) -> Tensor:
    """Join rows of one kind to one tensor, padded with zeros."""
    if name == "told_friction":
        return torch.from_numpy(np.concatenate(parts))
    longest = blocks if name.startswith("block") else slots
    return torch.from_numpy(np.stack([fill(part[0], longest, 0) for part in parts]))


def fill(values: NDArray[Any], length: int, filling: int | bool) -> NDArray[Any]:
    """Pad values to a length."""
    filled = np.full((length, *values.shape[1:]), filling, values.dtype)
    filled[: len(values)] = values
    return filled


def turn_batch(batch: SurveyBatch, rng: np.random.Generator) -> SurveyBatch:
    """Mirror each survey and its slots along x and y or not, and turn it by a quarter or not: eight ways."""
    mirrors, quarters = (
        rng.integers(len(MIRRORS), size=len(batch.answer.friction)),
        rng.integers(2, size=len(batch.answer.friction)),
    )
    ways = np.stack([MIRRORS[mirror] @ QUARTERS[quarter] for mirror, quarter in zip(mirrors, quarters, strict=True)])
    way = torch.from_numpy(ways.astype(np.float32))
    moved = {
        name: torch.einsum("nij,n...j->n...i", way, getattr(batch.sheet, name))
        for name in ("block_position", "block_axes", "slot_position", "slot_axes")
    }
    direction = torch.einsum("nij,nj->ni", way[:, :2, :2], batch.answer.direction)
    return SurveyBatch(batch.sheet._replace(**moved), batch.answer._replace(direction=direction))
