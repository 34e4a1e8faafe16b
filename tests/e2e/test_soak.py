"""The soak, short: visitors come and go, and neither memory nor folders are left of them."""

import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_ten_visitors_leave_nothing_behind(tmp_path: Path, open_tool) -> None:
    tool = open_tool("soak_page")
    done = tool.soak(visitors=10, uploads=100, warm=60, folder=tmp_path, finish=False)
    assert len(done.memory) == 100
    assert done.left == []
    assert done.growth <= tool.GROWTH_MAX
    assert done.code == 143
