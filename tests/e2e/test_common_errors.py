"""The page of common errors quotes what the code really says; the paper's own errors cannot happen."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from anastylosis.episode import EpisodeConfig
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.executors import pool

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


def test_processes_are_spawned_never_forked() -> None:
    """Paper §12.3, cudaErrorInitializationError."""
    text = Path(pool.__file__).read_text(encoding="utf-8")
    assert 'get_context("spawn")' in text
    assert "fork" not in re.findall(r'get_context\("(\w+)"\)', text)


def test_a_model_that_is_not_there_names_the_command_that_makes_it(call_main, capsys, tmp_path: Path) -> None:
    """Paper §12.3, No model found."""
    assert call_main(f"predict {PROJECT / 'docs' / 'explanation' / 'dashboard.png'} --model {tmp_path / 'none.onnx'}") == 2
    assert "`anastylosis train DATASET --out" in capsys.readouterr().err


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
