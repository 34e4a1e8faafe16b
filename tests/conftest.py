"""Shared by all tests: where the project is, and how hypothesis searches."""

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, so that a red test is the change's fault; look further, at random, with
# `pytest tests/property --hypothesis-profile=explore`.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=150, database=None)
settings.register_profile("explore", deadline=None, max_examples=5000)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def project() -> Path:
    return Path(__file__).parents[1]
