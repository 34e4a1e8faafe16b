"""Batches of cached detections, with the truth."""

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from anastylosis.assignment.model import build_input
from anastylosis.training.assignment.batches import FOREIGN, SurveyBatch, SurveyCase, build_tower, collect, sort_rows, turn_batch
from anastylosis.training.assignment.debris import Debris
from anastylosis.training.detection.detection_cache import NO_BLOCK, CachedDetections


class SeenBatches:
    """Cached detections of the collapses of a split."""

    def __init__(
        self, debris: Debris, detections: Sequence[CachedDetections], *, size: int, hide_friction: float, seed: int = 0
    ) -> None:
        self.debris, self.detections, self.size, self.hide_friction, self.seed = debris, detections, size, hide_friction, seed
        self.courses = debris.courses[[detections.row for detections in detections]]

    def __len__(self) -> int:
        return -(-len(self.detections) // self.size)

    def in_order(self) -> Iterator[SurveyBatch]:
        """Yield all cached detections once, in order; friction is never told."""
        for begin in range(0, len(self.detections), self.size):
            chosen = self.detections[begin : begin + self.size]
            yield collect([open_detections(self.debris, each, with_friction=False) for each in chosen])

    def shuffled(self, epoch: int) -> Iterator[SurveyBatch]:
        """Yield all cached detections once, turned or mirrored. The same epoch gives the same batches.

        No detection is hidden: the net learns how much the detector misses.
        """
        rng = np.random.default_rng((self.seed, zlib.crc32(b"seen"), epoch))
        for rows in sort_rows(self.courses, self.size, rng):
            cases = []
            for row in rows:
                with_friction = bool(rng.random() >= self.hide_friction)
                cases.append(open_detections(self.debris, self.detections[row], with_friction=with_friction))
            yield turn_batch(collect(cases), rng)


def open_detections(debris: Debris, detections: CachedDetections, *, with_friction: bool) -> SurveyCase:
    """Return the survey of cached detections, and the truth."""
    row, survey, origin = detections
    own = origin != NO_BLOCK
    slot = np.where(own, debris.slot[row, origin], FOREIGN)
    return SurveyCase(
        sheet=build_input(survey, build_tower(int(debris.courses[row])), float(debris.friction[row]) if with_friction else None),
        slot=np.where(slot >= 0, slot, FOREIGN),
        fell=own & debris.fell[row, origin],
        debris=debris,
        row=row,
    )
