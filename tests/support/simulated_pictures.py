"""Two small worlds photographed by `render_worlds`, printed to the last bit: run on the CPU, and in numba's CUDA simulator as a
process of its own, `python tests/support/simulated_pictures.py cuda`."""

import json
import sys
from dataclasses import replace

from anastylosis.errors import InvalidStructure
from anastylosis.physics import Simulation
from anastylosis.rendering import Camera, Sensor, render_worlds
from anastylosis.rendering.look import stone_look, wood_look
from anastylosis.structure import jenga_tower
from support.simulated_gpu import QUICK
from support.worlds import kick

# Near enough to see the grain; the shadows of the blocks fall into the picture.
CAMERAS = [
    Camera(eye=(0.13, -0.11, 0.10), target=(0.0, 0.0, 0.005), field_of_view=0.7, width=12, height=8),
    Camera(eye=(-0.10, -0.02, 0.16), target=(0.0, 0.01, 0.0), field_of_view=0.8, width=12, height=8),
]
LOOKS = [wood_look(3), replace(stone_look(4), light_elevation=0.6)]
SENSOR = Sensor(seed=1, blur=0.4, noise=0.01)


def photograph_two_towers(device: str) -> dict[str, object]:
    """Pictures after a step, and after a hand has moved a block and taken another away; what is said of a world that cannot be
    drawn."""
    simulation = kick(Simulation([jenga_tower(1)] * 2, QUICK, device=device, pairs_per_block=1), [1, 2], 0.2)
    simulation.run(1 / 240)
    pictures = [render_worlds(simulation.poses(), CAMERAS, LOOKS, antialias=2, shadows="soft", ids=True, depth=True)]
    simulation.remove("L00_1", world=1)
    simulation.state.position[0, 2] = (0.02, 0.03, 0.05)
    simulation.state.orientation[0, 2] = (0.8, 0.4, 0.2, 0.4)  # of unit length
    pictures.append(render_worlds(simulation.poses(), CAMERAS[0], LOOKS, sensors=SENSOR, ids=True))
    simulation.state.present[1] = False
    try:
        render_worlds(simulation.poses(), CAMERAS, LOOKS)
    except InvalidStructure as error:
        refused = str(error)
    return {
        "device": simulation.poses().device,
        "pictures": [[None if part is None else part.tolist() for part in picture] for picture in pictures],
        "refused": refused,
    }


if __name__ == "__main__":
    json.dump(photograph_two_towers(sys.argv[1]), sys.stdout)
