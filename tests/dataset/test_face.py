"""The face of the dataset room: names that draw are loaded when they are asked for."""

import subprocess
import sys


def test_drawing_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys, anastylosis.dataset as d; loaded = lambda: 'anastylosis.rendering' in sys.modules\n"
        "before = loaded(); d.Recipe; print(before, loaded())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["False", "True"]
