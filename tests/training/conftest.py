"""Shared by the tests of learning: a small job."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import Examples, read_examples
from anastylosis.dataset.shots import Recipe
from anastylosis.training.picture.job import PictureJob


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Such small nets are fastest on one core; on more they wait for each other, and on a busy machine for long."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def examples(debris: Path) -> Examples:
    """Every collapse of `debris`."""
    return read_examples(Dataset(debris))


@pytest.fixture(scope="session")
def job(debris: Path) -> PictureJob:
    """The pictures of `debris`, 32 pixels wide."""
    return PictureJob.open(Dataset(debris), Recipe(size=32), 1, workers=1, progress=lambda *_: None)
