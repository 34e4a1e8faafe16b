"""Recipes of the Makefile, as make would run them."""

import os
import subprocess
from pathlib import Path

__all__ = ["list_recipe", "run_make"]

GIVEN = ("MAKEFLAGS", "MFLAGS", "LOCKED")  # by a make that runs these tests, perhaps with LOCKED=1


def run_make(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run make with these words alone."""
    environment = {name: value for name, value in os.environ.items() if name not in GIVEN}
    return subprocess.run(["make", *words], cwd=project, capture_output=True, text=True, env=environment, check=False)


def list_recipe(project: Path, *words: str) -> list[str]:
    """List the commands that make would run."""
    done = run_make(project, "-n", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.replace("\\\n", " ").splitlines()
