"""Batches of what the eye has found, with what is true of it."""

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from anastylosis.assignment.sheet import lay_out
from anastylosis.training.assignment.batches import FOREIGN, Batch, Case, build_tower, collect, sort_rows, turn_batch
from anastylosis.training.assignment.debris import Debris
from anastylosis.training.detection.sightings import NOBODY, Sighting

__all__ = ["SeenBatches"]


class SeenBatches:
    """Sightings of the collapses of a split."""

    def __init__(self, debris: Debris, sightings: Sequence[Sighting], *, size: int, hide_friction: float, seed: int = 0) -> None:
        self.debris, self.sightings, self.size, self.hide_friction, self.seed = debris, sightings, size, hide_friction, seed
        self.courses = debris.courses[[sighting.row for sighting in sightings]]

    def __len__(self) -> int:
        return -(-len(self.sightings) // self.size)

    def in_order(self) -> Iterator[Batch]:
        """Each sighting once, with all that may be told kept back."""
        for begin in range(0, len(self.sightings), self.size):
            yield collect([open_sighting(self.debris, each, told=False) for each in self.sightings[begin : begin + self.size]])

    def shuffled(self, epoch: int) -> Iterator[Batch]:
        """Each sighting once, turned or mirrored. The same epoch gives the same batches.

        None is left out of what was found: how much an eye misses is what is to be learned.
        """
        rng = np.random.default_rng((self.seed, zlib.crc32(b"seen"), epoch))
        for rows in sort_rows(self.courses, self.size, rng):
            cases = []
            for row in rows:
                told = bool(rng.random() >= self.hide_friction)
                cases.append(open_sighting(self.debris, self.sightings[row], told=told))
            yield turn_batch(collect(cases), rng)


def open_sighting(debris: Debris, sighting: Sighting, *, told: bool) -> Case:
    """What was found of a collapse, and what is true of it."""
    row, survey, origin = sighting
    own = origin != NOBODY
    slot = np.where(own, debris.slot[row, origin], FOREIGN)
    return Case(
        sheet=lay_out(survey, build_tower(int(debris.courses[row])), float(debris.friction[row]) if told else None),
        slot=np.where(slot >= 0, slot, FOREIGN),
        fell=own & debris.fell[row, origin],
        debris=debris,
        row=row,
    )
