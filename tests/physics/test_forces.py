"""Contact forces that people read, against statics."""

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import jenga_tower
from support.worlds import BLOCK, MASS, G, box_structure, net_forces

WEIGHT = MASS * G
# Out of balance by a millionth of its weight, a block would creep by g 1e-6 t^2 / 2 = 0.02 mm in 2 s: what may creep is less.
BALANCE = 1e-6


@pytest.fixture(scope="module")
def standing() -> Simulation:
    simulation = Simulation(jenga_tower(6))
    simulation.run(0.5)
    return simulation


def test_weight_on_the_floor(standing: Simulation) -> None:
    # sum of N over the floor's contacts = sum of m g
    contacts = standing.contacts()
    floor = contacts.on_block(18)
    assert len(floor.pair) == 3
    assert floor.normal == pytest.approx(np.tile((0, 0, -1), (3, 1)), abs=1e-6)  # from block to floor
    assert floor.normal_force.sum() == pytest.approx(18 * WEIGHT, rel=BALANCE)


def test_every_block_at_rest_is_in_balance(standing: Simulation) -> None:
    # sum of contact forces + m g = 0, block by block: each force is counted on both sides, so this is action = reaction too.
    expected = np.tile((0, 0, WEIGHT), (18, 1))
    assert net_forces(standing) == pytest.approx(expected, abs=BALANCE * WEIGHT)


def test_each_course_carries_what_is_above(standing: Simulation) -> None:
    contacts = standing.contacts()
    course = np.append(standing.structures[0].course, -1)  # the floor is under course 0
    lower = course[contacts.pair].min(axis=1)
    for layer in range(-1, 5):
        load = contacts.normal_force[lower == layer].sum()
        assert load == pytest.approx(3 * (5 - layer) * WEIGHT, rel=BALANCE)


def test_pressure_lies_under_the_centre_of_mass() -> None:
    # An overhanging block: sum x_i N_i / sum N_i = x of its centre, else it would turn.
    overhang = np.array([0.03, 0.006])
    simulation = Simulation(box_structure(BLOCK, [(0, 0, BLOCK[2] / 2), (*overhang, BLOCK[2] * 1.5)]))
    simulation.run(0.5)
    contacts = simulation.contacts().on_block("b1")
    assert contacts.pair.tolist() == [[0, 1]]
    force = contacts.normal_force[0]
    assert (force @ contacts.point[0, :, :2]) / force.sum() == pytest.approx(overhang, abs=1e-6)
    assert force.sum() == pytest.approx(WEIGHT, rel=BALANCE)
    # Under the lower block the pressure lies under the centre of both.
    floor = simulation.contacts().on_block(2)
    force = floor.normal_force[0]
    assert (force @ floor.point[0, :, :2]) / force.sum() == pytest.approx(overhang / 2, abs=1e-6)


def test_a_block_is_found_by_its_id_as_by_its_row(standing: Simulation) -> None:
    contacts = standing.contacts()
    by_id, by_row = contacts.on_block("L03_1"), contacts.on_block(10)
    assert (by_id.pair == 10).any(axis=1).all()
    assert len(by_id.pair) == 6  # three below it, three above
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(by_id[:-1], by_row[:-1], strict=True))
    assert by_id.on_block("L02_0").pair.tolist() == [[6, 10]]  # what it gives can be asked again


@pytest.mark.parametrize("block", [-1, 19, 2.0, None])
def test_a_row_that_no_block_has_is_refused(standing: Simulation, block) -> None:
    with pytest.raises(InvalidInput, match=r"give its id, or its row: 0..17, or 18 for the floor"):
        standing.contacts().on_block(block)


def test_contacts_of_a_name_or_a_world_that_is_not_there(standing: Simulation) -> None:
    with pytest.raises(InvalidInput, match="no block is named 'L06_0'"):
        standing.contacts().on_block("L06_0")
    with pytest.raises(InvalidInput, match=r"world is -1; this simulation has worlds 0..0"):
        standing.contacts(world=-1)


@pytest.mark.parametrize("heading", [0.0, 22.5, 45.0, 200.0])
def test_friction_holds_a_block_on_a_slope(heading: float) -> None:
    # Gravity tilted by 15 degrees (tan = 0.27 < mu = 0.4): friction = m g sin, normal = m g cos.
    tilt, direction = np.radians(15), np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading)), 0])
    gravity = G * (np.sin(tilt) * direction - [0, 0, np.cos(tilt)])
    simulation = Simulation(box_structure(BLOCK, [(0, 0, BLOCK[2] / 2)]), EngineConfig(gravity=tuple(gravity.tolist())))
    simulation.run(1.0)
    contacts = simulation.contacts()
    assert contacts.pair.tolist() == [[0, 1]]
    assert np.linalg.norm(simulation.state.position[0, 0, :2]) < 2e-5
    assert contacts.normal_force.sum() == pytest.approx(WEIGHT * np.cos(tilt), rel=1e-4)
    # The force on b, the floor, is along the slope's pull; the block feels the opposite.
    assert contacts.friction[0] == pytest.approx(WEIGHT * np.sin(tilt) * direction, abs=1e-4 * WEIGHT)


@pytest.mark.parametrize("heading", [0.0, 22.5, 45.0, 90.0])
def test_sliding_friction_is_mu_n_in_every_direction(heading: float) -> None:
    direction = np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading)), 0])
    simulation = Simulation(box_structure(BLOCK, [(0, 0, BLOCK[2] / 2)], friction=0.3))
    simulation.state.velocity[0, 0] = 1.0 * direction
    simulation.run(0.1)
    contacts = simulation.contacts()
    assert contacts.normal_force.sum() == pytest.approx(WEIGHT, rel=1e-3)
    assert contacts.friction[0] == pytest.approx(0.3 * WEIGHT * direction, abs=1e-3 * WEIGHT)
    # v = v_0 - mu g t; contact forms within the first substeps
    speed = simulation.state.velocity[0, 0] @ direction
    assert speed == pytest.approx(1.0 - 0.3 * G * 0.1, abs=0.3 * G * 2 * simulation.config.substep)


def test_nothing_touches_in_the_air() -> None:
    simulation = Simulation(box_structure(BLOCK, [(0, 0, 1)]))
    simulation.run(0.1)
    contacts = simulation.contacts()
    assert contacts.pair.shape == (0, 2)
    assert contacts.point.shape == (0, 4, 3)


def test_places_without_a_point_carry_nothing() -> None:
    # A block that rests across the rim of another has fewer than four points with the floor, or none.
    simulation = Simulation(jenga_tower(2).without("L00_0"))
    simulation.run(0.3)
    contacts = simulation.contacts()
    missing = np.isnan(contacts.point).any(axis=2)
    assert (contacts.normal_force[missing] == 0).all()
    assert (contacts.normal_force >= 0).all()
