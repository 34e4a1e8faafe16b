"""The training loop of every net. Checkpoints after each epoch; a run that was stopped goes on, and ends with the same bits."""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.machine import count_cores
from anastylosis.training.ranks import join_ranks, map_tensors, share_rows
from anastylosis.training.tensors import read_tensors, write_tensors
from anastylosis.whole_file import write_whole

CHECKPOINT, BEST, METRICS = "checkpoint.pt", "best.pt", "metrics.jsonl"
SEEDS = 2**63  # that torch takes
NAMED = 4  # settings in which another training differs
CHECKPOINT_SLACK = 64_000_000  # bytes of a checkpoint besides four times the weights
CLIP = 5.0  # largest norm of a gradient: one bad batch must not undo an epoch


class Sendable(Protocol):
    """A batch that can be sent to a device."""

    def to(self, device: torch.device) -> Any: ...


Work = TypeVar("Work", bound=Sendable)


class Source(Protocol[Work]):  # type: ignore[misc]
    """Batches to train on."""

    def __len__(self) -> int: ...
    def shuffled(self, epoch: int) -> Iterator[Work]: ...


class Ordered(Protocol[Work]):  # type: ignore[misc]
    """Batches to validate on, always the same ones."""

    def in_order(self) -> Iterator[Work]: ...


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Number of epochs, learning rate and its course, weight decay, EMA decay."""

    epochs: int
    learning_rate: float
    learning_rate_floor: float
    warm_up: float
    weight_decay: float
    seed: int
    ema_decay: float = 0.0  # of the mean of the weights, which is then validated and written; 0: no mean is taken

    def factor(self, step: int, steps: int) -> float:
        """Return the factor of the learning rate: a linear rise, then a cosine down to `learning_rate_floor`."""
        begin = self.warm_up * steps
        if step < begin:
            return (step + 1) / (begin + 1)
        done = (step - begin) / max(1.0, steps - begin)
        return self.learning_rate_floor + (1 - self.learning_rate_floor) * (1 + math.cos(math.pi * min(1.0, done))) / 2


@dataclass(frozen=True)
class Epoch:
    """Losses of one epoch."""

    number: int  # from 1
    of: int
    losses: Mapping[str, float]  # `train`, `val`, and each term as val_<name>
    best: bool
    seconds: float


class Run(Generic[Work]):
    """One training in a folder: its net, its settings, and the epochs that it has behind it."""

    def __init__(
        self,
        folder: Path,
        net: nn.Module,
        measure: Callable[[nn.Module, Work], dict[str, Tensor]],
        schedule: Schedule,
        identity: Mapping[str, Any],
    ) -> None:
        self.folder, self.net, self.measure, self.schedule, self.identity = folder, net, measure, schedule, dict(identity)
        self.ranks = join_ranks()
        self.device = pick_device(self.ranks.local)
        self.net.to(self.device)
        self.learner = self.ranks.wrap(self.net, self.device)
        self.optimiser = torch.optim.AdamW(net.parameters(), lr=schedule.learning_rate, weight_decay=schedule.weight_decay)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.device.type == "cuda")
        # Polyak and Juditsky (1992): what the last steps have in common is better than the last step.
        average = get_ema_multi_avg_fn(schedule.ema_decay)
        self.ema: AveragedModel | None = None
        if schedule.ema_decay:
            self.ema = AveragedModel(net, multi_avg_fn=average, use_buffers=True)
        self.history: list[dict[str, float]] = []

    @property
    def validated_net(self) -> nn.Module:
        """Return the net that is validated and written: the mean of the weights (EMA), if one is taken."""
        return self.net if self.ema is None else self.ema.module

    def train_epoch(self, train: Source[Work]) -> float:
        """Train one epoch; return the mean loss."""
        epoch = len(self.history)
        torch.manual_seed((self.schedule.seed * 1_000_003 + epoch + 7919 * self.ranks.rank) % SEEDS)
        self.net.train()
        total, steps = 0.0, len(train) * self.schedule.epochs
        for number, batch in enumerate(train.shuffled(epoch)):
            factor = self.schedule.factor(epoch * len(train) + number, steps)
            for group in self.optimiser.param_groups:
                group["lr"] = self.schedule.learning_rate * factor
            mine, weight = share_rows(batch, self.ranks)
            loss = self.total(self.learner, mine)["total"] * weight  # ranks are averaged, whatever their shares
            self.optimiser.zero_grad(set_to_none=True)
            self.scaler.scale(loss).backward()
            self.scaler.unscale_(self.optimiser)
            nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
            self.scaler.step(self.optimiser)
            self.scaler.update()
            if self.ema is not None:
                self.ema.update_parameters(self.net)
            total += float(loss.detach())
        return self.check(self.ranks.sum([total], self.device)[0] / (self.ranks.size * len(train)))

    def validate(self, batches: Ordered[Work]) -> dict[str, float]:
        """Return mean losses on the validation set."""
        self.ranks.share_norms(self.validated_net)
        self.validated_net.eval()
        sums: dict[str, float] = {}
        count = 0
        with torch.no_grad():
            for batch in islice(batches.in_order(), self.ranks.rank, None, self.ranks.size):
                for name, value in self.total(self.validated_net, batch).items():
                    sums[name] = sums.get(name, 0.0) + float(value)
                count += 1
        names, count, sums = self.add_up(sums, count)
        self.check(sums["total"])
        return {name: sums[name] / count for name in names}

    def add_up(self, sums: dict[str, float], count: int) -> tuple[list[str], int, dict[str, float]]:
        """Sum losses and numbers of batches over all ranks; a rank without a batch takes the names of the first."""
        names = self.ranks.share_words(list(sums))
        *totals, count_all = self.ranks.sum([*(sums.get(name, 0.0) for name in names), float(count)], self.device)
        return names, int(count_all), dict(zip(names, totals, strict=True))

    def check(self, loss: float) -> float:
        """Return the loss; raise, before anything is stored, when it is not finite."""
        if not math.isfinite(loss):
            raise InvalidInput(
                f"the loss is no longer a number in epoch {len(self.history) + 1}; a smaller learning rate may help"
            )
        return loss

    def total(self, net: nn.Module, batch: Work) -> dict[str, Tensor]:
        """Return every weighted term, and their sum as `total`."""
        if self.device.type == "cuda":  # from pinned memory the GPU fetches a batch by itself, part after part without waiting
            batch = map_tensors(batch, Tensor.pin_memory)
        with torch.autocast(self.device.type, enabled=self.device.type == "cuda"):
            terms = self.measure(net, batch.to(self.device))
        return {"total": torch.stack(list(terms.values())).sum()} | terms

    def store(self, *, best: bool) -> None:
        """Write checkpoint and losses; the first rank does, and the others wait for it."""
        if self.ranks.leads:
            self.write(best=best)
        self.ranks.meet()

    def write(self, *, best: bool) -> None:
        """Write checkpoint, losses, and the net if it is the best so far."""
        if best:
            write_tensors(self.folder / BEST, {"net": self.validated_net.state_dict()})
        state = {"net": self.net.state_dict(), "optimiser": self.optimiser.state_dict(), "scaler": self.scaler.state_dict()}
        if self.ema is not None:
            state["ema"] = self.ema.state_dict()
        lines = "".join(json.dumps(row) + "\n" for row in self.history)
        with write_whole(self.folder / METRICS) as part:
            part.write_text(lines)
        write_tensors(self.folder / CHECKPOINT, state | {"identity": json.dumps(self.identity), "history": lines})

    def find_size(self) -> int:
        """Return how many bytes a checkpoint has at most: weights, two moments of the optimiser, the mean, and the losses."""
        return CHECKPOINT_SLACK + 4 * sum(each.numel() * each.element_size() for each in self.net.state_dict().values())

    def resume(self) -> None:
        """Go on from the checkpoint of a run of the same identity, if there is one."""
        path = self.folder / CHECKPOINT
        if not path.is_file():
            return
        with explain_checkpoint(path):
            state = read_tensors(path, self.find_size())
            identity, history = json.loads(state["identity"]), [json.loads(line) for line in state["history"].splitlines()]
        mine = json.loads(json.dumps(self.identity))
        if identity != mine:
            raise InvalidInput(
                f"{self.folder} holds another training ({describe_difference(identity, mine)}); delete it, or name another file "
                "with --out"
            )
        with explain_checkpoint(path):
            self.net.load_state_dict(state["net"])
            self.optimiser.load_state_dict(state["optimiser"])
            if self.ema is not None:
                self.ema.load_state_dict(state["ema"])
            if state["scaler"]:  # empty in a run begun on the CPU, where gradients are not scaled
                self.scaler.load_state_dict(state["scaler"])
        self.history = history


def fit(run: Run[Work], train: Source[Work], val: Ordered[Work], resumed: Callable[[int], None] | None = None) -> Iterator[Epoch]:
    """Train to the end, epoch by epoch; afterwards `run.net` is the best by validation.

    `resumed` is called with the number of epochs done before, when the run goes on from its checkpoint.
    """
    run.folder.mkdir(parents=True, exist_ok=True)
    if run.device.type == "cpu":
        torch.set_num_threads(max(1, count_cores() // run.ranks.size))
    run.resume()
    if run.history and resumed:
        resumed(len(run.history))
    while len(run.history) < run.schedule.epochs:
        begin = time.perf_counter()
        learned, validated = run.train_epoch(train), run.validate(val)
        losses = {"train": learned, "val": validated.pop("total")} | {f"val_{name}": value for name, value in validated.items()}
        best = losses["val"] <= min((row["val"] for row in run.history), default=math.inf)
        seconds = time.perf_counter() - begin
        run.history.append({"epoch": len(run.history) + 1, **losses})  # no time: a net of the same seed has the same bytes
        run.store(best=best)
        yield Epoch(len(run.history), run.schedule.epochs, losses, best, seconds)
    run.ema = None
    with explain_checkpoint(run.folder / BEST):
        run.net.load_state_dict(read_tensors(run.folder / BEST, run.find_size())["net"])
    run.net.eval()


def describe_difference(there: Any, here: Any) -> str:
    """Describe in which settings one training differs from another: `epochs 6 there, 3 here`."""
    others, mine = list_settings(there), list_settings(here)
    names = [name for name in {**mine, **others} if others.get(name, "unknown") != mine.get(name, "unknown")]
    parts = [
        f"{name} {others.get(name, 'unknown')!s:.60} there, {mine.get(name, 'unknown')!s:.60} here" for name in names[:NAMED]
    ]
    return ", ".join(parts) + (f", and {len(names) - NAMED} more" if len(names) > NAMED else "") or "of another kind"


def list_settings(part: Any, name: str = "") -> dict[str, Any]:
    """List the leaves of an identity, each with the names that lead to it."""
    if not isinstance(part, dict):
        return {name.removeprefix("config."): part}
    return {
        key: value
        for inner, each in part.items()
        for key, value in list_settings(each, f"{name}.{inner}" if name else str(inner)).items()
    }


def pick_device(number: int = 0) -> torch.device:
    """Return the GPU of this number if there is one, else the CPU."""
    return torch.device("cuda", number) if torch.cuda.is_available() else torch.device("cpu")


@contextmanager
def explain_checkpoint(path: Path) -> Iterator[None]:
    """Turn any error within into one that names the checkpoint: it is not ours, or is damaged."""
    try:
        yield
    except (OSError, RuntimeError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InvalidInput(f"{path} is not a checkpoint of ours, or is damaged; delete {path.parent}, and train again") from error


def count_epochs(folder: Path) -> int:
    """Count the epochs that a run has behind it."""
    path = folder / METRICS
    return len(path.read_text().splitlines()) if path.is_file() and (folder / CHECKPOINT).is_file() else 0


def open_board(folder: Path) -> Any:
    """Open a writer for TensorBoard."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise MissingExtra("tensorboard", "board") from error
    return SummaryWriter(str(folder))
