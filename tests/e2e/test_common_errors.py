"""The page of common errors quotes what the code really says; the paper's own errors cannot happen."""

import ast
import re
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import pytest

from anastylosis.dataset import Plan, generate
from anastylosis.dataset.preset import friction_levels
from anastylosis.episode import EpisodeConfig, default_episode
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.executors import run_pool
from support import work

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "how-to" / "fix-common-errors.md"
ANY = "…"
MESSAGES = [
    line
    for block in re.findall(r"^```message\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


@cache
def read_strings() -> tuple[str, ...]:
    """Every string of the sources, with a placeholder where a value goes in."""
    found = []
    for path in sorted((PROJECT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                found.append("".join(str(part.value) if isinstance(part, ast.Constant) else ANY for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return tuple(found)


def test_there_are_messages() -> None:
    assert len(MESSAGES) > 20


@pytest.mark.parametrize("message", MESSAGES)
def test_a_quoted_message_is_one_of_the_code(message: str) -> None:
    wanted = re.compile(".*".join(map(re.escape, message.split(ANY))))
    assert len(message.replace(ANY, "")) > 15  # enough to look it up by
    assert any(wanted.search(text) for text in read_strings())


def test_processes_inherit_nothing_from_the_parent(monkeypatch) -> None:
    """Paper §12.3, cudaErrorInitializationError: a forked process has its parent's CUDA context, a spawned one has not."""
    monkeypatch.setattr(work, "CONTEXT", "of the parent")
    assert [found for _, found in run_pool(work.read_context, [1, 2], workers=1)] == [None, None]


def test_workers_need_no_file_of_ours(tmp_path: Path, monkeypatch) -> None:
    """Paper §12.3, AttributeError: run_episode: there is no worker file to write first."""
    monkeypatch.chdir(tmp_path)
    plan = Plan(levels=friction_levels([(0.4, 0.4)], 1, 3, config=default_episode(rounds=1)))
    *_, last = generate(tmp_path / "games", plan, partial(run_pool, workers=1))
    assert last.played == 1
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


def test_the_notebook_uses_no_name_before_it_is_there() -> None:
    """Paper §12.3, NameError: 'm' not defined. Every cell is checked; `test_notebook.py` runs them."""
    notebook = PROJECT / "examples" / "paper_cells.ipynb"
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", notebook], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


NO_GUARD = """
from anastylosis.executors import run_pool
print([result for _, result in run_pool(abs, [-1], workers=1)])
"""


def test_a_script_without_a_guard_is_told_what_to_write(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(NO_GUARD)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert 'must be below `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]
    script.write_text(NO_GUARD.replace("print", "if __name__ == '__main__':\n    print"))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("[1]\n", "")


SURVEY = PROJECT / "examples" / "survey" / "fallen-tower.csv"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{SURVEY} {SURVEY} --out new", "is a survey; one survey is reconstructed at a time, or pictures of one heap"),
        (f"{SURVEY} --out full", "full is not empty; name another folder, or write over what is there with force (--force)"),
        (f"{SURVEY} --out new --friction slippery", "friction is 'slippery'; give low, nominal, high, unknown, a coefficient"),
        (f"{SURVEY} --out new --camera c.json", "--camera is an option for pictures"),
    ],
)
def test_a_reconstruction_that_cannot_begin(call_main, capsys, tmp_path: Path, monkeypatch, words: str, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    assert call_main(f"reconstruct {words}") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not (tmp_path / "new").exists()


def test_lengths_in_another_unit_are_told_with_the_option_that_mends_it(call_main, capsys, tmp_path: Path) -> None:
    assert call_main(f"assign {SURVEY} --units mm --layers 18 --out {tmp_path / 'a.csv'}") == 2
    err = capsys.readouterr().err
    assert "no block fits a slot: the slots are of 0.081 x 0.026 x 0.018 m" in err
    assert "units mixed up? Their sizes are 1/1,000 of those of a Jenga block" in err
    assert err.endswith("; give the unit of its lengths (--units), or the size of a block (--block)\n")


def test_a_model_that_is_not_there_names_the_command_that_makes_it(call_main, capsys, tmp_path: Path) -> None:
    """Paper §12.3, No model found."""
    assert call_main(f"predict {PROJECT / 'docs' / 'explanation' / 'dashboard.png'} --model {tmp_path / 'none.onnx'}") == 2
    assert "`anastylosis train picture`, `assign` or `detector` makes one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"policy": "nobody"}, "no policy is named 'nobody'; choose one of: "),
        ({"friction": -1.0}, "friction is -1.0; it must be"),
    ],
)
def test_wrong_settings_are_told_with_their_range(settings: dict, said: str) -> None:
    with pytest.raises(InvalidConfig, match=re.escape(said)):
        EpisodeConfig(**settings)


def test_an_empty_folder_is_no_dataset(tmp_path: Path) -> None:
    from anastylosis.dataset import Dataset

    with pytest.raises(InvalidInput, match="name a folder that `anastylosis simulate` has written"):
        Dataset(tmp_path)
