"""One pipeline: command, page, evaluation and front door call it, and none of them wires its stages again."""

import ast
from pathlib import Path

import pytest

ROOMS = Path(__file__).parents[2] / "src" / "anastylosis"
STAGES = {
    "find_flaws", "select_sound", "pose_problem", "draw_towers", "keep_standing", "try_moves", "replay", "rank", "conclude",
    "describe_making",
}  # fmt: skip
CALLERS = {"cli/reconstruct.py", "reconstruction/comparison.py", "verbs.py", "web/findings.py"}


def list_imports(path: Path) -> set[str]:
    """The names that a file imports from the room of reconstruction."""
    return {
        name.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anastylosis.reconstruction")
        for name in node.names
    }


def test_every_stage_is_called_by_the_pipeline() -> None:
    assert list_imports(ROOMS / "reconstruction" / "pipeline.py") >= STAGES


@pytest.mark.parametrize("folder", ["cli", "web", "report", "validation", "training", "."])
def test_no_other_room_imports_a_stage(folder: str) -> None:
    paths = (ROOMS / folder).glob("*.py") if folder == "." else (ROOMS / folder).rglob("*.py")
    wired = {str(path.relative_to(ROOMS)): list_imports(path) & STAGES for path in paths}
    assert {path: names for path, names in wired.items() if names} == {}


def test_who_reconstructs_calls_the_pipeline() -> None:
    callers = {str(path.relative_to(ROOMS)) for path in ROOMS.rglob("*.py") if "run_pipeline" in list_imports(path)}
    assert callers - {"reconstruction/__init__.py"} == CALLERS


def test_the_pipeline_fits_a_screen() -> None:
    tree = ast.parse((ROOMS / "reconstruction" / "pipeline.py").read_text(encoding="utf-8"))
    (run,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "run_pipeline")
    assert run.end_lineno is not None
    assert run.end_lineno - run.lineno <= 60
