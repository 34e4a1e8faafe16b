"""Faces: what a room shows to the others, loaded when it is first asked for.

A room's `__init__.py` imports its public names under `if TYPE_CHECKING:`, for readers and type checkers, and lists them in
`__all__`. `load_on_demand` reads these imports and loads a module when one of its names is first asked for, so a command pays
for the part of a room that it uses. Why so: docs/decisions/0018-faces.md.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def load_on_demand(room: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a room."""
    module = sys.modules[room]
    homes = find_homes(Path(str(module.__file__)))

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    return get, lambda: sorted(module.__all__)


def find_homes(path: Path) -> dict[str, str]:
    """Find the module of each name that a file imports for type checkers."""
    homes: dict[str, str] = {}
    for block in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING":
            for node in block.body:
                if isinstance(node, ast.ImportFrom) and node.module:
                    homes |= {alias.name: node.module for alias in node.names}
    return homes
