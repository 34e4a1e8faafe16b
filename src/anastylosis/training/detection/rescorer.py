"""Training of the rescorer: cached proposals, which of them are blocks, the net and its losses."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.detection.detections import BoxProposals, Detections
from anastylosis.detection.refiner import aim_frames
from anastylosis.detection.rescorer import (
    LOGIT_UNIT,
    MOVE,
    NEIGHBOUR_FEATURES,
    OWN_FEATURES,
    RESCORER_OUTPUTS,
    describe_neighbourhoods,
)
from anastylosis.training.detection.proposal_cache import CachedProposals
from anastylosis.training.detection.random_streams import random_stream
from anastylosis.training.detection.refiner import KINK, label_proposals
from anastylosis.training.detection.scores import PLACE_NEAR, TURN_NEAR, measure_pairs

NEIGHBOUR_HIDDEN, OWN_HIDDEN = 112, 224  # features of each that touches it; of all of them together
USUAL = 4.0  # so many touch it
DROPPED = 0.05
BATCH = 16  # cached proposals; all are kept in memory, some 0.1 MB each
MOVED = 0.25  # what errors of places and turns count beside those of logit


class RescorerNet(nn.Module):
    """Net (N, OWN_FEATURES), (N, NEIGHBOURS_MAX, NEIGHBOUR_FEATURES) -> (N, outputs). Neighbours have no order: Zaheer (2017)."""

    def __init__(self) -> None:
        super().__init__()
        # Names of layers are those in the files that ship, which `restore_weights` reads.
        self.hear = nn.Sequential(
            nn.Linear(OWN_FEATURES + NEIGHBOUR_FEATURES, NEIGHBOUR_HIDDEN),
            nn.GELU(),
            nn.Linear(NEIGHBOUR_HIDDEN, NEIGHBOUR_HIDDEN),
            nn.GELU(),
        )
        self.tell = nn.Sequential(
            nn.Linear(OWN_FEATURES + 2 * NEIGHBOUR_HIDDEN, OWN_HIDDEN), nn.GELU(), nn.Dropout(DROPPED),
            nn.Linear(OWN_HIDDEN, NEIGHBOUR_HIDDEN), nn.GELU(),
            nn.Linear(NEIGHBOUR_HIDDEN, RESCORER_OUTPUTS),
        )  # fmt: skip

    def forward(self, own: Tensor, others: Tensor) -> Tensor:
        beside = torch.cat([own[:, None].expand(-1, others.shape[1], -1), others], -1)
        if self.training:  # most of the places of others are empty; to pass over them is twice as fast
            there = others[..., 0] > 0
            each = self.hear(beside[there])
            messages = each.new_zeros(*there.shape, NEIGHBOUR_HIDDEN)
            messages[there] = each
        else:  # as it is exported
            messages = self.hear(beside) * others[..., :1]  # the first number of each says that it is there
        change = self.tell(torch.cat([own, messages.sum(1) / USUAL, messages.amax(1)], -1))
        return torch.cat(
            [LOGIT_UNIT * own[:, :1] + change[:, :1], change[:, 1:]], -1
        )  # logit change from what they are by itself


class RescorerBatch(NamedTuple):
    """N blocks of several scenes."""

    own: Tensor  # (N, OWN)
    others: Tensor  # (N, OTHERS, OTHER)
    right: Tensor  # (N,) 1 if it is there, and no surer one is the same block
    near: Tensor  # (N,) 1 if it fell, and there is a block to which it can be moved
    away: Tensor  # (N, 6) shift and turn to that, as the rescorer should say them

    def to(self, device: torch.device) -> "RescorerBatch":
        return RescorerBatch(*(part.to(device, non_blocking=True) for part in self))


class RescorerBatches:
    """Batches of all cached proposals, in another order each epoch; the same epoch has the same order."""

    def __init__(self, proposals: Sequence[CachedProposals], *, seed: int) -> None:
        self.seed = seed
        self.described = [describe_proposals(proposals) for proposals in proposals]

    def __len__(self) -> int:
        return max(1, len(self.described) // BATCH)

    def shuffled(self, epoch: int) -> Iterator[RescorerBatch]:
        rng = np.random.default_rng((self.seed, random_stream("rescorer"), epoch))
        yield from self.draw(rng.permutation(len(self.described))[: BATCH * len(self)])

    def in_order(self) -> Iterator[RescorerBatch]:
        yield from self.draw(np.arange(len(self.described)))

    def draw(self, rows: NDArray[np.int64]) -> Iterator[RescorerBatch]:
        for begin in range(0, len(rows), BATCH):
            parts = zip(*(self.described[row] for row in rows[begin : begin + BATCH]), strict=True)
            yield RescorerBatch(*(torch.from_numpy(np.concatenate(part)) for part in parts))


def describe_proposals(proposals: CachedProposals) -> tuple[NDArray[np.float32], ...]:
    """Return the parts of a batch."""
    eyes, found, blocks, fell = proposals
    frames = aim_frames(eyes[0], found.blocks)
    away, near, _ = label_proposals(found.blocks, blocks, frames)
    near &= ~found.stands
    labels = (label_detections(found, blocks, fell), near, np.where(near[:, None], away, 0))
    return (*describe_neighbourhoods(found, eyes), *(part.astype(np.float32) for part in labels))


def label_detections(found: Detections, blocks: BoxProposals, fell: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return (N,) whether each block is there: the most probable first, each true block once. Fallen ones have to match a block
    that fell.

    The place of the proposal counts, not where the rescorer would move it: labels are the same in every epoch.
    """
    place, turns = measure_pairs(found.blocks, blocks)
    turn = np.linalg.norm(turns, axis=-1)
    free = (place <= PLACE_NEAR) & (turn <= TURN_NEAR) & (found.stands[:, None] | fell)
    cost = place / PLACE_NEAR + turn / TURN_NEAR
    right = np.zeros(len(free), bool)
    for row in np.argsort(-found.logit, kind="stable"):
        right[row] = free[row].any()
        if right[row]:
            free[:, np.where(free[row], cost[row], np.inf).argmin()] = False
    return right


def measure_rescorer_losses(net: nn.Module, batch: RescorerBatch) -> dict[str, Tensor]:
    """Return the loss terms: cross-entropy of what is there, and the errors of places."""
    outputs = net(batch.own, batch.others)
    size = functional.smooth_l1_loss(outputs[:, MOVE], batch.away, reduction="none", beta=KINK).sum(1)
    return {
        "right": functional.binary_cross_entropy_with_logits(outputs[:, 0], batch.right),
        "away": MOVED * (size * batch.near).sum() / batch.near.sum().clamp(min=1),
    }
