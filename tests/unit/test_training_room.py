"""No command but `train` and `evaluate` reaches the training room, and none but these needs PyTorch. From the imports."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tools.draw_architecture import find_file, find_imports

PACKAGE = Path(__file__).parents[2] / "src" / "anastylosis"
COMMANDS = {  # files of commands that train or evaluate, and what draws the pages of an evaluation
    "cli.evaluate",
    "cli.train",
    "cli.train_assign",
    "cli.train_detector",
    "cli.train_picture",
    "cli.training",
    "report.evaluation",
}
DOORS = {"cli", "__main__", ""}  # they name every command; what it needs is loaded when it runs
TENSORS = {"dataset.torch_samples"}  # loads PyTorch when a user asks for tensors: `Dataset.as_torch`
NAMES = (".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py"))
FILES = sorted(name.removesuffix("__init__").rstrip(".") for name in NAMES)
STARTS = [file for file in FILES if file.startswith(("cli.", "web.app", "verbs")) and file not in COMMANDS]


@cache
def find_reached(file: str) -> frozenset[str]:
    """Every file that a file imports, directly or through others; names of a face count as those of the file behind it."""
    seen: set[str] = set()
    left = [file]
    while left:
        for other in find_imports(left.pop()):
            if other not in seen and other not in DOORS:
                seen.add(other)
                left.append(other)
    return frozenset(seen)


def needs_torch(file: str) -> bool:
    tree = ast.parse(find_file(file).read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(name == "torch" or name.startswith("torch.") for name in names)


@pytest.mark.parametrize("file", STARTS)
def test_no_other_command_reaches_the_training_room(file: str) -> None:
    reached = find_reached(file)
    assert not [other for other in reached if other.startswith("training")]
    assert not [other for other in reached - TENSORS if needs_torch(other)]


def test_the_lists_are_of_files_that_are_there_and_needed() -> None:
    assert set(FILES) >= COMMANDS | TENSORS
    assert all(needs_torch(file) for file in TENSORS)
    for file in COMMANDS - {"cli.train"}:
        assert [other for other in find_reached(file) if other.startswith("training")], file
