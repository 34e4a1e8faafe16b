"""The loop: it learns, goes on where it was cut with the same bits, and refuses what it cannot go on from."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from anastylosis.dataset.pictures import Pictures
from anastylosis.errors import InvalidConfig, InvalidInput, MissingExtra
from anastylosis.training import loop
from anastylosis.training.loop import BEST, Run, Schedule, count_epochs, fit, open_board
from anastylosis.training.picture.config import (
    PRESETS,
    PictureConfig,
    PictureNetConfig,
    fast_config,
    paper_config,
    ridge_config,
)
from anastylosis.training.picture.job import PictureJob
from anastylosis.training.picture.train import train_picture_net
from anastylosis.training.tensors import read_tensors

SCHEDULE = Schedule(epochs=6, learning_rate=0.1, learning_rate_floor=1 / 20, warm_up=0.0, weight_decay=0.0, seed=0)


@pytest.fixture(autouse=True)
def one_core(monkeypatch) -> None:
    monkeypatch.setattr(loop, "count_cores", lambda: 1)


class Lines(NamedTuple):
    """Points of a line, and noise that a checkpoint must bring back."""

    x: Tensor
    y: Tensor

    def to(self, device: torch.device) -> "Lines":
        return Lines(self.x.to(device), self.y.to(device))


class Source:
    """Two batches of y = 3 x - 1."""

    def __len__(self) -> int:
        return 2

    def shuffled(self, epoch: int) -> Iterator[Lines]:
        for number in range(2):
            x = torch.linspace(-1, 1, 8)[:, None] + 0.01 * (epoch + number)
            yield Lines(x, 3 * x - 1)

    def in_order(self) -> Iterator[Lines]:
        return self.shuffled(0)


def measure(net: nn.Module, batch: Lines) -> dict[str, Tensor]:
    error = ((net(batch.x) - batch.y) ** 2).mean()
    return {"half": error / 2, "other": error / 2}


def start(folder: Path, schedule: Schedule = SCHEDULE, loss=measure, identity: str = "a line") -> Run[Lines]:
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(1, 4), nn.Dropout(0.1), nn.Linear(4, 1))
    return Run(folder, net, loss, schedule, {"name": identity, "tuple": (1, 2)})


def weights(net: nn.Module) -> list[float]:
    return [value for part in net.parameters() for value in part.flatten().tolist()]


def test_a_run_learns_and_keeps_the_best_epoch(tmp_path: Path) -> None:
    run = start(tmp_path / "run", replace(SCHEDULE, epochs=20))
    epochs = list(fit(run, Source(), Source()))
    assert [epoch.number for epoch in epochs] == list(range(1, 21))
    values = [epoch.losses["val"] for epoch in epochs]
    assert values[-1] < values[0] / 4
    assert [epoch.best for epoch in epochs] == [value <= min(values[:row], default=math.inf) for row, value in enumerate(values)]
    assert epochs[0].losses["val"] == pytest.approx(epochs[0].losses["val_half"] + epochs[0].losses["val_other"])
    assert not run.net.training
    assert run.validate(Source())["total"] == pytest.approx(min(values), rel=1e-6)  # the best one, not the last
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line["val"] for line in lines] == values
    assert count_epochs(tmp_path / "run") == 20
    assert count_epochs(tmp_path / "nothing") == 0


@pytest.mark.parametrize(("cut", "mean"), [(1, 0.0), (3, 0.0), (6, 0.0), (3, 0.9)])
def test_a_run_that_was_cut_ends_with_the_same_bits(tmp_path: Path, cut: int, mean: float) -> None:
    schedule = replace(SCHEDULE, ema_decay=mean)
    whole = start(tmp_path / "whole", schedule)
    list(fit(whole, Source(), Source()))
    first = start(tmp_path / "cut", schedule)
    for _, _ in zip(range(cut), fit(first, Source(), Source()), strict=False):
        pass
    torch.manual_seed(99)  # what is drawn must not depend on what was drawn elsewhere
    second = start(tmp_path / "cut", schedule)
    torch.rand(7)
    epochs = list(fit(second, Source(), Source()))
    assert [epoch.number for epoch in epochs] == list(range(cut + 1, 7))
    assert weights(second.net) == weights(whole.net)
    assert second.history == whole.history


def test_the_mean_of_the_weights_is_validated_and_kept(tmp_path: Path) -> None:
    """m <- k m + (1 - k) w after every step, from the weights after the first one on."""
    run = start(tmp_path, replace(SCHEDULE, epochs=1, ema_decay=0.9))
    after: list[list[float]] = []
    run.optimiser.register_step_post_hook(lambda *_: after.append(weights(run.net)))
    told = next(fit(run, Source(), Source()))
    mean = after[0]
    for last in after[1:]:
        mean = [0.9 * old + 0.1 * new for old, new in zip(mean, last, strict=True)]
    kept = read_tensors(tmp_path / BEST)["net"]
    assert [value for part in kept.values() for value in part.flatten().tolist()] == pytest.approx(mean, abs=1e-6)
    assert run.validate(Source())["total"] == told.losses["val"]
    assert weights(run.validated_net) == pytest.approx(mean, abs=1e-6)


def test_a_cut_between_two_files_changes_nothing(tmp_path: Path) -> None:
    """Killed after best.pt of the third epoch was written and before its checkpoint was."""
    whole, first = start(tmp_path / "whole"), start(tmp_path / "cut")
    list(fit(whole, Source(), Source()))
    steps = fit(first, Source(), Source())
    next(steps), next(steps)
    before = (tmp_path / "cut" / "checkpoint.pt").read_bytes()
    next(steps)
    (tmp_path / "cut" / "checkpoint.pt").write_bytes(before)
    second = start(tmp_path / "cut")
    assert [epoch.number for epoch in fit(second, Source(), Source())] == [3, 4, 5, 6]
    assert weights(second.net) == weights(whole.net)


def test_another_training_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    next(fit(start(tmp_path), Source(), Source()))
    message = r"holds another training \(name a line there, another line here\); delete it, or name another file with --out"
    with pytest.raises(InvalidInput, match=message):
        next(fit(start(tmp_path, identity="another line"), Source(), Source(), pytest.fail))
    assert count_epochs(tmp_path) == 1


def test_it_is_told_that_a_run_goes_on_when_it_does(tmp_path: Path) -> None:
    told: list[int] = []
    next(fit(start(tmp_path), Source(), Source(), told.append))
    assert told == []
    next(fit(start(tmp_path), Source(), Source(), told.append))
    assert told == [1]


def test_what_differs_is_named() -> None:
    config = {"preset": "fast", "epochs": 6, "net": {"width": 0.5}, "batch": 32, "views": 1, "seed": 0}
    here = {"config": config, "dataset": {"fingerprint": "a"}, "imagenet": None}
    other = {"config": config | {"net": {"width": 0.25}, "epochs": 3}, "dataset": {"fingerprint": "a"}, "imagenet": None}
    assert loop.describe_difference(here, other) == "epochs 6 there, 3 here, net.width 0.5 there, 0.25 here"
    assert loop.describe_difference(here, here | {"dataset": {}}) == "dataset.fingerprint a there, unknown here"
    changed = dict.fromkeys(config, "another")
    assert loop.describe_difference(here, here | {"config": changed}).endswith(", batch 32 there, another here, and 3 more")
    assert loop.describe_difference("words", here).endswith(" more")


def test_a_loss_that_is_no_number_ends_the_run_and_is_not_kept(tmp_path: Path) -> None:
    for phase, calls in (("train", 4), ("val", 6)):  # the second epoch: two batches to learn from, two to be judged by
        seen: list[int] = []

        def spoil(net: nn.Module, batch: Lines, seen=seen, calls=calls) -> dict[str, Tensor]:
            seen.append(1)
            return {name: value * (math.nan if len(seen) > calls else 1) for name, value in measure(net, batch).items()}

        folder = tmp_path / phase
        with pytest.raises(InvalidInput, match="the loss is no longer a number in epoch 2; a smaller learning rate may help"):
            list(fit(start(folder, loss=spoil), Source(), Source()))
        assert count_epochs(folder) == 1
        assert len(list(fit(start(folder), Source(), Source()))) == 5  # it goes on from the last good one


def test_the_rate_rises_and_falls() -> None:
    schedule = replace(SCHEDULE, warm_up=0.1)
    assert schedule.factor(0, 100) == pytest.approx(1 / 11)
    assert schedule.factor(9, 100) == pytest.approx(10 / 11)
    assert schedule.factor(10, 100) == 1
    assert schedule.factor(55, 100) == pytest.approx((1 + 1 / 20) / 2)
    assert schedule.factor(100, 100) == pytest.approx(1 / 20)
    factors = [schedule.factor(step, 100) for step in range(101)]
    assert factors[:11] == sorted(factors[:11])
    assert factors[10:] == sorted(factors[10:], reverse=True)
    assert SCHEDULE.factor(0, 100) == 1  # without a warm-up


def test_the_rate_is_that_of_the_schedule(tmp_path: Path) -> None:
    rates: list[float] = []
    run = start(tmp_path, replace(SCHEDULE, epochs=3))

    def look(net: nn.Module, batch: Lines) -> dict[str, Tensor]:
        if net.training:
            rates.append(run.optimiser.param_groups[0]["lr"])
        return measure(net, batch)

    run.measure = look
    list(fit(run, Source(), Source()))
    assert rates == [pytest.approx(0.1 * SCHEDULE.factor(step, 6)) for step in range(6)]


def test_one_bad_batch_does_not_undo_an_epoch(tmp_path: Path) -> None:
    run = start(tmp_path, loss=lambda net, batch: {"huge": 1e6 * measure(net, batch)["half"]})
    run.train_epoch(Source())
    norm = math.sqrt(sum(float((part.grad**2).sum()) for part in run.net.parameters()))
    assert norm == pytest.approx(loop.CLIP, rel=1e-4)


class Bomb:
    """What is unpickled writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return Path.write_text, (self.path, "it went off")


