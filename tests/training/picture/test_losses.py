"""Losses: closed forms, weights of the paper, and no say for what is not known. Scale and batches go with them."""

import numpy as np
import pytest
import torch

from anastylosis.dataset.pictures import Pictures
from anastylosis.models.answers import head_shapes
from anastylosis.training.picture.batches import PictureBatch, PictureBatches, turn_pictures
from anastylosis.training.picture.config import paper_config
from anastylosis.training.picture.heads import PICTURE_HEADS
from anastylosis.training.picture.losses import box_loss, layer_entropy, mean_huber, measure_losses
from anastylosis.training.picture.net import Outputs
from anastylosis.training.picture.scale import NUMBERS, Scale, measure_scale
from support.truths import LEVELS, make_pictures, make_truth

COUNT, LAYERS = 12, 4
SLOTS = 3 * LAYERS


def make_batch(**changes: np.ndarray) -> PictureBatch:
    pictures = make_pictures(COUNT, 16, LAYERS)
    pictures = Pictures(pictures.grey, pictures.truth._replace(**changes))
    (batch,) = PictureBatches([pictures], size=COUNT, levels=LEVELS).in_order()
    return batch


def make_outputs() -> Outputs:
    torch.manual_seed(0)
    shapes = head_shapes(LAYERS, LEVELS) | {"embedding": (4,)}
    return {name: torch.randn(COUNT, *shape, requires_grad=True) for name, shape in shapes.items()}


def measure(batch: PictureBatch, scale: Scale | None = None) -> tuple[dict[str, float], Outputs]:
    """Every loss, and the outputs with the gradients of their sum."""
    outputs = make_outputs()
    losses = measure_losses(outputs, batch, scale or Scale(SLOTS))
    torch.stack(list(losses.values())).sum().backward()
    return {name: value.item() for name, value in losses.items()}, outputs


def assert_same(one: tuple[dict[str, float], Outputs], other: tuple[dict[str, float], Outputs]) -> None:
    assert one[0] == other[0]
    for head in PICTURE_HEADS:
        assert torch.equal(one[1][head.name].grad, other[1][head.name].grad), head.name


def test_slots_that_a_tower_had_not_have_no_say() -> None:
    truth = make_truth(COUNT, LAYERS)
    assert not truth.slots.all()
    removed, block_set = truth.removed_locs.copy(), truth.block_set.copy()
    removed[~truth.slots] = True
    block_set[~truth.slots, 0] = 1
    found = measure(make_batch(removed_locs=removed, block_set=block_set))
    assert_same(found, measure(make_batch()))
    for head in (found[1]["removed_locs"], found[1]["block_set"], found[1]["displacement"]):
        assert (head.grad[torch.from_numpy(~truth.slots)] == 0).all()


def test_what_is_not_known_has_no_say() -> None:
    truth = make_truth(COUNT, LAYERS)
    (losses, outputs), unknown = measure(make_batch()), torch.from_numpy(~np.isfinite(truth.displacement))
    assert all(np.isfinite(value) for value in losses.values())
    assert (outputs["displacement"].grad[unknown] == 0).all()
    assert (outputs["displacement"].grad[~unknown] != 0).all()
    assert (outputs["block_set"].grad[..., 1:][torch.from_numpy(~np.isfinite(truth.block_set[..., 1:]))] == 0).all()
    nothing = measure(make_batch(displacement=np.full_like(truth.displacement, np.nan)))
    assert nothing[0]["displacement"] == 0
    assert (nothing[1]["displacement"].grad == 0).all()


def test_one_block_more_that_is_known_counts() -> None:
    truth = make_truth(COUNT, LAYERS)
    displacement = truth.displacement.copy()
    displacement[~np.isfinite(displacement)] = 0.5
    assert measure(make_batch(displacement=displacement))[0]["displacement"] != measure(make_batch())[0]["displacement"]


