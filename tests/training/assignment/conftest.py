"""Shared by the tests of assignment."""

import pytest


@pytest.fixture(autouse=True)
def one_core(monkeypatch) -> None:
    """Such small nets are fastest on one core, and sums have one order there."""
    monkeypatch.setattr("anastylosis.training.loop.count_cores", lambda: 1)
