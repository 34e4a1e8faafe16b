"""The validation table: every row passes, and each would fail if the engine were wrong."""

import json
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from anastylosis.errors import InvalidInput, SimulationDiverged
from anastylosis.physics import Simulation
from anastylosis.validation import validate
from anastylosis.validation.check import Check, Experiment, bound, compare, report
from anastylosis.validation.checks import collapse, free_motion, friction, impact, peer, place, pulling, residual, towers
from anastylosis.validation.energy_gain import EnergyGain

NAMES = [name for experiment in validate.EXPERIMENTS for name in experiment.names]


@pytest.mark.slow
def test_the_quick_table_passes_and_prints_the_promised_json(call_main, capsys) -> None:
    code = call_main("validate --quick --json")
    out, err = capsys.readouterr()
    document = json.loads(out)
    failed = [row for row in document["checks"] if not row["passed"]]
    assert failed == []
    assert document["passed"] is True
    assert code == 0
    assert [row["name"] for row in document["checks"]] == NAMES
    for row in document["checks"]:
        assert set(row) == set(Check._fields)
        assert all(row[key] is None or isinstance(row[key], float) for key in ("expected", "measured", "error", "tolerance"))
    assert all(name in err for name in NAMES)


def test_names_are_unique_lower_case_words() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789._") for name in NAMES)


