"""docs/reference/equations.md lists every equation of the paper, and what it names exists."""

import ast
import re
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

PROJECT = Path(__file__).parents[2]
NUMBERED = 20  # equations with a number in the paper
DISPLAYED = 36  # those, and the displayed formulas without one

# Every \label{eq:...} of the paper, in its order.
LABELS = [
    "eq:rotmat",
    "eq:quat_int",
    "eq:inertia",
    "eq:newton_euler",
    "eq:coulomb",
    "eq:ziglar4",
    "eq:ziglar_torque",
    "eq:aabb",
    "eq:aabb_gpu",
    "eq:non_pen",
    "eq:keff",
    "eq:lambda_n",
    "eq:coulomb_pgs",
    "eq:baumgarte",
    "eq:stability",
    "eq:collapse",
    "eq:resblock",
    "eq:fusion",
    "eq:loss",
]


class Equation(NamedTuple):
    number: str
    label: str
    equation: str
    status: str
    function: str
    test: str
    note: str


def read_equations() -> list[Equation]:
    page = (PROJECT / "docs" / "reference" / "equations.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| no.")]
    return [Equation(*(cell.strip().strip("`") for cell in line.strip("|").split("|"))) for line in lines]


EQUATIONS = read_equations()
BUILT = sorted({(row.function, row.test) for row in EQUATIONS if row.status == "built"})


def resolve(dotted: str) -> object:
    """The object named `package.module.name` or `package.module.Class.name`."""
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:cut])
        try:
            found = import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise
            continue
        return reduce(getattr, parts[cut:], found)
    raise ModuleNotFoundError(dotted)


def test_every_label_is_there_once() -> None:
    assert [row.label for row in EQUATIONS if row.label != "-"] == LABELS


def test_every_number_is_there_once() -> None:
    assert [int(row.number) for row in EQUATIONS if row.number != "-"] == list(range(1, NUMBERED + 1))
    assert len(EQUATIONS) == DISPLAYED


def test_status_is_built_or_names_a_room() -> None:
    for row in EQUATIONS:
        assert row.status == "built" or re.fullmatch(r"planned: [a-z]+", row.status), row


@pytest.mark.parametrize("function", sorted({function for function, _ in BUILT}))
def test_function_exists(function: str) -> None:
    assert function.startswith("anastylosis.")
    assert resolve(function) is not None


@pytest.mark.parametrize("test", sorted({test for _, test in BUILT}))
def test_test_exists(test: str) -> None:
    path, name = test.split("::")
    tree = ast.parse((PROJECT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
