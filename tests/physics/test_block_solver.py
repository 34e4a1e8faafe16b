"""The compiled lanes against the interpreter, bit for bit, and what a solve must keep."""

import ast
import inspect
import math

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from anastylosis.kernel import entry
from anastylosis.physics import Simulation, block_solver, default_config, fill, rows
from anastylosis.physics.block_solver import MANIFOLD
from anastylosis.physics.contacts import GROUPS, PAIRS
from anastylosis.physics.rows import LANES
from support.worlds import BLOCK, UPRIGHT, WEIGHTLESS, box_structure, collide_once, falling_tower, matrix, turn, views

SETTINGS = default_config().settings()


class RootByName(ast.NodeTransformer):
    """x ** 0.5 as sqrt(x), which it compiles to. Python takes libm's pow, which rounds otherwise once in a thousand times."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 0.5:
            return ast.Call(ast.Name("sqrt", ast.Load()), [node.left], [])
        return node


def interpret(kernel: Dispatcher):
    """The same function run by Python, and every kernel that it calls too."""
    function = kernel.py_func
    names = function.__globals__ | {"sqrt": math.sqrt}
    for name in function.__code__.co_names:
        if isinstance(names.get(name), Dispatcher):
            names[name] = interpret(names[name])
    tree = RootByName().visit(ast.parse(inspect.getsource(function)))
    tree.body[0].decorator_list = []
    exec(compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec"), names)
    return names[function.__name__]


@entry
def compiled_fill_group(d, rebuild_normal):
    return fill.fill_group(d, rebuild_normal)


@entry
def compiled_prepare_group(d, settings):
    block_solver.prepare_group(d, settings)


@entry
def compiled_solve_group(d):
    block_solver.solve_group(d)


@entry
def compiled_push_group(d, rate, slop, limit):
    block_solver.push_group(d, rate, slop, limit)


@entry
def compiled_warm_start(bodies, contacts, rows, settings):
    block_solver.warm_start_blocks(bodies, contacts, rows, settings)


@entry
def compiled_solve(bodies, contacts, rows):
    block_solver.solve_blocks(bodies, contacts, rows)


@entry
def compiled_bounce(bodies, contacts, rows, h):
    block_solver.bounce_blocks(bodies, contacts, rows, h)


@pytest.fixture(scope="module")
def collapse() -> Simulation:
    """A tower that falls, looked at when blocks slide, strike and roll."""
    simulation = falling_tower()
    for _ in range(60):
        simulation.run(simulation.config.timestep)
        used = simulation._contacts.number[0, GROUPS]
        if simulation.time > 0.05 and simulation._rows.bounces[0, :used].any() and simulation._rows.deep[0, :used].any():
            return simulation
    raise AssertionError("nothing struck and nothing overlapped in a collapse")


def groups_of(simulation: Simulation) -> np.ndarray:
    """(G, FIELDS * LANES) rows of world 0, a copy."""
    return simulation._rows.data[0, : simulation._contacts.number[0, GROUPS]].copy()


def bits(array: np.ndarray) -> np.ndarray:
    """The bits, with -0 made 0: the sign of nothing is nothing."""
    return (np.asarray(array) + 0.0).view(np.int64)


def copies(simulation: Simulation) -> tuple:
    """bodies, contacts, rows of world 0 that may be changed."""
    return tuple(type(part)(*(array.copy() for array in part)) for part in views(simulation)[2:])


def check_group(simulation: Simulation, compiled, kernel: Dispatcher, *arguments) -> None:
    interpreted = interpret(kernel)
    data = groups_of(simulation)
    assert len(data) > 5
    for d in data:
        twin = d.copy()
        result = compiled(d, *arguments)
        assert interpreted(twin, *arguments) == result
        assert np.array_equal(bits(d), bits(twin))


def test_fill_group_gives_the_interpreters_bits(collapse: Simulation) -> None:
    check_group(collapse, compiled_fill_group, fill.fill_group, collapse.config.rebuild_normal)


def test_prepare_group_gives_the_interpreters_bits(collapse: Simulation) -> None:
    check_group(collapse, compiled_prepare_group, block_solver.prepare_group, collapse._stepper.settings)


def test_solve_group_gives_the_interpreters_bits(collapse: Simulation) -> None:
    check_group(collapse, compiled_solve_group, block_solver.solve_group)


def test_push_group_gives_the_interpreters_bits(collapse: Simulation) -> None:
    config = collapse.config
    check_group(collapse, compiled_push_group, block_solver.push_group, config.bias_rate, config.slop, config.push_speed)


@pytest.mark.parametrize(
    ("compiled", "kernel", "arguments"),
    [
        (compiled_warm_start, block_solver.warm_start_blocks, (SETTINGS,)),
        (compiled_solve, block_solver.solve_blocks, ()),
        (compiled_bounce, block_solver.bounce_blocks, (SETTINGS.h,)),
    ],
    ids=["warm start", "solve", "bounce"],
)
def test_whole_pass_gives_the_interpreters_bits(collapse: Simulation, compiled, kernel: Dispatcher, arguments: tuple) -> None:
    # Gather, solve, scatter, group after group: lanes side by side do what blocks one after the other do.
    assert collapse._stepper.settings == SETTINGS
    fast, slow = copies(collapse), copies(collapse)
    kick = np.random.default_rng(0).normal(0, 0.1, collapse._bodies.motion[0, :-1].shape)  # something to solve
    for bodies, _, packed in (fast, slow):
        bodies.motion[:-1] += kick
        # The blow of the last substep is over and forgotten: as if the struck points had just taken 1 mN s again.
        struck = packed.data[:, rows.BOUNCE * LANES : (rows.BOUNCE + 4) * LANES] > 0
        packed.data[:, rows.IMPULSE * LANES : (rows.IMPULSE + 4) * LANES][struck] = 1e-3
    before = fast[0].motion.copy()
    compiled(*fast, *arguments)
    interpret(kernel)(*slow, *arguments)
    assert np.array_equal(bits(fast[0].motion), bits(slow[0].motion))
    used = collapse._contacts.number[0, GROUPS]
    assert np.array_equal(bits(fast[2].data[:used]), bits(slow[2].data[:used]))
    assert np.abs(fast[0].motion - before)[:-1].max() > 1e-6  # it did something


def test_lanes_of_a_group_share_no_moving_body() -> None:
    simulation = falling_tower()
    for _ in range(30):
        simulation.run(simulation.config.timestep)
        contacts, packed = simulation._contacts, simulation._rows
        floor = len(simulation.structures[0])
        for group in range(contacts.number[0, GROUPS]):
            used = packed.fill[0, group]
            body = packed.body[0, group].reshape(2, LANES)[:, :used].ravel()
            moving = body[body != floor]
            assert len(set(moving.tolist())) == len(moving)


def test_every_touching_pair_has_one_lane() -> None:
    simulation = falling_tower()
    simulation.run(0.1)
    collide_once(simulation)
    collide_once(simulation)  # a manifold that came apart in the first keeps its lane, idle, until rows are packed
    contacts, packed = simulation._contacts, simulation._rows
    slots = contacts.pair_slot[0, : contacts.number[0, PAIRS]]
    touching = sorted(slots[contacts.points[0, slots] > 0].tolist())
    lanes = [packed.slot[0, g, k] for g in range(contacts.number[0, GROUPS]) for k in range(packed.fill[0, g])]
    assert touching
    assert sorted(int(slot) for slot in lanes) == touching


def momentum(simulation: Simulation, motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum (about the origin) of all blocks, with velocities `motion` (B, 6)."""
    blocks = simulation.structures[0].blocks
    total, spin = np.zeros(3), np.zeros(3)
    for i in range(len(blocks)):
        r = matrix(simulation.state.orientation[0, i])
        total += blocks.mass[i] * motion[i, :3]
        spin += blocks.mass[i] * np.cross(simulation.state.position[0, i], motion[i, :3])
        spin += r @ (blocks.inertia[i] * (r.T @ motion[i, 3:]))
    return total, spin