def test_closed_forms() -> None:
    batch, (losses, outputs) = make_batch(), measure(make_batch())
    for name in NUMBERS:
        expected = ((outputs[name] - batch.truth[name]) ** 2).mean()
        assert losses[name] == pytest.approx(expected.item(), rel=1e-5)
    chance = torch.sigmoid(outputs["removed_locs"])
    entropy = -torch.where(batch.truth["removed_locs"], chance, 1 - chance).log()[batch.slots].mean()
    assert losses["removed_locs"] == pytest.approx(entropy.item(), rel=1e-5)
    for name in ("failure_layer", "friction_level"):
        rows = torch.arange(COUNT), batch.truth[name]
        expected = -outputs[name].softmax(1)[rows].log().mean()
        assert losses[name] == pytest.approx(expected.item(), rel=1e-5)


def test_towers_that_gave_way_above_all_layers_are_left_out() -> None:
    logits, layer = torch.randn(4, LAYERS, requires_grad=True), torch.tensor([0, 7, 2, LAYERS])
    loss = layer_entropy(logits, layer)
    kept = torch.tensor([0, 2])
    torch.testing.assert_close(loss, torch.nn.functional.cross_entropy(logits[kept], layer[kept]))
    loss.backward()
    assert (logits.grad[[1, 3]] == 0).all()
    assert layer_entropy(torch.randn(2, LAYERS), torch.tensor([9, 9])) == 0


@pytest.mark.parametrize(
    ("said", "meant", "expected"), [(-0.99, 0.67, 2.32), (0.99, -0.99, 2.96), (0.5, -0.5, 1.0), (0.2, 0.1, 0.01)]
)
def test_angles_are_drawn_the_way_that_the_tanh_can_go(said: float, meant: float, expected: float) -> None:
    """Modulo the half turn -0.99 would be drawn below -1, and never come to 0.67."""
    boxes, wanted = torch.zeros(1, 1, 6), torch.zeros(1, 1, 6)
    boxes[..., 0], wanted[..., 0] = 50.0, 1.0  # present, and sure of it
    boxes[..., 5], wanted[..., 5] = said, meant
    loss = box_loss(boxes, wanted, torch.ones(1, 1, dtype=torch.bool), Scale(1))
    assert float(loss) == pytest.approx(expected, rel=1e-4)  # e^2 up to 1, 2 |e| - 1 beyond


def test_far_errors_count_as_distances() -> None:
    # e^2 up to 1, 2 |e| - 1 beyond
    assert float(mean_huber(torch.tensor([0.5, -3.0, float("nan")]))) == pytest.approx((0.25 + 5) / 2)


def test_the_papers_loss_by_hand() -> None:
    """Eq. (21): 0.4 L_num + 0.8 L_locs + 0.4 L_imb + 0.4 L_torque, on raw numbers; the imbalance in millimetres."""
    weights = {name: weight for name, weight in paper_config().weights.items() if weight}
    assert weights == {"num_removed": 0.4, "removed_locs": 0.8, "imbalance": 0.4, "torque_risk": 0.4}
    batch = make_batch()
    losses, outputs = measure(batch, measure_scale(make_truth(COUNT, LAYERS), standardise=paper_config().standardise))
    millimetres = 1e3 * batch.truth["imbalance"]
    assert losses["imbalance"] == pytest.approx(((outputs["imbalance"] - millimetres) ** 2).mean().item(), rel=1e-5)
    assert losses["num_removed"] == pytest.approx(
        ((outputs["num_removed"] - batch.truth["num_removed"]) ** 2).mean().item(), rel=1e-5
    )
    assert losses["torque_risk"] == pytest.approx(
        ((outputs["torque_risk"] - batch.truth["torque_risk"]) ** 2).mean().item(), rel=1e-5
    )


def test_a_scale_has_mean_0_and_deviation_1_and_goes_back() -> None:
    truth = make_truth(400, LAYERS)
    scale = measure_scale(truth, standardise=True)
    for name in NUMBERS:
        value = torch.from_numpy(getattr(truth, name))
        reduced = scale.reduce(name, value)
        assert float(reduced.mean()) == pytest.approx(0, abs=1e-3)
        assert float(reduced.std(correction=0)) == pytest.approx(1, rel=1e-3)
        torch.testing.assert_close(scale.restore(name, reduced), value)
    for name, known in (("boxes", truth.block_set[..., 1:5]), ("ways", truth.displacement)):
        reduced = scale.reduce(name, torch.from_numpy(known))
        np.testing.assert_allclose(np.nanmean(reduced.numpy(), axis=0), 0, atol=1e-5)  # slot by slot
        np.testing.assert_allclose(np.nanstd(reduced.numpy(), axis=(0, 1)), 1, rtol=1e-3)
        torch.testing.assert_close(scale.restore(name, reduced), torch.from_numpy(known), equal_nan=True)


