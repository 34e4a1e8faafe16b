"""The assignment net: no order, no direction, nothing but what is there; and the file says what the net says."""

from pathlib import Path

import numpy as np
import pytest
import torch

from anastylosis.assignment.model import AssignmentOutput
from anastylosis.models.onnx_model import open_session, run_session
from anastylosis.survey import Noise
from anastylosis.training.assignment.batches import SurveyBatch, collect, turn_batch
from anastylosis.training.assignment.config import AssignmentNetConfig
from anastylosis.training.assignment.export import CalibratedAssignmentNet, Sharpening, export_assignment_net
from anastylosis.training.assignment.net import AssignmentNet, Logits
from support.assignments import make_debris, open_cases

SMALL = AssignmentNetConfig(features=32, block_layers=1, joint_layers=2, rounds=20)


@pytest.fixture
def net() -> AssignmentNet:
    torch.manual_seed(0)
    return AssignmentNet(SMALL).eval()


@pytest.fixture(scope="module")
def batch() -> SurveyBatch:
    return collect(open_cases(make_debris(4), Noise(position=0.003, angle=0.05, hidden=0.1, foreign=1)))


def ask(net: AssignmentNet, batch: SurveyBatch) -> Logits:
    with torch.no_grad():
        return net(batch.sheet)


def move(batch: SurveyBatch, kind: str, order: torch.Tensor) -> SurveyBatch:
    """The blocks or slots in another order."""
    moved = {name: getattr(batch.sheet, name)[:, order] for name in batch.sheet._fields if name.startswith(kind)}
    return batch._replace(sheet=batch.sheet._replace(**moved))


