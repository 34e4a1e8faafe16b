"""Shared by the tests of datasets: collapses as arrays."""

from pathlib import Path

import pytest

from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import Examples, read_examples


@pytest.fixture(scope="session")
def examples(debris: Path) -> Examples:
    """Every collapse of `debris`."""
    return read_examples(Dataset(debris))
