"""Scripts of these tests in numba's CUDA simulator: kernels run in Python, in a process of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["run_simulated"]


def run_simulated(project: Path, script: str) -> Any:
    """Run a script of tests/support/ that uses CUDA; return the JSON document that it prints."""
    path = os.pathsep.join(map(str, (project / "src", project / "tests")))
    words = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    line = [sys.executable, project / "tests" / "support" / script, "cuda"]
    done = subprocess.run(line, env=os.environ | words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
