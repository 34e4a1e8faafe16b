"""Hearings to learn from: of the blocks that are proposed, which are there, and where they really are."""

import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.detection.close_up import aim_frames
from anastylosis.detection.company import MOVE, keep_company
from anastylosis.detection.looking import Found
from anastylosis.detection.proposals import Proposals
from anastylosis.training.detection.hearings import Hearing
from anastylosis.training.detection.judge_batches import KINK, label_proposals
from anastylosis.training.detection.scores import PLACE_NEAR, TURN_NEAR, measure_pairs

__all__ = ["JuryBatch", "JuryBatches", "label_found", "measure_jury_losses"]

BATCH = 16  # hearings; all are kept in memory, some 0.1 MB each
MOVED = 0.25  # what errors of places and turns count beside those of odds


class JuryBatch(NamedTuple):
    """N blocks of several scenes."""

    own: Tensor  # (N, OWN)
    others: Tensor  # (N, OTHERS, OTHER)
    right: Tensor  # (N,) 1 if it is there, and no surer one is the same block
    near: Tensor  # (N,) 1 if it fell, and there is a block to which it can be moved
    away: Tensor  # (N, 6) shift and turn to that, as the jury should say them

    def to(self, device: torch.device) -> "JuryBatch":
        return JuryBatch(*(part.to(device, non_blocking=True) for part in self))


class JuryBatches:
    """All hearings, in another order each epoch; the same epoch has the same."""

    def __init__(self, hearings: Sequence[Hearing], *, seed: int) -> None:
        self.seed = seed
        self.described = [describe_hearing(hearing) for hearing in hearings]

    def __len__(self) -> int:
        return max(1, len(self.described) // BATCH)

    def shuffled(self, epoch: int) -> Iterator[JuryBatch]:
        rng = np.random.default_rng((self.seed, zlib.crc32(b"jury"), epoch))
        yield from self.draw(rng.permutation(len(self.described))[: BATCH * len(self)])

    def in_order(self) -> Iterator[JuryBatch]:
        yield from self.draw(np.arange(len(self.described)))

    def draw(self, rows: NDArray[np.int64]) -> Iterator[JuryBatch]:
        for begin in range(0, len(rows), BATCH):
            parts = zip(*(self.described[row] for row in rows[begin : begin + BATCH]), strict=True)
            yield JuryBatch(*(torch.from_numpy(np.concatenate(part)) for part in parts))


def describe_hearing(hearing: Hearing) -> tuple[NDArray[np.float32], ...]:
    """The parts of a batch."""
    eyes, found, blocks, fell = hearing
    frames = aim_frames(eyes[0], found.blocks)
    away, near, _ = label_proposals(found.blocks, blocks, frames)
    near &= ~found.stands
    labels = (label_found(found, blocks, fell), near, np.where(near[:, None], away, 0))
    return (*keep_company(found, eyes), *(part.astype(np.float32) for part in labels))


def label_found(found: Found, blocks: Proposals, fell: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(N,) what is there: the surest first, each block once. What was found as fallen has to be a block that fell.

    It is judged where it is proposed, not where the jury would move it: the same labels in every epoch.
    """
    place, turns = measure_pairs(found.blocks, blocks)
    turn = np.linalg.norm(turns, axis=-1)
    free = (place <= PLACE_NEAR) & (turn <= TURN_NEAR) & (found.stands[:, None] | fell)
    cost = place / PLACE_NEAR + turn / TURN_NEAR
    right = np.zeros(len(free), bool)
    for row in np.argsort(-found.odds, kind="stable"):
        right[row] = free[row].any()
        if right[row]:
            free[:, np.where(free[row], cost[row], np.inf).argmin()] = False
    return right


def measure_jury_losses(net: nn.Module, batch: JuryBatch) -> dict[str, Tensor]:
    """How improbable the truth is, and how far blocks are off."""
    said = net(batch.own, batch.others)
    size = functional.smooth_l1_loss(said[:, MOVE], batch.away, reduction="none", beta=KINK).sum(1)
    return {
        "right": functional.binary_cross_entropy_with_logits(said[:, 0], batch.right),
        "away": MOVED * (size * batch.near).sum() / batch.near.sum().clamp(min=1),
    }
