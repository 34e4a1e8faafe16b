"""One small reconstruction for all tests of this folder."""

import pytest

from anastylosis.web.findings import Finding
from visitors import find_small_tower


@pytest.fixture(scope="session")
def finding(tmp_path_factory) -> Finding:
    """With physics: two proposals, the first of them fallen again."""
    return find_small_tower(tmp_path_factory.mktemp("with"), 2)
