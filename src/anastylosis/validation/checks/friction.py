"""Friction and balance of one block on the floor, level or sloping."""

import math
from functools import partial

import numpy as np

from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import BLOCK_SIZE
from anastylosis.validation.check import Check, Experiment, bound, compare
from anastylosis.validation.checks.place import FRICTION, place_boxes, tilted, turned_by
from anastylosis.validation.scene import GRAVITY

LENGTH, WIDTH, HEIGHT = BLOCK_SIZE


def measure_slope(quick: bool) -> list[Check]:
    """Check that a block sticks on a slope of tan(theta) = 0.98 mu and slides on one of 1.02 mu."""
    seconds, moved = 1.0, []
    angles = [math.atan(share * FRICTION) for share in (0.98, 1.02)]
    for angle in angles:
        simulation = Simulation(place_boxes((0.0, 0.0, HEIGHT / 2), friction=FRICTION), EngineConfig(gravity=tilted(angle)))
        simulation.run(seconds)
        moved.append(simulation.state.position[0, 0, 0])
    # s = a t^2 / 2 with a = g (sin theta - mu cos theta): the small difference of two large forces, so that an error
    # of 0.02 % in the friction is one of 1 % in the way, which is what is allowed.
    way = GRAVITY * (math.sin(angles[1]) - FRICTION * math.cos(angles[1])) * seconds**2 / 2
    return [
        bound("slope_sticks_at_0.98_mu", abs(moved[0]), 1e-6, "mm"),
        compare("slope_slides_at_1.02_mu", way, moved[1], 0.01 * way, "mm"),
    ]


def measure_deceleration(degrees: float, quick: bool) -> list[Check]:
    """Measure how a sliding block slows: by mu g against its motion, whatever its direction in its own plane."""
    seconds, speed = 0.2, 1.0
    heading = math.radians(degrees)
    simulation = Simulation(place_boxes((0.0, 0.0, HEIGHT / 2), friction=FRICTION))
    simulation.run(simulation.config.timestep)
    simulation.state.velocity[0, 0] = speed * math.cos(heading), speed * math.sin(heading), 0.0
    before = simulation.state.velocity[0, 0].copy()
    simulation.run(seconds)
    after = simulation.state.velocity[0, 0]
    slowed = np.linalg.norm(after - before) / seconds
    # dv = -mu g t v / |v|, exact for any step: normal and friction are constant. A friction box instead of a cone slows
    # by up to 1.41 mu g; a friction that does not point against the slip bends the path.
    expected = FRICTION * GRAVITY
    return [
        compare(f"slide_deceleration_{degrees:g}_deg", expected, slowed, 0.001 * expected, "m/s^2"),
        compare(f"slide_heading_{degrees:g}_deg", heading, math.atan2(after[1], after[0]), math.radians(0.1), "deg"),
    ]


def measure_toppling(quick: bool) -> list[Check]:
    """Check that an upright block falls over once its centre of mass passes its edge: tan(theta) = width / length."""
    expected = math.atan(WIDTH / LENGTH)
    low, high = 0.9 * expected, 1.1 * expected
    for _ in range(7 if quick else 11):
        angle = (low + high) / 2
        upright = place_boxes((0.0, 0.0, LENGTH / 2), size=(WIDTH, HEIGHT, LENGTH), friction=2 * math.tan(expected))
        simulation = Simulation(upright, EngineConfig(gravity=tilted(angle)))
        # Falling grows as exp(t sqrt(3 g / (4 r))), r = 43 mm half a diagonal: a thousandfold in 0.6 s.
        simulation.run(1.5)
        low, high = (low, angle) if turned_by(simulation)[0] > math.radians(10) else (angle, high)
    # A gap below the engine's skin bears load, so the edge is sharp to skin / length.
    tolerance = (high - low) + math.radians(0.05)
    return [compare("toppling_angle", expected, (low + high) / 2, tolerance, "deg")]


EXPERIMENTS = (
    Experiment(("slope_sticks_at_0.98_mu", "slope_slides_at_1.02_mu"), measure_slope),
    *(
        Experiment(
            (f"slide_deceleration_{degrees:g}_deg", f"slide_heading_{degrees:g}_deg"), partial(measure_deceleration, degrees)
        )
        for degrees in (0.0, 22.5, 45.0)
    ),
    Experiment(("toppling_angle",), measure_toppling),
)
