"""Two hundred random mutations of each kind of file that anybody may send: read, or refused in a line, in little memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path("tests") / "support" / "input_fuzz.py"
MUTANTS, SEED = 200, 31
MEMORY, SECONDS, ALL_SECONDS = 1.5e9, 20.0, 120.0  # the last: 3 to 10 s each on an idle machine


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("kind", ["image", "survey", "camera", "parquet", "manifest"])
def test_mutants_are_read_or_refused_in_words(kind: str, project: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(project / "src"), str(project / "tests")])}
    words = [sys.executable, str(project / FUZZ), kind, str(MUTANTS), str(SEED)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=ALL_SECONDS, check=False)
    assert (done.returncode, done.stderr) == (0, "")  # no signal
    said = json.loads(done.stdout)
    assert said["odd"] == []
    assert sum(said["found"].values()) == MUTANTS
    assert min(said["found"].get(name, 0) for name in ("read", "refused")) >= 3  # both were tried
    assert said["slowest"] < SECONDS
    assert said["memory"] < MEMORY
