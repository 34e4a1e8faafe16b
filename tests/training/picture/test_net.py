"""The picture net: answers of the right shapes, told what may be told, and slots that look at their own place in the picture."""

import numpy as np
import pytest
import torch
from torch import nn

from anastylosis.dataset import Recipe
from anastylosis.models.answers import head_shapes
from anastylosis.rendering import still_camera
from anastylosis.structure import jenga_tower
from anastylosis.training.picture.config import PictureNetConfig, build_view
from anastylosis.training.picture.net import AlignedSlots, PictureNet, find_slots, weigh_cells
from anastylosis.training.picture.resnet import ResNet18

LAYERS, LEVELS, SIZE = 8, 3, 128
FAR = (1, 9, 17, 22)  # slots that are apart in the picture
CLOSE = build_view(Recipe(size=SIZE, layers=LAYERS, reach=0.07))  # the tower fills the picture
SMALL = {"width": 0.125, "embedding": 16, "dropout": 0.0}


def make_net(**changes: object) -> PictureNet:
    torch.manual_seed(0)
    return PictureNet(PictureNetConfig(**(SMALL | changes)), LAYERS, LEVELS, CLOSE, SIZE).eval()


def make_inputs(count: int = 3) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.rand(count, 1, SIZE, SIZE), torch.eye(LEVELS)[:count], torch.full((count,), 4.0)


@pytest.mark.parametrize("head", ["pooled", "aligned"])
def test_every_head_has_its_shape(head: str) -> None:
    outputs = make_net(slot_head=head, height_features=4)(*make_inputs())
    shapes = head_shapes(LAYERS, LEVELS) | {"embedding": (16,)}
    assert {name: tuple(part.shape) for name, part in outputs.items()} == {name: (3, *shape) for name, shape in shapes.items()}
    assert outputs["block_set"][..., 5].abs().max() <= 1


@pytest.mark.parametrize("head", ["pooled", "aligned"])
def test_friction_and_height_are_heard_and_never_told_back(head: str) -> None:
    net, (picture, friction, layers) = make_net(slot_head=head, height_features=4), make_inputs()
    said, otherwise, taller = (
        net(picture, told, height) for told, height in ((friction, layers), (friction[[1, 2, 0]], layers), (friction, 2 * layers))
    )
    for other in (otherwise, taller):
        assert (other["removed_locs"] - said["removed_locs"]).abs().min() > 0
        assert torch.equal(other["friction_level"], said["friction_level"])
        assert torch.equal(other["embedding"], said["embedding"])
    unknown = net(picture, friction, 0 * layers)
    assert (unknown["num_removed"] - said["num_removed"]).abs().min() > 0


def test_the_papers_net_does_not_hear_heights() -> None:
    net, (picture, friction, layers) = make_net(), make_inputs()
    one, other = net(picture, friction, layers), net(picture, friction, 0 * layers)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_slots_are_looked_up_where_their_blocks_are_seen() -> None:
    tower, camera = jenga_tower(LAYERS), still_camera(SIZE, **vars(CLOSE))
    points = find_slots(CLOSE, SIZE, LAYERS)
    assert points.shape == (24, 3, 2)
    np.testing.assert_allclose(points[:, 1], camera.project(tower.position)[0] / SIZE)
    # The ends: even layers lie along x, odd ones along y.
    for slot in range(24):
        half = (0.0405, 0, 0) if slot // 3 % 2 == 0 else (0, 0.0405, 0)
        ends = camera.project([tower.position[slot] - half, tower.position[slot] + half])[0] / SIZE
        np.testing.assert_allclose(points[slot, [0, 2]], ends)
    assert ((points > 0) & (points < 1)).all()


@pytest.mark.parametrize("side", [2, 5, 16])
def test_cells_are_weighed_so_that_linear_maps_are_exact(side: int) -> None:
    rng = np.random.default_rng(side)
    points = rng.uniform(0.5 / side, 1 - 0.5 / side, (50, 2))  # between the centres of the outermost cells
    cells, weights = weigh_cells(points, side)
    np.testing.assert_allclose(weights.sum(axis=0), 1)
    assert (weights >= 0).all()
    assert ((cells >= 0) & (cells < side * side)).all()
    down, across = np.divmod(np.arange(side * side), side)
    linear = 3 - 2 * (across + 0.5) / side + 5 * (down + 0.5) / side
    np.testing.assert_allclose((linear[cells] * weights).sum(axis=0), 3 - 2 * points[:, 0] + 5 * points[:, 1])


