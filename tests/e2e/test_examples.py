"""Every example runs, and says something."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.slow  # a film takes its time
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 3
    for line in done.stdout.splitlines():  # files that it says it wrote
        if line.startswith("out/"):
            assert (tmp_path / line.split(":")[0]).stat().st_size > 1000


def test_the_story_of_an_episode_ends_with_the_fall() -> None:
    done = subprocess.run([sys.executable, EXAMPLES[0], "3"], capture_output=True, text=True, timeout=300)
    assert "the tower falls\nIt stood with" in done.stdout
