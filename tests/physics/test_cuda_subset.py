"""Kernels stay in the subset of Python that numba's CUDA target compiles: what can be seen without a GPU.

With the package numba-cuda (and nvidia-cuda-nvcc) installed, the whole step is compiled to PTX as well.
"""

import ast
import types
from pathlib import Path

import pytest

import anastylosis

PACKAGE = Path(anastylosis.__file__).parent
ROOMS = ("physics", "render")
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
            elif copies_an_array(node):
                found.append(f"line {node.lineno}: copies an array; write a loop")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not isinstance(statement, ast.Expr):
                found.append(f"line {node.lineno}: a string")
    return found


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
    ],
)  # fmt: skip
def test_the_check_sees_what_it_forbids(body: str) -> None:
    assert offences(ast.parse(f"def f():\n    {body}").body[0])


@pytest.mark.parametrize(
    "body", ["a[:] = 0.0", "a[i] = b[i]", "'''Docstring.'''", "m = settings.h", "d[i] = settings.h", "x, y = y, x"]
)
def test_the_check_lets_the_rest_pass(body: str) -> None:
    assert not offences(ast.parse(f"def f():\n    {body}").body[0])


def compile_to_ptx(monkeypatch, function, arguments: tuple) -> str:
    """PTX of a kernel with a fixed number of arguments; skips without numba-cuda."""
    pytest.importorskip("numba_cuda")
    import numba.cuda.dispatcher
    from numba import cuda

    # The compiler asks the present device what it can do; there need not be one.
    device = types.SimpleNamespace(compute_capability=(8, 0))
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: device)
    signature = numba.types.void(*(numba.typeof(argument) for argument in arguments))
    ptx, _ = cuda.compile(function, signature, device=False, abi="numba", cc=(8, 0), output="ptx")
    return ptx


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_step_compiles_to_ptx(monkeypatch) -> None:
    from anastylosis.physics import Simulation
    from anastylosis.physics.model import world_view
    from anastylosis.physics.step import advance
    from anastylosis.structure import jenga_tower
    from worlds import views

    simulation = Simulation(jenga_tower(1))
    frames = simulation.run(simulation.config.timestep, record_every=1)
    model, state, bodies, contacts, rows = views(simulation)
    frames = type(frames)(*(array.swapaxes(0, 1)[0].copy() for array in frames))
    arguments = (
        model, state, world_view(simulation.control, 0), bodies, contacts, rows, simulation._settings, 1, True, 0, frames,
        simulation._stages[0],
    )  # fmt: skip

    def step(model, state, control, bodies, contacts, rows, settings, steps, first, record_every, frames, stages):
        advance(model, state, control, bodies, contacts, rows, settings, steps, first, record_every, frames, stages)

    assert ".visible .entry" in compile_to_ptx(monkeypatch, step, arguments)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["draw", "fill_grid", "map_ids", "measure_boxes", "measure_shadows"])
def test_pictures_compile_to_ptx(monkeypatch, name: str) -> None:
    from anastylosis.render import boxes, image, sun

    calls: dict[str, tuple] = {}
    for module in (boxes, image, sun):
        for kernel in ("draw", "fill_grid", "map_ids", "measure_boxes", "measure_shadows"):
            if hasattr(module, kernel):
                listen(monkeypatch, module, kernel, calls)
    image.warm_up()
    function, arguments = calls[name]
    names = ", ".join(f"a{n}" for n in range(len(arguments)))
    space: dict = {"function": function}
    exec(f"def outer({names}):\n    function({names})", space)  # a kernel returns nothing, and takes no *arguments
    assert ".visible .entry" in compile_to_ptx(monkeypatch, space["outer"], arguments)


def listen(monkeypatch, module, name: str, calls: dict[str, tuple]) -> None:
    """Note the arguments with which a kernel is called."""
    function = getattr(module, name)

    def call(*arguments):
        calls[name] = (function, arguments)
        return function(*arguments)

    monkeypatch.setattr(module, name, call)
