"""Rooms import downwards only, and from faces only: the contracts of `[tool.importlinter]` in pyproject.toml."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOMS = (
    "assignment", "dataset", "detection", "environment", "episode", "executors", "geometry", "gpu", "mechanics", "models",
    "physics", "reconstruction", "rendering", "report", "structure", "survey", "training", "validation",
)  # fmt: skip
NAMES_MAX = 300

# In a process of its own: it sets up logging anew, which silences every logger that is there.
LINT = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"


def test_rooms_import_downwards_and_from_faces(project: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LINT], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 kept, 0 broken" in done.stdout


def test_faces_are_small_sorted_and_documented(project: Path) -> None:
    """What is public is what a face lists; no other file of a room lists names."""
    package, listed = project / "src" / "anastylosis", 0
    for path in sorted(package.rglob("*.py")):
        names = list_names(path)
        if path.name == "__init__.py":
            listed += len(names)
            assert names == sorted(names, key=rank_name)
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        else:
            assert not names or path.parent == package, f"{path} lists names; its room's __init__ does"
    assert listed <= NAMES_MAX


def rank_name(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name


def list_names(path: Path) -> list[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_a_face_can_be_loaded(room: str) -> None:
    face = import_module(f"anastylosis.{room}")
    assert dir(face) == sorted(face.__all__)
    for name in face.__all__:
        assert getattr(face, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        face.nothing  # noqa: B018


def test_no_class_name_has_two_meanings(project: Path) -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted((project / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(path.name)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


ODD_BEGINNINGS = {
    "All", "As", "Both", "By", "For", "From", "How", "If", "Of", "That", "What", "When", "Where", "Whether", "Which", "Who",
}  # fmt: skip


def test_docstrings_begin_with_a_verb_or_the_thing(project: Path) -> None:
    """Neither a clause nor a shape comes first; functions, unless they are properties, begin with no article."""
    odd = []
    for path in sorted((project / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                continue
            first = (ast.get_docstring(node) or "Nothing").split("\n")[0]
            does = isinstance(node, ast.FunctionDef) and "property" not in "".join(map(ast.unparse, node.decorator_list))
            articles = {"A", "An", "The"} if does else set()
            if (
                first.split(" ")[0] in ODD_BEGINNINGS | articles
                or first.startswith("The same")
                or not (first[0].isupper() or first[0] == "`")
            ):
                odd.append(f"{path.name}: {first}")
    assert odd == []


ONCE = {
    "CAMERA_TEXT", "FELL_DISTANCE", "FOOTPRINT", "HEIGHT_UNIT", "LUMA", "REASON_MAX", "RISKS", "SEED_MAX",
    "SURVEY_ENDINGS", "SYMMETRIC_ENTRIES", "USUAL_LAYERS", "VAL_SEED", "finite_or_none", "hash_file",
}  # fmt: skip


def test_shared_constants_and_helpers_are_defined_once(project: Path) -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted((project / "src").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [node.name] if isinstance(node, ast.FunctionDef) else []
            targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
            names += [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]
            for name in ONCE.intersection(names):
                homes.setdefault(name, []).append(path.name)
    assert {name: len(paths) for name, paths in homes.items()} == dict.fromkeys(ONCE, 1)


def test_array_types_are_defined_in_one_file(project: Path) -> None:
    """`Floats = NDArray[np.float64]` stands in `arrays.py` alone, under whatever name numpy.typing was imported."""
    aliases = []
    for path in sorted(
        path for room in ("src", "tests", "tools", "examples", "benchmarks") for path in (project / room).rglob("*.py")
    ):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if value is not None and re.match(r"(\w+\.)*NDArray\[np\.", ast.unparse(value)):
                aliases.append(path.name)
    assert set(aliases) == {"arrays.py"}
