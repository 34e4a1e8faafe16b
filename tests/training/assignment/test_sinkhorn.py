"""Soft matching: rows and columns sum to one, what cannot be is not, and small cases are as worked out by hand."""

import math

import pytest
import torch

from anastylosis.training.assignment.sinkhorn import SCORE_MAX, bend, match_softly

ROUNDS = 200


def match(scores, unplaced, empty, there=None, rounds: int = ROUNDS):
    score = torch.tensor([scores], dtype=torch.float64)
    allowed = torch.ones_like(score) if there is None else torch.tensor([there], dtype=torch.float64)
    alone = (torch.tensor([values], dtype=torch.float64) for values in (unplaced, empty))
    return [part[0].exp() for part in match_softly(score, *alone, allowed, rounds)]


def test_one_block_and_one_slot() -> None:
    """p / ((1 - p)^2) = e^s / (e^a e^b), here with s = a = b = 0: p^2 - 3 p + 1 = 0."""
    pairs, unplaced, empty = match([[0.0]], [0.0], [0.0])
    p = (3 - math.sqrt(5)) / 2
    torch.testing.assert_close(pairs, torch.tensor([[p]], dtype=torch.float64))
    torch.testing.assert_close(unplaced, torch.tensor([1 - p], dtype=torch.float64))
    torch.testing.assert_close(empty, torch.tensor([1 - p], dtype=torch.float64))


def test_rows_and_columns_sum_to_one() -> None:
    torch.manual_seed(0)
    pairs, unplaced, empty = match((3 * torch.randn(7, 9)).tolist(), torch.randn(7).tolist(), torch.randn(9).tolist())
    torch.testing.assert_close(pairs.sum(1) + unplaced, torch.ones(7, dtype=torch.float64))
    torch.testing.assert_close(pairs.sum(0) + empty, torch.ones(9, dtype=torch.float64), rtol=0, atol=1e-6)


def test_rows_are_exact_after_few_rounds() -> None:
    torch.manual_seed(0)
    pairs, unplaced, _ = match((3 * torch.randn(7, 9)).tolist(), torch.randn(7).tolist(), torch.randn(9).tolist(), rounds=1)
    torch.testing.assert_close(pairs.sum(1) + unplaced, torch.ones(7, dtype=torch.float64))


def test_two_blocks_that_want_one_slot_share_it() -> None:
    pairs, unplaced, _ = match([[10.0, -10.0], [10.0, -10.0]], [0.0, 0.0], [-10.0, 0.0])
    torch.testing.assert_close(pairs[:, 0], torch.full((2,), 0.5, dtype=torch.float64), rtol=0, atol=0.01)
    assert (unplaced > 0.45).all()


def test_rows_that_only_fill_change_nothing() -> None:
    torch.manual_seed(0)
    scores, unplaced, empty = torch.randn(3, 4), torch.randn(3), torch.randn(4)
    plain = match(scores.tolist(), unplaced.tolist(), empty.tolist())
    filled = torch.nn.functional.pad(scores, (0, 2, 0, 1), value=5.0)
    there = torch.nn.functional.pad(torch.ones(3, 4), (0, 2, 0, 1))
    more = match(filled.tolist(), [*unplaced.tolist(), 1.0], [*empty.tolist(), 1.0, 1.0], there.tolist())
    torch.testing.assert_close(more[0][:3, :4], plain[0])
    torch.testing.assert_close(more[1][:3], plain[1])
    torch.testing.assert_close(more[2][:4], plain[2])


@pytest.mark.parametrize("score", [1e30, -1e30])
def test_scores_out_of_all_bounds_stay_finite(score: float) -> None:
    log_pairs, *alone = match_softly(torch.full((1, 3, 3), score), torch.zeros(1, 3), torch.zeros(1, 3), torch.ones(1, 3, 3), 8)
    assert torch.isfinite(log_pairs).all()
    assert all(torch.isfinite(each).all() for each in alone)
    assert bend(torch.tensor(score)).abs() <= SCORE_MAX


def test_what_only_fills_gives_no_gradient_that_is_no_number() -> None:
    """A slot that no block can stand in has no weight at all, and the root of nothing has no slope."""
    scores = torch.zeros(1, 2, 3, requires_grad=True)
    there = torch.tensor([[[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]])
    pairs, *alone = match_softly(scores, torch.zeros(1, 2), torch.zeros(1, 3), there, 4)
    (pairs.sum() + alone[0].sum() + alone[1].sum()).backward()
    assert torch.isfinite(scores.grad).all()