def test_the_order_of_blocks_changes_nothing_else(net: AssignmentNet, batch: SurveyBatch) -> None:
    order = torch.randperm(batch.sheet.block_there.shape[1], generator=torch.Generator().manual_seed(1))
    before, after = ask(net, batch), ask(net, move(batch, "block", order))
    torch.testing.assert_close(after.pairs, before.pairs[:, order], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(after.empty, before.empty, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(after.friction, before.friction, rtol=1e-4, atol=1e-4)


def test_the_order_of_slots_changes_nothing_else(net: AssignmentNet, batch: SurveyBatch) -> None:
    order = torch.randperm(batch.sheet.slot_there.shape[1], generator=torch.Generator().manual_seed(1))
    before, after = ask(net, batch), ask(net, move(batch, "slot", order))
    torch.testing.assert_close(after.pairs, before.pairs[:, :, order], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(after.unplaced, before.unplaced, rtol=1e-4, atol=1e-4)


def test_doubt_is_heard_once_it_was_learned(net: AssignmentNet, batch: SurveyBatch) -> None:
    """A net that never learned of it says the same of blocks that may not be there; one that did says something else of them."""
    doubted = batch._replace(sheet=batch.sheet._replace(block_doubt=torch.full_like(batch.sheet.block_doubt, 0.6)))
    assert not batch.sheet.block_doubt.any()
    assert torch.equal(ask(net, doubted).pairs, ask(net, batch).pairs)
    torch.nn.init.normal_(net.doubt)
    assert not torch.allclose(ask(net, doubted).pairs, ask(net, batch).pairs, atol=0.1)


def test_a_box_turned_by_half_is_the_same_box(net: AssignmentNet, batch: SurveyBatch) -> None:
    for signs in ((-1, -1, 1), (1, -1, -1), (-1, 1, -1)):
        turned = batch.sheet.block_axes * torch.tensor(signs, dtype=torch.float32)[:, None]
        after = ask(net, batch._replace(sheet=batch.sheet._replace(block_axes=turned)))
        torch.testing.assert_close(after.pairs, ask(net, batch).pairs, rtol=1e-4, atol=1e-4)


def test_rows_that_only_fill_change_nothing(net: AssignmentNet) -> None:
    """A survey alone, and beside a larger one."""
    cases = sorted(open_cases(make_debris(8)), key=lambda case: len(case.slot))
    alone, beside = ask(net, collect(cases[:1])), ask(net, collect([cases[0], cases[-1]]))
    blocks, slots = alone.pairs.shape[1:]
    torch.testing.assert_close(beside.pairs[:1, :blocks, :slots], alone.pairs, rtol=1e-4, atol=1e-4)
    for name in ("empty", "removed", "failure"):
        torch.testing.assert_close(getattr(beside, name)[:1, :slots], getattr(alone, name), rtol=1e-4, atol=1e-4)
    for name in ("courses", "friction", "direction"):
        torch.testing.assert_close(getattr(beside, name)[:1], getattr(alone, name), rtol=1e-4, atol=1e-4)


def test_the_height_is_read_off_the_blocks_alone(net: AssignmentNet) -> None:
    """It is inferred by showing the fewest slots, so slots must not tell."""
    (case,) = open_cases(make_debris(1))
    sheet = collect([case]).sheet
    fewer = {name: getattr(sheet, name)[:, :3] for name in sheet._fields if name.startswith("slot")}
    torch.testing.assert_close(net(sheet._replace(**fewer)).courses, net(sheet).courses)


def test_turning_moves_blocks_and_slots_together(batch: SurveyBatch) -> None:
    """Distances of blocks to slots, and the angles between them, stay as they are; so do the answers but for the direction."""
    turned = turn_batch(batch, np.random.default_rng(3))

    def relations(sheet) -> tuple[torch.Tensor, torch.Tensor]:
        apart = (sheet.block_position[:, :, None] - sheet.slot_position[:, None]).norm(dim=-1)
        along = torch.einsum("nbi,nsi->nbs", sheet.block_axes[:, :, 0], sheet.slot_axes[:, :, 0]).abs()
        return apart, along

    for before, after in zip(relations(batch.sheet), relations(turned.sheet), strict=True):
        torch.testing.assert_close(after, before, rtol=0, atol=1e-6)
    assert not torch.allclose(turned.sheet.block_position, batch.sheet.block_position)
    torch.testing.assert_close(turned.sheet.block_position[..., 2], batch.sheet.block_position[..., 2])
    torch.testing.assert_close(turned.answer.direction.norm(dim=1), batch.answer.direction.norm(dim=1))
    torch.testing.assert_close(turned.answer.slot, batch.answer.slot)


def test_the_file_says_what_the_net_says_of_any_number_of_blocks(net: AssignmentNet, tmp_path: Path) -> None:
    answering = CalibratedAssignmentNet(net, Sharpening(1.5, 0.8, -0.3)).eval()
    cases = open_cases(make_debris(5), Noise(hidden=0.2))
    session = open_session(export_assignment_net(answering, collect(cases[:2]).sheet).SerializeToString(), threads=1)
    for chosen in (cases[2:3], cases):
        sheet = collect(chosen).sheet
        with torch.no_grad():
            wanted = answering(*sheet)
        given = {name: part.numpy() for name, part in sheet._asdict().items()}
        found = run_session(session, AssignmentOutput._fields, given)
        for name, part in zip(AssignmentOutput._fields, wanted, strict=True):
            np.testing.assert_allclose(found[name], part.numpy(), rtol=1e-3, atol=1e-4, err_msg=name)


def test_findings_are_probabilities(net: AssignmentNet, batch: SurveyBatch) -> None:
    with torch.no_grad():
        found = AssignmentOutput._make(part.numpy() for part in CalibratedAssignmentNet(net, Sharpening())(*batch.sheet))
    there = batch.sheet.block_there.numpy() > 0
    np.testing.assert_allclose((found.placed.sum(axis=2) + found.unplaced)[there], 1, rtol=1e-4)
    np.testing.assert_allclose(found.failure.sum(axis=1), 1, rtol=1e-4)
    np.testing.assert_allclose(found.courses.sum(axis=1), 1, rtol=1e-4)
    assert (found.removed <= 1).all()
    assert (found.removed >= 0).all()
