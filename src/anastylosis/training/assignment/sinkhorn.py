"""Sinkhorn scaling: scores of blocks and slots become probabilities. A block is in one slot at most, a slot holds one at most."""

import torch
from torch import Tensor

# Scores are bent to stay below this, either way: exponentials of a float32 do not overflow, and a probability of 1e-8 is as
# good as none.
SCORE_MAX = 20.0


@torch.autocast("cuda", enabled=False)  # half precision ends at exp(11)
@torch.autocast("cpu", enabled=False)
def match_softly(scores: Tensor, unplaced: Tensor, empty: Tensor, there: Tensor, rounds: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return log probabilities of pairs (N, B, S), of blocks in no slot (N, B), and of slots without a block (N, S).

    `scores` (N, B, S) of pairs, `unplaced` (N, B) and `empty` (N, S) of what stays alone, `there` (N, B, S) 1 for pairs that can
    be. Rows and columns are scaled in turn so that each sums to 1, what stays alone included. No block and no slot takes part in
    two pairs, and none has to take part in any. Sinkhorn and Knopp (1967); rows come last, and are exact.
    """
    weight = bend(scores).exp() * there
    alone_block, alone_slot = bend(unplaced).exp()[..., None], bend(empty).exp()[..., None]
    # Near the end already: exact for a pair that wants nobody else, which from 1 takes hundreds of rounds.
    column = 1 / (weight.detach().amax(1)[..., None].sqrt() + alone_slot)
    for _ in range(rounds):
        row = 1 / (weight @ column + alone_block)
        column = 1 / (weight.transpose(1, 2) @ row + alone_slot)
    row = 1 / (weight @ column + alone_block)
    log_row, log_column = row.log(), column.log()
    pairs = bend(scores) + log_row + log_column.transpose(1, 2)
    return pairs, bend(unplaced) + log_row[..., 0], bend(empty) + log_column[..., 0]


def bend(scores: Tensor) -> Tensor:
    return SCORE_MAX * torch.tanh(scores / SCORE_MAX)
