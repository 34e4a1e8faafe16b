"""The soak, short: visitors come and go, and neither memory nor folders are left of them."""

import sys
from pathlib import Path

import pytest

MEMORY_MAX = 700.0  # [MB] so short a soak is still warming up: growth is judged by the whole one, tools/soak_page.py


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_ten_visitors_leave_nothing_behind(tmp_path: Path, open_tool) -> None:
    tool = open_tool("soak_page")
    done = tool.soak(visitors=10, uploads=30, warm=10, folder=tmp_path, finish=False)
    assert len(done.memory) == 30
    assert done.left == []
    assert max(done.memory) < MEMORY_MAX
    assert done.code == 143