def test_a_solve_keeps_momentum() -> None:
    # Impulses act in opposite pairs at one point: sum m v and sum (x x m v + I omega) stay, whatever the impulses.
    # Six blocks in the air, piled and tipped, no floor.
    rng = np.random.default_rng(0)
    z = np.cumsum([BLOCK[2] + 1e-5] * 6)
    tips = [turn(rng.normal(size=3), 1e-3) for _ in range(6)]
    simulation = Simulation(box_structure(BLOCK, [(rng.uniform(-0.01, 0.01), 0, h) for h in z + 1], tips), WEIGHTLESS)
    collide_once(simulation)
    bodies, contacts, packed = copies(simulation)
    bodies.motion[:-1] = rng.normal(0, 0.2, (6, 6))
    before = momentum(simulation, bodies.motion)
    still = bodies.motion.copy()
    for _ in range(5):
        compiled_solve(bodies, contacts, packed)
    after = momentum(simulation, bodies.motion)
    assert np.abs(bodies.motion - still).max() > 0.01  # it did something
    scale = 6 * 0.0196 * 0.5  # masses times speeds [kg m/s]
    assert after[0] == pytest.approx(before[0], abs=1e-14 * scale)
    assert after[1] == pytest.approx(before[1], abs=1e-12 * scale)  # inertia of poses seen to 0.5 um


def test_impulses_push_and_friction_stays_in_the_cone(collapse: Simulation) -> None:
    bodies, contacts, packed = copies(collapse)
    for _ in range(3):
        compiled_solve(bodies, contacts, packed)
    sliding = 0
    for group in range(contacts.number[GROUPS]):
        d = packed.data[group].reshape(-1, LANES)[:, : packed.fill[group]]
        normal = d[rows.IMPULSE : rows.IMPULSE + 4]
        assert (normal >= 0).all()
        slide = np.hypot(d[rows.SLIDE_1 + MANIFOLD], d[rows.SLIDE_2 + MANIFOLD])
        limit = d[rows.FRICTION] * normal.sum(axis=0)  # Coulomb: |f| <= mu N
        assert (slide <= limit * (1 + 1e-12) + 1e-18).all()
        sliding += int((slide > 0.999 * limit).sum())
    assert sliding > 0  # some of them do slide


def test_blocks_that_meet_in_the_air_keep_their_momentum() -> None:
    structure = box_structure(BLOCK, [(0, 0, 10), (0.1, 0.01, 10.005)], [UPRIGHT, turn((1, 2, 3), 0.4)], mass=[0.02, 0.05])
    simulation = Simulation(structure, WEIGHTLESS)
    simulation.state.velocity[0, 0, 0] = 1.0
    before = momentum(simulation, np.concatenate([simulation.state.velocity[0], simulation.state.angular_velocity[0]], axis=1))[0]
    energy = simulation.kinetic_energy()[0]
    simulation.run(0.2)
    after = momentum(simulation, np.concatenate([simulation.state.velocity[0], simulation.state.angular_velocity[0]], axis=1))[0]
    assert simulation.state.velocity[0, 1, 0] > 0.05  # they did meet
    assert after == pytest.approx(before, abs=1e-14 * 0.02)
    assert simulation.kinetic_energy()[0] < energy
