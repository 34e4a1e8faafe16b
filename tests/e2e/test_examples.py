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
    first, second = (line for line in done.stdout.splitlines() if line.startswith((" 1.", " 2.")))
    assert "margin  40.5 mm everywhere" in first  # an intact tower has no weakest layer
    assert "mm under layer 12" in second
    assert "no warning" not in done.stdout  # the last move was of high risk


@pytest.mark.parametrize("words", [["seven"], ["-1"], ["1.5"], ["1", "2"], ["--help"]])
def test_wrong_words_are_one_line(words: list[str]) -> None:
    done = subprocess.run([sys.executable, EXAMPLES[0], *words], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("usage: ")
    assert done.stderr.count("\n") == 1
