"""Two hundred random mutations of a model: no traceback, no signal here, little memory, little time."""

import json
import os
import subprocess
import sys
from pathlib import Path

FUZZ = Path("tests") / "support" / "model_fuzz.py"
MUTANTS, SEED = 200, 31
MEMORY, SECONDS, ALL_SECONDS = 1.5e9, 20.0, 200.0  # the last: some 5 s on an idle machine


def test_mutants_are_answered_or_refused_in_words(project: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(project / "src"), str(project / "tests")])}
    # Through a shell: a process begins with the largest memory of the one that starts it, and tests grow.
    words = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, str(project / FUZZ), str(MUTANTS), str(SEED)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=ALL_SECONDS, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert sum(said["found"].values()) == MUTANTS
    assert min(said["found"].get(name, 0) for name in ("answered", "refused here", "refused there")) >= 10
    assert "many lines" not in said["found"]
    assert said["slowest"] < SECONDS
    assert said["memory"] < MEMORY
