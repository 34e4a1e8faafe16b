"""SECURITY.md: every bound that it tells is the one of the code."""

import ast
import re
from pathlib import Path

ROW = re.compile(r"^\| [^|]*\| [^|]+ \| ([\d,]+) \| `([\w/]+\.py):([\w.]+)` \|$", re.MULTILINE)
LEAST = 25  # rows: fewer, and the pattern no longer reads what is there


def find_value(path: Path, name: str) -> int:
    """Find a constant of a file, or a default of a class in it, without importing it."""
    scope: ast.Module | ast.ClassDef = ast.parse(path.read_text(encoding="utf-8"))
    *classes, last = name.split(".")
    for each in classes:
        (scope,) = (node for node in scope.body if isinstance(node, ast.ClassDef) and node.name == each)
    values = [
        node.value
        for node in scope.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == last and node.value is not None
    ]
    assert len(values) == 1, f"{path.name} has {len(values)} of {name}"
    return int(eval(compile(ast.Expression(values[0]), str(path), "eval"), {"__builtins__": {}}))  # 10**9 is no literal


def test_bounds_are_those_of_the_code(project: Path) -> None:
    page = (project / "SECURITY.md").read_text(encoding="utf-8")
    rows = ROW.findall(page)
    assert len(rows) == len(re.findall(r"\.py:[\w.]+` \|$", page, re.MULTILINE)) >= LEAST
    for value, file, name in rows:
        found = find_value(project / "src" / "anastylosis" / file, name)
        assert found == int(value.replace(",", "")), f"{file}:{name} is {found:,}"
