"""What is refused, and that the message has the value and the remedy."""

import numpy as np
import pytest

from anastylosis.errors import (
    AnastylosisError,
    CapacityExceeded,
    InvalidConfig,
    InvalidInput,
    InvalidStructure,
    SimulationDiverged,
)
from anastylosis.physics import EngineConfig, Simulation
from anastylosis.physics.step import advance
from anastylosis.structure import Blocks, Floor, jenga_tower
from support.worlds import BLOCK, UPRIGHT, WEIGHTLESS, box_structure, turn

H = BLOCK[2]


def make_blocks(**values) -> Blocks:
    good = dict(size=[BLOCK, BLOCK], mass=[0.02, 0.02], friction=[0.4, 0.4], restitution=[0.1, 0.1])
    return Blocks(**(good | values))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": [BLOCK, (0.08, 0.0, 0.02)]}, "size of block 1 is 0: it must be above 0 m"),
        ({"size": [(0.08, -0.03, 0.02), BLOCK]}, "size of block 0 is -0.03: it must be above 0 m"),
        ({"size": [BLOCK, (0.08, np.nan, 0.02)]}, "size of block 1 is nan: it must be a finite number"),
        ({"size": [BLOCK, (0.08, np.inf, 0.02)]}, "size of block 1 is inf: it must be a finite number"),
        ({"mass": [0.0, 0.02]}, "mass of block 0 is 0: it must be above 0 kg"),
        ({"mass": [0.02, -1.0]}, "mass of block 1 is -1: it must be above 0 kg"),
        ({"mass": [0.02, np.nan]}, "mass of block 1 is nan: it must be a finite number"),
        ({"friction": [-0.1, 0.4]}, "friction of block 0 is -0.1: it must be in 0..10"),
        ({"friction": [0.4, 11.0]}, "friction of block 1 is 11: it must be in 0..10"),
        ({"friction": [0.4, np.nan]}, "friction of block 1 is nan: it must be a finite number"),
        ({"restitution": [1.1, 0.1]}, "restitution of block 0 is 1.1: it must be in 0..1"),
        ({"restitution": [0.1, -0.1]}, "restitution of block 1 is -0.1: it must be in 0..1"),
        ({"mass": [0.02]}, r"mass has shape (1,), expected (2)"),
        ({"size": [(0.1, 0.1)]}, r"size has shape (1, 2), expected (any, 3)"),
    ],
)
def test_impossible_blocks(values: dict, message: str) -> None:
    with pytest.raises(InvalidStructure) as refused:
        make_blocks(**values)
    assert message in str(refused.value)


@pytest.mark.parametrize("friction", [-0.1, np.nan, np.inf])
def test_impossible_floor(friction: float) -> None:
    with pytest.raises(InvalidStructure, match="floor friction is"):
        Floor(friction=friction)


