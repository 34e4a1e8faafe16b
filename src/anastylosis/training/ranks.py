"""Ranks: processes that train one net together, as `torchrun` starts them; without it there is one.

Every rank takes its share of the rows of each batch, and gradients are averaged over all: the steps are those of one process, as
far as a loss is a mean over rows.
On GPUs batch norms see the rows of all ranks. PyTorch has no such norm for the CPU: there they see the share of their own rank,
and the means and variances that are kept are those of the first.
"""

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch import distributed as together
from torch.nn.parallel import DistributedDataParallel

from anastylosis.errors import InvalidInput

PATIENCE = timedelta(hours=12)  # for the first rank to draw pictures
Part = TypeVar("Part")


class Ranks(NamedTuple):
    """Number of this process among those that train together."""

    rank: int
    size: int
    local: int  # which on its machine: the number of its GPU

    @property
    def leads(self) -> bool:
        """Return whether this is the rank that writes files and prints."""
        return self.rank == 0

    def wrap(self, net: nn.Module, device: torch.device) -> nn.Module:
        """Return the net with gradients averaged over all ranks; heads without a weight get none. Batch norms are replaced
        within.
        """
        if self.size == 1:
            return net
        if device.type == "cuda":
            net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
        return DistributedDataParallel(
            net, device_ids=[device.index] if device.type == "cuda" else None, find_unused_parameters=True
        )

    def share_norms(self, net: nn.Module) -> None:
        """Give all ranks the means and variances of the first, so that the net that is validated is the one stored."""
        if self.size > 1:
            for kept in net.buffers():
                together.broadcast(kept, 0)

    def sum(self, values: list[float], device: torch.device) -> list[float]:
        """Return each value, summed over all ranks."""
        if self.size == 1:
            return values
        total = torch.tensor(values, dtype=torch.float64, device=device)
        together.all_reduce(total)
        return total.tolist()

    def share_words(self, words: list[str]) -> list[str]:
        """Return the words of the first rank."""
        if self.size == 1:
            return words
        shared = [words]
        together.broadcast_object_list(shared)
        return shared[0]

    def meet(self) -> None:
        """Wait for all others."""
        if self.size > 1:
            together.barrier()


def join_ranks() -> Ranks:
    """Return the ranks that `torchrun` sets, met at the first call; one rank without it."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1 or not together.is_available():
        return Ranks(0, 1, 0)
    ranks = Ranks(int(os.environ["RANK"]), size, int(os.environ.get("LOCAL_RANK", "0")))
    if not together.is_initialized():
        cuda, gpus = torch.cuda.is_available(), torch.cuda.device_count()
        if cuda and ranks.local >= gpus:
            raise InvalidInput(f"torchrun starts more processes than there are GPUs; pass --nproc-per-node {gpus}, or less")
        if cuda:
            torch.cuda.set_device(ranks.local)
        together.init_process_group("nccl" if cuda else "gloo", timeout=PATIENCE)
        atexit.register(together.destroy_process_group)
    return ranks


@contextmanager
def leader_first() -> Iterator[None]:
    """Let the first rank do what is within, then all others, who find it done."""
    ranks = join_ranks()
    if not ranks.leads:
        ranks.meet()
    yield
    if ranks.leads:
        ranks.meet()


def map_tensors(batch: Part, change: Any) -> Part:
    """Return a batch with every tensor changed. A batch is a named tuple of tensors, of dictionaries of them, or of batches."""
    if isinstance(batch, Tensor):
        return change(batch)
    if isinstance(batch, dict):
        return {name: map_tensors(part, change) for name, part in batch.items()}  # type: ignore[return-value]
    return type(batch)._make(map_tensors(part, change) for part in batch)  # type: ignore[attr-defined]


def share_rows(batch: Part, ranks: Ranks) -> tuple[Part, float]:
    """Return the rows of a batch that are this rank's, and their number relative to an even share (1: even).

    A batch with fewer rows than ranks is given whole to each: no row, no loss.
    """
    rows = count_rows(batch)
    if rows < ranks.size or ranks.size == 1:
        return batch, 1.0
    mine = map_tensors(batch, lambda part: part[ranks.rank :: ranks.size])
    return mine, count_rows(mine) * ranks.size / rows


def count_rows(batch: Any) -> int:
    """Count the rows of a batch: those of its first tensor."""
    return len(batch) if isinstance(batch, Tensor) else count_rows(batch[0])
