"""Two small towers stepped by `Simulation`, printed to the last bit: run on the CPU, and in numba's CUDA simulator as a process
of its own, `python tests/support/simulated_gpu.py cuda`."""

import json
import sys

import numpy as np

from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import jenga_tower
from support.worlds import kick

# Kernels in Python are a thousand times slower: few substeps, and no search for the forces at rest, which takes 3,000 passes.
QUICK = EngineConfig(substeps=2, iterations=2, push_passes=1, seed_passes=0)


def step_two_towers(device: str) -> dict[str, object]:
    """Poses, frames, forces: a block is pulled in one world, taken away in the other."""
    towers = [jenga_tower(1, friction=mu) for mu in (0.3, 0.5)]
    simulation = kick(Simulation(towers, QUICK, device=device, pairs_per_block=1), [1, 2], 0.2)
    simulation.pull("L00_1", (1, 0, 0), 0.1, 0.5, world=1)
    frames = simulation.run(2 / 240, record_every=1)
    simulation.remove("L00_0", world=0)  # what a hand changes between two calls is sent
    simulation.state.velocity[1, 2] = (0.0, 0.1, 0.0)
    simulation.run(1 / 240)
    _, ends, _ = simulation._stepper.advance(np.array([0, 1]), np.zeros(2, bool), 0)  # the first world is masked
    return {
        "ends": ends.tolist(),
        "hash": simulation.state_hash(),
        "frames": [array.tolist() for array in frames],
        "forces": [np.nan_to_num(part).tolist() for part in simulation.contacts(1)[:-1]],
        "servo": simulation.servo_force("L00_1", world=1),
        "asleep": simulation.asleep().tolist(),
        "time": simulation.time,
    }


if __name__ == "__main__":
    json.dump(step_two_towers(sys.argv[1]), sys.stdout)