def flip(path: Path) -> None:
    """One bit of one weight; torch would not notice."""
    weight = torch.load(path, weights_only=True)["net"]["0.weight"].numpy().tobytes()
    data = bytearray(path.read_bytes())
    data[data.index(weight) + 5] ^= 1
    path.write_bytes(data)


def change_state(**changes: object):
    def apply(path: Path) -> None:
        torch.save(torch.load(path, weights_only=True) | changes, path)

    return apply


@pytest.mark.parametrize("name", ["checkpoint.pt", "best.pt"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"words" * 100),
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        flip,
        lambda path: torch.save([1, 2], path),
        lambda path: torch.save({"epoch": 1}, path),
        change_state(net={"weight": torch.zeros(3)}),
        change_state(net="words"),
        lambda path: torch.save({"net": Bomb(path.with_name("trace"))}, path),
    ],
)
def test_a_checkpoint_that_is_damaged_or_not_ours(tmp_path: Path, name: str, damage) -> None:
    if name == "best.pt":  # is read at the end
        list(fit(start(tmp_path), Source(), Source()))
    else:
        next(fit(start(tmp_path), Source(), Source()))
    damage(tmp_path / name)
    with pytest.raises(InvalidInput, match=rf"{name} is not a checkpoint of ours, or is damaged; delete .*, and train again"):
        list(fit(start(tmp_path), Source(), Source()))
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("changes", [{"identity": 3}, {"identity": "{"}, {"history": "words"}, {"optimiser": {}}, {"history": 7}])
def test_a_checkpoint_with_parts_that_are_none(tmp_path: Path, changes: dict) -> None:
    next(fit(start(tmp_path), Source(), Source()))
    change_state(**changes)(tmp_path / "checkpoint.pt")
    with pytest.raises(InvalidInput, match="is not a checkpoint of ours"):
        list(fit(start(tmp_path), Source(), Source()))