@pytest.mark.parametrize("orientation", [(1.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (0.999, 0.0, 0.0, 0.0)])
def test_quaternion_that_is_no_rotation(orientation) -> None:
    with pytest.raises(InvalidStructure) as refused:
        box_structure(BLOCK, [(0, 0, 1), (0, 0, 2)], [UPRIGHT, orientation])
    length = np.linalg.norm(orientation)
    assert f"orientation of block 1 has length {length:.6g}" in str(refused.value)
    assert "divide it by its length" in str(refused.value)


@pytest.mark.parametrize("field", ["position", "orientation"])
def test_pose_that_is_no_number(field: str) -> None:
    pose = {"position": [(0, 0, 1), (0, 0, 2)], "orientation": [UPRIGHT, UPRIGHT]}
    pose[field] = np.array(pose[field], float)
    pose[field][1, 1] = np.nan
    with pytest.raises(InvalidStructure, match=f"{field} of block 1 is nan: it must be a finite number"):
        box_structure(BLOCK, **pose)


def test_blocks_in_each_other() -> None:
    with pytest.raises(InvalidStructure) as refused:
        Simulation(box_structure(BLOCK, [(0, 0, 1), (0.3, 0, 1), (0, 0, 1 + H - 0.0012)]))
    assert "block 'b0' and block 'b2' (world 0) overlap by 1.2 mm" in str(refused.value)
    assert "move them apart" in str(refused.value)


def test_block_in_the_floor() -> None:
    with pytest.raises(InvalidStructure, match=r"block 'b0' and the floor \(world 1\) overlap by 2 mm"):
        Simulation([jenga_tower(1).select([0]), box_structure(BLOCK, [(0, 0, H / 2 - 0.002)])])


@pytest.mark.parametrize("depth", [0.0, 0.5e-3, 0.999e-3])
def test_overlap_within_a_surveys_rounding_is_taken(depth: float) -> None:
    simulation = Simulation(box_structure(BLOCK, [(0, 0, 1), (0, 0, 1 + H - depth)]), WEIGHTLESS)
    simulation.run(0.1)
    assert np.abs(simulation.state.velocity).max() < 0.1  # and does not burst


@pytest.mark.parametrize("overlap", [-1e-3, 0.1e-3])
def test_blocks_that_cross_edge_on_edge_are_not_refused(overlap: float) -> None:
    # The lower block is tipped 10 degrees about x and offers an edge along x; the upper one is tipped 10 degrees about
    # y and offers one along y. Their edges' axis is within 15 degrees of both faces' normals. Gap between the edge lines:
    # heights of the two edges where they cross, over the origin.
    tip = np.radians(10)
    lower, upper = turn((1, 0, 0), tip), turn((0, 1, 0), tip)
    _, width, height = BLOCK
    # Edge of a block from its centre: across by width/2 (length/2), up by height/2, turned by the tip.
    rise_lower = width / 2 * np.sin(tip) + height / 2 * np.cos(tip)
    side_lower = width / 2 * np.cos(tip) - height / 2 * np.sin(tip)
    rise_upper = BLOCK[0] / 2 * np.sin(tip) + height / 2 * np.cos(tip)
    side_upper = BLOCK[0] / 2 * np.cos(tip) - height / 2 * np.sin(tip)
    position = [(0, -side_lower, 1), (-side_upper, 0, 1 + rise_lower + rise_upper - overlap)]
    simulation = Simulation(box_structure(BLOCK, position, [lower, upper]), WEIGHTLESS)
    simulation.run(0.01)


def test_worlds_of_unequal_size() -> None:
    with pytest.raises(InvalidStructure, match=r"the same number of blocks, got \[3, 6\]; run them as separate batches"):
        Simulation([jenga_tower(1), jenga_tower(2)])


@pytest.mark.parametrize(("structures", "said"), [([], "[]"), (5, "5"), (None, "None"), ([jenga_tower(1), "L00_0"], "'L00_0']")])
def test_no_world(structures, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Simulation(structures)
    assert f"{said}; pass a Structure, or a list of at least one structure" in str(refused.value)


@pytest.mark.parametrize("threads", [0, -1])
def test_impossible_threads(threads: int) -> None:
    with pytest.raises(InvalidInput, match=f"threads is {threads}; it must be at least 1"):
        Simulation(jenga_tower(1), threads=threads)


@pytest.mark.parametrize("seconds", [0.0, -1.0, np.nan, np.inf, 1e-4])
def test_impossible_seconds(seconds: float) -> None:
    with pytest.raises(InvalidInput, match=f"seconds is {seconds}; run at least one step of 0.00416667 s"):
        Simulation(jenga_tower(1)).run(seconds)


@pytest.mark.parametrize("every", [-1, 1.5, 2.0, None])
def test_impossible_recording(every) -> None:
    with pytest.raises(InvalidInput, match=f"record_every is {every}; use 0 for no frames or a whole number of steps"):
        Simulation(jenga_tower(1)).run(0.1, record_every=every)


def test_recording_too_rarely_to_keep_a_frame() -> None:
    simulation = Simulation(jenga_tower(1))
    with pytest.raises(InvalidInput, match=r"record_every is 25, but 0\.1 s is 24 steps: no frame would be kept"):
        simulation.run(0.1, record_every=25)
    before = len(advance.signatures)
    assert len(simulation.run(0.1, record_every=np.int32(24)).position) == 1
    assert len(advance.signatures) == max(1, before)  # another kind of whole number compiles nothing anew


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"solver": "newton"}, "solver is 'newton'; choose 'block' or 'pgs'"),
        ({"timestep": 0.0}, "timestep is 0.0; it must be a finite number above 0"),
        ({"timestep": np.nan}, "timestep is nan; it must be a finite number above 0"),
        ({"timestep": -0.1}, "timestep is -0.1; it must be a finite number above 0"),
        ({"timestep": np.inf}, "timestep is inf; it must be a finite number above 0"),
        ({"substeps": 0}, "substeps is 0; it must be a whole number, at least 1"),
        ({"iterations": 0}, "iterations is 0; it must be a whole number, at least 1"),
        ({"seed_passes": -1}, "seed_passes is -1; it must be a whole number, at least 0"),
        ({"substeps": 2.5}, "substeps is 2.5; it must be a whole number, at least 1"),
        ({"leak": 1.5}, "leak is 1.5; it is a share, 0..1"),
        ({"push_speed": 0.0}, "push_speed is 0.0; it must be a finite number above 0"),
        ({"contact_margin": -1e-3}, "contact_margin is -0.001; it must be a finite number above 0"),
        ({"gravity": (0.0, 0.0, np.nan)}, "gravity is (0.0, 0.0, nan); it must be three finite numbers"),
        ({"gravity": (0.0, -9.81)}, "gravity is (0.0, -9.81); it must be three finite numbers"),
    ],
)
def test_impossible_settings(setting: dict, message: str) -> None:
    with pytest.raises(InvalidConfig) as refused:
        EngineConfig(**setting)
    assert message in str(refused.value)


