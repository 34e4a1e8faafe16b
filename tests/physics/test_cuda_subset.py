"""Kernels stay in the subset of Python that numba's CUDA target compiles: what can be seen without a GPU, and without CUDA's
compiler, which `test_cuda_compile` has."""

import ast
from pathlib import Path

import pytest

import anastylosis

PACKAGE = Path(anastylosis.__file__).parent
ROOMS = ("physics", "rendering")
HOST_ONLY = {"overlap.py"}  # looks at a structure once, before a simulation starts
DECORATORS = {"entry", "inlined", "kernel"}
# Arrays cannot be made in a kernel, and numpy's reductions and copies make them.
ALLOCATES = {"zeros", "empty", "ones", "full", "array", "copy", "arange", "zeros_like", "empty_like", "concatenate"}
BUILTINS = {"print", "list", "dict", "set", "sorted", "open", "str", "isinstance", "getattr"}
FORBIDDEN = (
    ast.Raise, ast.Try, ast.Assert, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    ast.JoinedStr, ast.Lambda, ast.FunctionDef, ast.With, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal,
    ast.Delete, ast.Import, ast.ImportFrom, ast.Starred,
)  # fmt: skip
TUPLES = {
    "model",
    "state",
    "control",
    "bodies",
    "contacts",
    "rows",
    "frames",
    "view",
    "boxes",
    "sun",
    "paint",
}  # their fields are arrays


def kernels() -> list[tuple[str, ast.FunctionDef]]:
    found = []
    for path in [path for room in ROOMS for path in sorted((PACKAGE / room).glob("*.py"))]:
        if path.name in HOST_ONLY:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and DECORATORS & {ast.unparse(d) for d in node.decorator_list}:
                found.append((path.stem, node))
    return found


KERNELS = kernels()


def copies_an_array(node: ast.AST) -> bool:
    """`a[...] = b.field` or `a[:] = b`: numba copies through a buffer on the heap, which CUDA kernels do not have."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)):
        return False
    value, place = node.value, node.targets[0].slice
    whole = isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id in TUPLES
    return whole or (isinstance(place, ast.Slice) and not isinstance(value, ast.Constant))


def offences(function: ast.FunctionDef) -> list[str]:
    found = []
    for statement in function.body:
        for node in ast.walk(statement):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(node, FORBIDDEN):
                found.append(f"line {node.lineno}: {type(node).__name__}")
            elif isinstance(called, ast.Attribute) and called.attr in ALLOCATES:
                found.append(f"line {node.lineno}: {ast.unparse(called)} allocates")
            elif isinstance(called, ast.Name) and called.id in BUILTINS:
                found.append(f"line {node.lineno}: {called.id}")
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not isinstance(node.left, ast.Constant):
                found.append(f"line {node.lineno}: a power is a call of pow on CUDA, which rounds otherwise; write sqrt or x * x")
            elif copies_an_array(node):
                found.append(f"line {node.lineno}: copies an array; write a loop")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not isinstance(statement, ast.Expr):
                found.append(f"line {node.lineno}: a string")
    return found


def test_only_one_decorator_launches_kernels() -> None:
    """`gpu_entry` keeps the linker from merging products and sums, which `cuda.jit` lets it do."""
    assert [path.name for path in sorted(PACKAGE.rglob("*.py")) if "cuda.jit" in path.read_text()] == ["compiling.py"]


def test_kernels_are_found() -> None:
    names = {name for _, function in KERNELS for name in [function.name]}
    assert {"advance", "collide", "sweep_pairs", "separate_boxes", "clip_face", "solve_group", "fill_group"} <= names
    assert {"measure_boxes", "fill_grid", "cast_box", "pass_boxes", "shade", "draw", "map_ids"} <= names


@pytest.mark.parametrize(("module", "function"), KERNELS, ids=[f"{module}.{function.name}" for module, function in KERNELS])
def test_kernel_keeps_to_the_subset(module: str, function: ast.FunctionDef) -> None:
    assert offences(function) == []


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError", "x = np.zeros(3)", "x = [1]", "x = {}", "x = [i for i in y]", "x = f'{y}'", "print(y)", "a[:] = b",
        "assert y", "bodies.saved[:] = bodies.motion", "frames.position[row] = state.position", "x = y.copy()", "x = 'a'",
        "x = y**2", "x = y**0.5",
    ],
)  # fmt: skip
def test_the_check_sees_what_it_forbids(body: str) -> None:
    assert offences(ast.parse(f"def f():\n    {body}").body[0])


@pytest.mark.parametrize(
    "body",
    ["a[:] = 0.0", "a[i] = b[i]", "'''Docstring.'''", "m = settings.h", "d[i] = settings.h", "x, y = y, x", "x = 2.0**-600"],
)
def test_the_check_lets_the_rest_pass(body: str) -> None:
    assert not offences(ast.parse(f"def f():\n    {body}").body[0])