def test_scaled_gradients_make_the_same_steps(tmp_path: Path) -> None:
    """As on a GPU: scaled, unscaled, clipped; a power of 2 costs no bit. A run begun without goes on with them."""
    plain, scaled = start(tmp_path / "plain"), start(tmp_path / "scaled")
    next(fit(scaled, Source(), Source()))
    scaled = start(tmp_path / "scaled")
    scaled.scaler = torch.amp.GradScaler("cpu")
    after = [epoch.losses for epoch in fit(scaled, Source(), Source())]
    assert after == [epoch.losses for epoch in fit(plain, Source(), Source())][1:]
    assert torch.load(tmp_path / "scaled" / "checkpoint.pt", weights_only=True)["scaler"]["scale"] >= 2.0**16
    resumed = start(tmp_path / "scaled", replace(SCHEDULE, epochs=7))
    resumed.scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    resumed.resume()
    assert resumed.scaler.get_scale() >= 2.0**16  # and is kept


def test_a_board_that_is_not_installed(tmp_path: Path) -> None:
    try:
        import torch.utils.tensorboard  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtra, match="tensorboard is not installed; run: "):
            open_board(tmp_path)
    else:
        open_board(tmp_path).close()


def tiny(config: PictureConfig, **changes: object) -> PictureConfig:
    return config.change(width=0.125, size=32, **changes)