def test_what_never_changes_is_not_divided_by_zero() -> None:
    truth = make_truth(20, LAYERS)._replace(imbalance=np.full(20, -0.01, np.float32))
    truth = truth._replace(displacement=np.full_like(truth.displacement, np.nan))
    scale = measure_scale(truth, standardise=True)
    assert torch.isfinite(scale.reduce("imbalance", torch.tensor(-0.01)))
    assert all(torch.isfinite(part).all() for part in scale.state_dict().values())


def test_a_shuffled_epoch_shows_each_picture_once() -> None:
    views = [make_pictures(20, 16, LAYERS), make_pictures(20, 16, LAYERS)]
    views[1].grey[:] = 255 - views[0].grey
    batches = PictureBatches(views, size=5, levels=LEVELS, hide_friction=0.5, hide_height=0.5, seed=3)
    assert len(batches) == 4
    first, again, next_one = (list(batches.shuffled(epoch)) for epoch in (0, 0, 1))
    for one, other in zip(first, again, strict=True):
        parts = zip((*one[:4], *one.truth.values()), (*other[:4], *other.truth.values()), strict=True)
        assert all(torch.equal(part.nan_to_num(-7.0), same.nan_to_num(-7.0)) for part, same in parts)
    # By what they show, which is one view or the other of each: the distance to grey is the same in both.
    shown = torch.cat([(255 * batch.picture[:, 0] - 127.5).abs().round().sum((1, 2)) for batch in first])
    there = np.abs(views[0].grey - 127.5).round().sum(axis=(1, 2))
    assert sorted(shown.tolist()) == sorted(there.tolist())
    assert not torch.equal(first[0].picture, next_one[0].picture)
    told = torch.cat([batch.friction.sum(1) for batch in first])
    heights = torch.cat([batch.layers for batch in first])
    assert set(told.tolist()) == {0.0, 1.0}
    assert {0.0} < set(heights.tolist()) <= {0.0, 2.0, 3.0, 4.0}
    # What is told is true, and goes with its own picture.
    for batch in first:
        sure = batch.friction.sum(1) > 0
        assert torch.equal(batch.friction.argmax(1)[sure], batch.truth["friction_level"][sure])
        known = batch.layers > 0
        assert torch.equal(batch.layers[known], batch.slots.sum(1)[known] / 3)


def test_a_short_last_batch_is_left_out_unless_it_is_the_only_one() -> None:
    def sizes(count: int) -> list[int]:
        return [len(each.picture) for each in PictureBatches([make_pictures(count)], size=8, levels=3).shuffled(0)]

    assert (sizes(17), sizes(8), sizes(5)) == ([8, 8], [8], [5])
    in_order = [len(each.picture) for each in PictureBatches([make_pictures(17)], size=8, levels=3).in_order()]
    assert in_order == [8, 8, 1]


def test_the_papers_turns() -> None:
    picture = torch.arange(4.0).view(1, 1, 2, 2).repeat(3, 1, 1, 1)
    turned = turn_pictures(picture, np.array([0, 1, 0]), np.array([(0, 0), (0, 0), (1, 1)]))
    assert turned[:, 0].tolist() == [[[0, 1], [2, 3]], [[1, 3], [0, 2]], [[3, 2], [1, 0]]]
    plain, with_turns = (
        next(PictureBatches([make_pictures(8)], size=8, levels=3, turns=turns).shuffled(0)) for turns in (False, True)
    )
    assert torch.equal(plain.truth["num_removed"], with_turns.truth["num_removed"])
    assert not torch.equal(plain.picture, with_turns.picture)
    assert torch.equal(plain.picture.sum((1, 2, 3)).round(), with_turns.picture.sum((1, 2, 3)).round())
