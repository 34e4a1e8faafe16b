"""Every example runs, and says something."""

import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
EPISODE = Path(__file__).parents[2] / "examples" / "01_one_episode.py"


def test_there_are_examples() -> None:
    assert [path.name[:2] for path in EXAMPLES] == [f"{number:02}" for number in range(len(EXAMPLES))]
    assert EXAMPLES[0].stem == "00_drop_one_block"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_a_screen(path: Path) -> None:
    assert 30 <= len(path.read_text(encoding="utf-8").splitlines()) <= 45


@pytest.mark.slow  # a film takes its time
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 3
    for line in done.stdout.splitlines():  # files that it says it wrote
        if line.startswith("out/"):
            assert (tmp_path / line.split(":")[0]).stat().st_size > 1000


@pytest.fixture
def say(monkeypatch, capsys) -> Callable[..., str]:
    """What an example prints in this process, given these words."""

    def run(path: Path, *words: str) -> str:
        monkeypatch.setattr(sys, "argv", [str(path), *words])
        runpy.run_path(str(path), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_the_story_of_an_episode_ends_with_the_fall(say) -> None:
    said = say(EPISODE, "3")
    assert "the tower falls\nIt stood with" in said
    first, second = (line for line in said.splitlines() if line.startswith((" 1.", " 2.")))
    assert "margin  40.5 mm under layer" in first  # an intact tower: half a block's length
    assert "mm under layer 12" in second


def test_a_dropped_block_falls_as_the_closed_form_says(say) -> None:
    said = dict(re.findall(r"^  ([a-z ]+?)  +([0-9.]+) ", say(EXAMPLES[0]), re.MULTILINE))
    assert float(said["lands after"]) == pytest.approx(0.14278, abs=1 / 240)  # sqrt(2 h / g), known to a step
    assert float(said["off the parabola"]) < 0.5  # mm; g t h / 2 of semi-implicit Euler is 0.37 at a substep h of 1/1920 s
    assert float(said["bounces to"]) == pytest.approx(1.0, abs=0.1)  # mm; e^2 h
    assert float(said["lies at rest"]) < 0.1  # mm; the skin is 0.05


@pytest.mark.parametrize("words", [["seven"], ["-1"], ["1.5"], ["1", "2"], ["--help"]])
def test_wrong_words_are_one_line(say, capsys, words: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"\Ausage: [^\n]*\Z"):  # Python prints it on stderr, with exit code 1
        say(EPISODE, *words)
    assert capsys.readouterr().out == ""