def test_a_net_learns_eight_pictures_by_heart(job: PictureJob, tmp_path: Path) -> None:
    one = Pictures(job.train[0].grey[:8], job.train[0].truth.take(slice(0, 8)))
    few = replace(job, train=[one], val=one)
    config = replace(tiny(fast_config(), epochs=30, batch=8, seed=1), hide_friction=0.0, hide_height=0.0)
    config = replace(config, net=replace(config.net, dropout=0.0), learning_rate=3e-3)
    epochs = list(train_picture_net(config, few, tmp_path / "m.onnx"))
    # Not by `val`, though it has the same pictures: the running means of batch norm need more than 30 steps.
    assert epochs[-1].losses["train"] < 0.25 * epochs[0].losses["train"]
    assert (tmp_path / "m.onnx").is_file()


def test_the_papers_preset_has_its_four_heads(job: PictureJob, tmp_path: Path) -> None:
    (epoch,) = train_picture_net(tiny(paper_config(), epochs=1, batch=8), job, tmp_path / "m.onnx")
    heads = {name for name in epoch.losses if name.startswith("val_")}
    assert heads == {"val_num_removed", "val_removed_locs", "val_imbalance", "val_torque_risk"}
    assert epoch.losses["val"] == pytest.approx(sum(epoch.losses[name] for name in heads))


def test_another_configuration_is_another_training(job: PictureJob, tmp_path: Path) -> None:
    config = tiny(fast_config(), epochs=1, batch=8)
    list(train_picture_net(config, job, tmp_path / "m.onnx"))
    assert list(train_picture_net(config, job, tmp_path / "m.onnx")) == []  # it is finished
    for other, shown in ((replace(config, seed=1), job), (config, replace(job, dataset={"fingerprint": "another"}))):
        with pytest.raises(InvalidInput, match=r"m\.run holds another training"):
            next(train_picture_net(other, shown, tmp_path / "m.onnx"))


def test_any_seed_can_be_trained_with(tmp_path: Path) -> None:
    assert len(list(fit(start(tmp_path, replace(SCHEDULE, epochs=1, seed=2**63)), Source(), Source()))) == 1


def test_presets_are_what_they_are_called() -> None:
    assert {name: make().preset for name, make in PRESETS.items()} == {name: name for name in ("paper", "fast", "full", "ridge")}
    paper = paper_config()
    assert (paper.net.width, paper.net.embedding, paper.net.friction_features, paper.net.slot_head) == (1, 128, 16, "pooled")
    assert (paper.pictures.size, paper.pictures.mirror, paper.pictures.camera, paper.turns) == (128, False, "still", True)
    assert ridge_config().preset == "ridge"


def test_settings_are_changed_wherever_they_are() -> None:
    config = fast_config().change(width=0.25, size=64, epochs=3, seed=None, mirror=True)
    assert (config.net.width, config.pictures.size, config.epochs, config.seed) == (0.25, 64, 3, 0)
    assert config.pictures.mirror
    assert config.net.slot_head == "aligned"


@pytest.mark.parametrize(
    "changes",
    [{"width": 0.01}, {"width": 3}, {"size": 4}, {"epochs": 0}, {"batch": 1}, {"learning_rate": 0.0}, {"hide_friction": 1.5}],
)
def test_settings_that_are_none(changes: dict) -> None:
    with pytest.raises(InvalidConfig, match=f"{next(iter(changes))} is "):
        fast_config().change(**changes)
    with pytest.raises(InvalidConfig, match="slot_head is 'magic'"):
        PictureNetConfig(slot_head="magic")
