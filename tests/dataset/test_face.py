"""The face of the dataset room: every name is there, and those that draw are loaded when they are asked for."""

import subprocess
import sys

import pytest

from anastylosis import dataset


def test_every_name_of_the_face_is_there() -> None:
    assert dataset.__all__ == sorted(dataset.__all__)
    assert all(getattr(dataset, name) is not None for name in dataset.__all__)
    assert set(dataset.SHOTS) <= set(dataset.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'draw_shots'"):
        _ = dataset.draw_shots


def test_drawing_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys, anastylosis.dataset as d; loaded = lambda: 'anastylosis.rendering' in sys.modules\n"
        "before = loaded(); d.Recipe; print(before, loaded())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["False", "True"]