def test_points_beyond_the_picture_take_its_rim() -> None:
    cells, weights = weigh_cells(np.array([(-3.0, 0.1), (0.9, 2.0), (1.0, 1.0), (0.0, 0.0)]), 4)
    assert ((cells >= 0) & (cells < 16)).all()
    found = (np.arange(16.0)[cells] * weights).sum(axis=0)
    np.testing.assert_allclose(found, [0, 15, 15, 0], atol=0.5)
    np.testing.assert_allclose(weights.sum(axis=0), 1)


def test_each_slot_gets_what_is_at_its_own_points() -> None:
    """Maps that hold their own coordinates: what the head is given is where it looked."""
    points = find_slots(CLOSE, SIZE, LAYERS)
    head = AlignedSlots([2, 2, 2], 16, points, SIZE)
    maps = []
    for side in (SIZE // 2, SIZE // 4, SIZE // 8):
        down, across = torch.meshgrid(*[(torch.arange(side) + 0.5) / side] * 2, indexing="ij")
        maps.append(torch.stack([across, down])[None].repeat(2, 1, 1, 1))
    given: list[torch.Tensor] = []
    head.local.register_forward_pre_hook(lambda _, inputs: given.append(inputs[0]))
    head(maps, torch.zeros(2, 16))
    found = given[0].reshape(2, 3 * LAYERS, 3, 3, 2).detach().numpy()  # (N, slot, point, map, x and y)
    np.testing.assert_allclose(found, np.broadcast_to(points[None, :, :, None], found.shape), atol=1e-5)


def even_out(trunk: ResNet18) -> ResNet18:
    """Every filter looks all around alike, so that where a cell looks is not a matter of chance."""
    for module in trunk.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.constant_(module.weight, 1 / module.weight[0].numel())
    return trunk


@pytest.mark.parametrize("number", [0, 1, 2])
def test_what_a_slot_looks_at_is_around_its_block(number: int) -> None:
    """The mean place of the gradient of what is looked up in a map is where the block is seen."""
    net, places = make_net(slot_head="aligned"), SIZE * find_slots(CLOSE, SIZE, LAYERS)[:, 1]
    picture = torch.rand(1, 1, SIZE, SIZE, requires_grad=True)
    maps, _ = even_out(net.trunk)(picture)
    cells, weights = (getattr(net.slots, f"{name}{number}") for name in ("cells", "weights"))
    seen = net.slots.look_up(maps[number], cells, weights).unflatten(2, net.slots.shape)[0, 0, :, 1]  # (P,) at their middles
    at = np.arange(SIZE) + 0.5
    for slot in FAR:
        (gradient,) = torch.autograd.grad(seen[slot], picture, retain_graph=True)
        strength = gradient[0, 0].numpy()
        found = np.array([strength.sum(axis=0) @ at, strength.sum(axis=1) @ at]) / strength.sum()
        # A cell of 2^k pixels looks around that in its upper left corner, (2^k - 1) / 2 beside its own middle.
        assert np.abs(found - places[slot]).max() < (2 ** (number + 1) - 1) / 2 + 2


def test_a_change_at_one_slot_is_felt_there_most() -> None:
    net = make_net(slot_head="aligned")
    even_out(net.trunk)
    for part in (net.slots.common, net.slots.place):  # slots hear nothing but what is seen at their own places
        nn.init.zeros_(part.weight)
        nn.init.zeros_(part.bias)
    places = SIZE * find_slots(CLOSE, SIZE, LAYERS)[:, 1]
    apart = np.linalg.norm(places[list(FAR)][:, None] - places[list(FAR)][None], axis=2)
    assert np.sort(apart, axis=1)[:, 1].min() > 20  # [pixels]
    changed = torch.full((1 + len(FAR), 1, SIZE, SIZE), 0.5)
    for row, slot in enumerate(FAR, 1):
        x, y = places[slot].round().astype(int)
        changed[row, :, y - 3 : y + 3, x - 3 : x + 3] = 1
    with torch.no_grad():
        removed = net(changed, torch.zeros(len(changed), LEVELS), torch.zeros(len(changed)))["removed_locs"][:, list(FAR)].numpy()
    assert np.abs(removed[1:] - removed[0]).argmax(axis=1).tolist() == list(range(len(FAR)))