def test_whole_numbers_in_settings_compile_nothing_anew() -> None:
    # gravity=(0, 0, -10) means (0.0, 0.0, -10.0); another type would compile every kernel again, for a minute, in silence.
    before = len(advance.signatures)
    config = EngineConfig(gravity=(0, 0, -10), push_speed=1, leak=0)
    assert all(type(value) is type(default) for value, default in zip(config.settings(), EngineConfig().settings(), strict=True))
    assert len(advance.signatures) == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"axis": (0, 0, 0)}, "axis is [0.0, 0.0, 0.0]; it must be a direction (x, y, z) of non-zero length"),
        ({"axis": (1, 0)}, "axis is [1.0, 0.0]; it must be a direction"),
        ({"axis": (np.nan, 0, 0)}, "axis is [nan, 0.0, 0.0]; it must be a direction"),
        ({"speed": np.nan}, "speed is nan and force_limit 1.0; both must be finite"),
        ({"force_limit": 0.0}, "force_limit 0.0; both must be finite and the limit above 0 N"),
        ({"force_limit": -1.0}, "force_limit -1.0"),
        ({"force_limit": np.inf}, "force_limit inf"),
        ({"block": "L09_0"}, "no block is named 'L09_0'; names run from 'L00_0' to 'L00_2'"),
    ],
)
def test_impossible_pull(call: dict, message: str) -> None:
    simulation = Simulation(jenga_tower(1))
    with pytest.raises(InvalidInput) as refused:
        simulation.pull(**({"block": "L00_0", "axis": (1, 0, 0), "speed": 0.1, "force_limit": 1.0} | call))
    assert message in str(refused.value)
    assert not simulation.control.servo_limit.any()  # and nothing was half set


