"""What a rescorer learns from: each block that is there counts once, and cached proposals are kept."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from anastylosis.dataset.examples import Examples
from anastylosis.detection.detections import Detections, join_proposals
from anastylosis.detection.rescorer import (
    LOGIT_MIN,
    LOGIT_UNIT,
    NEIGHBOUR_FEATURES,
    NEIGHBOURS_MAX,
    OWN_FEATURES,
    RESCORER_OUTPUTS,
)
from anastylosis.errors import InvalidInput
from anastylosis.training.detection.calibration import calibrate_rescorer
from anastylosis.training.detection.proposal_cache import CachedProposals, cache_proposals
from anastylosis.training.detection.rescorer import BATCH, RescorerBatches, RescorerNet, label_detections
from anastylosis.training.detection.scenes import SceneRecipe
from support.drawn_debris import make_scene, open_witness, shake

FALLS = SceneRecipe(twisted=0.0, piled=0.0)
MINE = {"fingerprint": "abc"}


class Blind:
    """A proposal nets that must not be asked."""

    def propose(self, views: object) -> None:
        raise AssertionError("it was looked at again")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("proposals")


@pytest.fixture(scope="module")
def proposals(examples: Examples, folder: Path) -> list[CachedProposals]:
    return cache_proposals(examples, open_witness(), folder, recipe=FALLS, count=6, seed=0, identity=MINE)


def test_of_two_that_say_the_same_the_surer_is_right() -> None:
    scene = make_scene()
    twice = join_proposals([scene.blocks, shake(scene.blocks, 0.004, 0.05), shake(scene.blocks, 0.2, 0.0)])
    logit = np.concatenate([np.full(12, 1.0), np.full(12, 2.0), np.full(12, 3.0)])
    stands = np.tile(~scene.fell, 3)
    found = Detections(twice, logit, np.ones(36), np.ones(36), stands)
    right = label_detections(found, scene.blocks, scene.fell)
    assert right[12:24].all()
    assert not right[:12].any()
    assert right[24:].sum() <= 1  # of those that are elsewhere, one may be near another block


def test_what_did_not_fall_is_not_found_as_fallen() -> None:
    scene = make_scene()
    found = Detections(scene.blocks, np.ones(12), np.ones(12), np.ones(12), np.zeros(12, bool))
    np.testing.assert_array_equal(label_detections(found, scene.blocks, scene.fell), scene.fell)


def test_hearings_are_kept(proposals: list[CachedProposals], examples: Examples, folder: Path, tmp_path: Path) -> None:
    assert 3 <= len(proposals) <= 6
    assert all((proposals.found.logit > LOGIT_MIN).all() for proposals in proposals)
    assert {len(proposals.eyes) for proposals in proposals} <= {1, 2}
    again = cache_proposals(examples, Blind(), folder, recipe=FALLS, count=6, seed=0, identity=MINE)  # type: ignore[arg-type]
    for one, other in zip(again, proposals, strict=True):
        np.testing.assert_array_equal(one.found.blocks.axes, other.found.blocks.axes)
        np.testing.assert_array_equal(one.fell, other.fell)
    copied = Path(shutil.copytree(folder, tmp_path / "proposals"))
    part = next(copied.glob("*.npz"))
    part.write_bytes(part.read_bytes()[:300])
    with pytest.raises(InvalidInput, match="delete it"):
        cache_proposals(examples, Blind(), copied, recipe=FALLS, count=6, seed=0, identity=MINE)  # type: ignore[arg-type]


def test_batches_have_every_block_once(proposals: list[CachedProposals]) -> None:
    batches = RescorerBatches(proposals, seed=0)
    blocks = sum(len(proposals.found.logit) for proposals in proposals)
    assert len(proposals) < BATCH
    assert sum(len(batch.own) for batch in batches.in_order()) == blocks
    (batch,) = batches.shuffled(0)
    assert len(batches) == 1
    assert len(batch.own) == blocks
    assert 0.05 < float(batch.right.mean()) < 0.95
    assert not batch.away[batch.near == 0].any()
    assert batch.own.equal(next(iter(batches.shuffled(0))).own)


@pytest.mark.parametrize("other", [{"count": 7}, {"seed": 1}, {"recipe": SceneRecipe()}, {"identity": {"fingerprint": "xyz"}}])
def test_proposals_of_another_training_are_not_taken(
    proposals: list[CachedProposals], examples: Examples, folder: Path, other: dict
) -> None:
    asked = {"recipe": FALLS, "count": 6, "seed": 0, "identity": MINE} | other
    with pytest.raises(InvalidInput, match="holds proposals or detections of another training"):
        cache_proposals(examples, Blind(), folder, **asked)  # type: ignore[arg-type]


def test_a_net_that_breaks_is_not_passed_over(examples: Examples, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise InvalidInput("the refiner answers with what is not finite numbers; train it again")

    nets = open_witness()._replace(vote_net=fail)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="not finite"):
        cache_proposals(examples, nets, tmp_path, recipe=FALLS, count=2, seed=0, identity=MINE)  # type: ignore[arg-type]


def test_who_is_beside_a_block_is_heard_in_no_order() -> None:
    torch.manual_seed(0)
    net, own, others = RescorerNet().eval(), torch.rand(5, OWN_FEATURES), torch.rand(5, NEIGHBOURS_MAX, NEIGHBOUR_FEATURES)
    others[..., 0] = 1.0
    others[:, 9:] = 0.0  # these are not there
    turned = others[:, torch.randperm(NEIGHBOURS_MAX)]
    with torch.no_grad():
        torch.testing.assert_close(net(own, others), net(own, turned))


@pytest.mark.parametrize("half", [False, True])
def test_a_jury_hears_the_same_when_it_learns(half: bool) -> None:
    torch.manual_seed(1)
    net, own, others = RescorerNet().eval(), torch.rand(5, OWN_FEATURES), torch.rand(5, NEIGHBOURS_MAX, NEIGHBOUR_FEATURES)
    others[..., 0] = torch.rand(5, NEIGHBOURS_MAX) < 0.3
    others *= others[..., :1]
    with torch.no_grad(), torch.autocast("cpu", enabled=half):
        asked = net(own, others)
        net.training = True  # of its parts none: nothing is dropped
        torch.testing.assert_close(net(own, others), asked)


def test_a_jury_is_calibrated_by_what_is_there(proposals: list[CachedProposals]) -> None:
    class Honest(torch.nn.Module):
        """Leaves everything as it is."""

        def forward(self, own: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
            return torch.cat([LOGIT_UNIT * own[:, :1], torch.zeros(len(own), RESCORER_OUTPUTS - 1)], 1)

    plain = calibrate_rescorer(Honest(), proposals)
    assert plain.scenes == len(proposals)
    assert len(plain.slope) == len(plain.offset) == 2
    wide = [each._replace(found=each.found._replace(place_sd=2 * each.found.place_sd)) for each in proposals]
    assert calibrate_rescorer(Honest(), wide).place == pytest.approx(plain.place / 2)