def test_only_runs_what_was_asked_for(monkeypatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(validate, "is_compiled", lambda room: True)
    checks = validate.run_checks(quick=True, only="Free_Fall", progress=told.append)
    assert [check.name for check in checks] == ["free_fall"]
    assert told == ["free_fall"]  # what is printed, not all that the experiment fills


def test_a_first_run_says_that_it_compiles_before_it_names_a_check(monkeypatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(validate, "is_compiled", lambda room: False)
    monkeypatch.setattr(validate, "warm_up", lambda: told.append("(a minute later)"))
    validate.run_checks(quick=True, only="free_fall", progress=told.append)
    assert told == ["compiling the kernels", "(a minute later)", "free_fall"]


@pytest.mark.parametrize(
    ("word", "instead"),
    [
        ("nonsense", "names begin with: free, tumbling, slope, "),
        ("equilibrum", "did you mean equilibrium or "),
        ("free_fal_", "did you mean free_fall"),
        ("towers", "did you mean tower or "),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(word: str, instead: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        validate.run_checks(only=word)
    assert str(refusal.value).startswith(f"no check has {word!r} in its name; {instead}")
    assert len(str(refusal.value)) < 300  # not all of them


def test_a_world_that_diverges_fails_its_rows_and_no_others(monkeypatch) -> None:
    def diverge(quick: bool) -> list[Check]:
        raise SimulationDiverged(world=0, step=7, block=3, block_id="L01_0")

    monkeypatch.setattr(validate, "EXPERIMENTS", (Experiment(("a", "b"), diverge), *free_motion.EXPERIMENTS[:1]))
    first, second, *others = validate.run_checks(quick=True)
    assert (first.name, first.passed, second.name, second.passed) == ("a", False, "b", False)
    assert "step 7" in first.note
    assert others
    assert all(check.passed for check in others)


def test_what_is_not_a_number_fails() -> None:
    assert not compare("x", 1.0, math.nan, 1.0, "m").passed
    assert not bound("x", math.nan, 1.0, "m").passed
    assert report("x", math.nan, "m").passed


def change_friction(simulation: Simulation) -> None:
    simulation.model.friction[:] *= 0.97


def change_gravity(simulation: Simulation) -> None:
    simulation._stepper.settings = simulation._stepper.settings._replace(gravity_z=1.02 * simulation._stepper.settings.gravity_z)


def change_restitution(simulation: Simulation) -> None:
    simulation.model.restitution[:] *= 0.9


def change_inertia(simulation: Simulation) -> None:
    simulation.model.inverse_inertia[..., 0] *= 1.05


def add_weight(simulation: Simulation) -> None:
    simulation.model.inverse_mass[:, :-1] /= 1.02


def widen_blocks(simulation: Simulation) -> None:
    simulation.model.half[:, :-1, 0] *= 1.02


def tilt_floor(simulation: Simulation) -> None:
    simulation._stepper.settings = simulation._stepper.settings._replace(gravity_x=0.5 * 9.81)  # above mu = 0.4


def push_sideways(simulation: Simulation) -> None:
    simulation.control.force[..., 0] = 0.05


@pytest.mark.parametrize(
    ("sabotage", "module", "name"),
    [
        (change_gravity, free_motion, "free_fall"),
        (push_sideways, free_motion, "free_flight"),
        (change_inertia, free_motion, "free_precession"),
        (change_friction, friction, "slope_sticks_at_0.98_mu"),
        (change_friction, friction, "slope_slides_at_1.02_mu"),
        (change_friction, friction, "slide_deceleration_0_deg"),
        (push_sideways, friction, "slide_heading_45_deg"),
        (widen_blocks, friction, "toppling_angle"),
        (change_restitution, impact, "bounce_e_0.5"),
        (change_restitution, impact, "bounce_height_e_0.8"),
        (change_restitution, impact, "hit_exchange"),
        (add_weight, impact, "dropped_stack_energy_lost_e_0.1"),
        (add_weight, pulling, "ziglar_cell_width_mu_0.4"),
        (change_friction, pulling, "ziglar_cell_length_mu_0.6"),
        (change_friction, pulling, "tower_pull_side"),
        (add_weight, towers, "weight_on_floor"),
        (tilt_floor, towers, "tower_6_stands"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__.rpartition(".")[2],
)
def test_a_broken_engine_fails(monkeypatch, sabotage: Callable[[Simulation], None], module, name: str) -> None:
    class Broken(Simulation):
        def __init__(self, *arguments, **options) -> None:
            super().__init__(*arguments, **options)
            sabotage(self)

    monkeypatch.setattr(module, "Simulation", Broken)
    (check,) = (check for check in validate.run_checks(quick=True, only=name) if check.name == name)
    assert not check.passed, check


def test_the_turn_of_a_block_is_measured() -> None:
    simulation = Simulation(place.place_boxes((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)))
    angle = 1e-7  # far below where the arc cosine of a scalar part could see it
    simulation.state.orientation[0, 1] = math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0
    np.testing.assert_allclose(place.turned_by(simulation), [0.0, angle], rtol=1e-6, atol=1e-15)


def test_equal_distributions_are_told_from_shifted_ones() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=50), rng.normal(size=50)
    assert peer.compare_distributions("same", first, second, "1").passed
    assert not peer.compare_distributions("shifted", first, second + 1.0, "1").passed
    # Largest difference of two staircases, by hand: after 2 all of the first are below, one half of the second.
    assert peer.distribution_distance(np.array([1.0, 2.0]), np.array([1.5, 3.0])) == pytest.approx(0.5)


def test_without_mujoco_the_rows_say_so(monkeypatch) -> None:
    monkeypatch.setattr(peer, "installed_peers", list)
    rows = validate.run_checks(quick=True, only="mujoco")
    assert len(rows) == len(peer.STATISTICS)
    assert all(row.passed and math.isnan(row.measured) and "pip install" in row.note for row in rows)


def test_a_collapse_is_watched_in_every_substep(monkeypatch) -> None:
    scene, frames = replace(collapse.collapse_scenes(1)[0], seconds=0.05), []
    monkeypatch.setattr(collapse, "deepest_penetration", lambda position, *_: frames.append(len(position)) or np.zeros(1))
    collapse.watch_collapse(scene)
    assert sum(frames) == round(0.05 / Simulation(scene.structure).config.substep)


def test_energy_from_nowhere_is_seen() -> None:
    simulation = Simulation(place.place_boxes((0.0, 0.0, 1.0)))
    gain = EnergyGain(simulation)
    simulation.run(0.1)
    gain.look()
    assert gain.share == 0.0  # falling only turns one energy into the other, and Euler loses a little
    simulation.state.velocity[0, 0, 2] *= 2
    gain.look()
    # m g z at the start, and v = g t doubled: 3/2 v^2 / (g z).
    assert gain.share == pytest.approx(1.5 * 0.981**2 / 9.81, rel=1e-3)


def test_residual_rows_are_reported_as_found() -> None:
    rows = residual.measure_residual(True)
    assert [row.name for row in rows] == list(residual.NAMES)
    assert all(row.passed and row.tolerance == math.inf for row in rows)