@pytest.mark.parametrize("what", ["force", "torque"])
def test_impossible_force(what: str) -> None:
    simulation = Simulation(jenga_tower(1))
    with pytest.raises(InvalidInput, match=what):
        simulation.apply_force("L00_0", **({"force": (0, 0, 0)} | {what: (0.0, np.nan, 0.0)}))


@pytest.mark.parametrize("name", ["remove", "release", "servo_force"])
def test_unknown_block(name: str) -> None:
    with pytest.raises(InvalidInput, match="no block is named 'X'"):
        getattr(Simulation(jenga_tower(1)), name)("X")


@pytest.mark.parametrize("field", ["position", "velocity", "angular_velocity", "orientation"])
def test_state_set_to_no_number(field: str) -> None:
    simulation = Simulation([jenga_tower(1)] * 2)
    getattr(simulation.state, field)[1, 2, 0] = np.nan
    with pytest.raises(InvalidInput, match=f"{field} of block 'L00_2' in world 1 is not a finite number"):
        simulation.run(0.1)


def test_state_set_to_no_rotation() -> None:
    simulation = Simulation([jenga_tower(1)] * 2)
    simulation.state.orientation[1, 2] *= 2
    with pytest.raises(InvalidInput, match="orientation of block 'L00_2' in world 1 has length 2; divide it by its length"):
        simulation.run(0.1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_divergence_names_step_and_block() -> None:
    # A turn by omega = 1e300 h / I overflows when its square is taken, in the first step.
    simulation = Simulation([box_structure(BLOCK, [(i, 0, 1) for i in range(3)])] * 3)
    simulation.apply_force("b1", (0, 0, 1e300), (1e300, 1e300, 0), world=2)
    with pytest.raises(SimulationDiverged) as stopped:
        simulation.run(0.1)
    assert (stopped.value.world, stopped.value.block, stopped.value.block_id) == (2, 1, "b1")
    assert stopped.value.step == 1
    assert "block 'b1' (world 2) is no longer finite after step 1" in str(stopped.value)
    assert isinstance(stopped.value, AnastylosisError)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_divergence_leaves_the_other_worlds_whole() -> None:
    simulation = Simulation([jenga_tower(1)] * 2)
    simulation.apply_force("L00_1", (0, 0, 1e300), (1e300, 1e300, 0), world=0)
    with pytest.raises(SimulationDiverged):
        simulation.run(0.1)
    alone = Simulation(jenga_tower(1))
    alone.run(0.1)
    assert np.array_equal(simulation.state.position[1], alone.state.position[0])


def test_too_many_pairs() -> None:
    # 15 blocks through each other in one place: 105 pairs and 15 with the floor; room is for 32 + 15.
    simulation = Simulation(box_structure(BLOCK, [(i, 0, 1) for i in range(15)]), pairs_per_block=1)
    simulation.state.position[0] = (0, 0, 0.01)
    with pytest.raises(CapacityExceeded) as stopped:
        simulation.run(0.1)
    assert "world 0 has more than 47 pairs of near blocks" in str(stopped.value)
    assert "pass a larger pairs_per_block" in str(stopped.value)


@pytest.mark.parametrize("world", [-1, 1])
def test_a_world_that_is_not_there(world: int) -> None:
    simulation = Simulation(box_structure(BLOCK, [(0, 0, 1)]))
    with pytest.raises(InvalidInput, match=f"world is {world}; this simulation has worlds 0..0"):
        simulation.remove(simulation.structures[0].ids[0], world=world)


def test_a_block_that_is_taken_away_cannot_be_pulled() -> None:
    simulation = Simulation(box_structure(BLOCK, [(0, 0, 1)]))
    block = simulation.structures[0].ids[0]
    simulation.remove(block)
    with pytest.raises(InvalidInput, match="is fixed or taken away; pull one that can move"):
        simulation.pull(block, (1, 0, 0), speed=0.1, force_limit=1.0)
