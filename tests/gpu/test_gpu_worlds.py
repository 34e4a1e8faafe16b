"""Memory of a GPU: worlds that do not fit are refused before anything is taken. A stand-in answers for the GPU."""

from types import SimpleNamespace

import pytest

from anastylosis.errors import CapacityExceeded
from anastylosis.gpu import worlds


def test_worlds_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    context = SimpleNamespace(get_memory_info=lambda: (4_000_000_000, 8_000_000_000))
    monkeypatch.setattr(worlds.cuda, "current_context", lambda: context)
    worlds.GpuArrays.refuse_without_room(800, 4_000_000_000)
    with pytest.raises(CapacityExceeded, match=r"1024 worlds take 4\.7 GB, and the GPU has 4\.0 GB free: step fewer"):
        worlds.GpuArrays.refuse_without_room(1024, 4_710_000_000)
