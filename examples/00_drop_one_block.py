"""Drop one block and check the fall by the closed form.

    python examples/00_drop_one_block.py

A block of the Jenga tower falls flat from 10 cm. Until it lands, its height is h - g t²/2; it lands after √(2 h / g), and
bounces to e² h, because it leaves the floor with e times the speed of its approach. Then it lies on the floor.
"""

import math

import numpy as np

from anastylosis import Simulation, jenga_tower

HEIGHT, GRAVITY, SECONDS = 0.10, 9.81, 0.5  # [m] under the block, [m/s²], [s]


def main() -> None:
    block = jenga_tower(layers=1).select([1])  # the middle one of a tower of one layer
    half = block.blocks.size[0, 2] / 2
    sim = Simulation(block.at(np.add(block.position, (0, 0, HEIGHT)), block.orientation))
    frames = sim.run(SECONDS, record_every=1)
    time = (np.arange(len(frames.position)) + 1) * sim.config.timestep
    gap = frames.position[:, 0, 0, 2] - half  # frames, worlds, blocks, x y z

    landed = int(np.argmax(np.diff(gap) > 0))  # the first step after which it rises
    closed = math.sqrt(2 * HEIGHT / GRAVITY)
    error = np.abs(gap[:landed] - (HEIGHT - GRAVITY * time[:landed] ** 2 / 2)).max()
    restitution = math.sqrt(block.blocks.restitution[0] * block.floor.restitution)
    bounce = gap[landed:].max()
    print(f"One block of {1e3 * block.blocks.mass[0]:.1f} g falls from {1e3 * HEIGHT:.0f} mm.")
    print(f"  lands after       {time[landed]:.4f} s   (closed form {closed:.4f} s; a step is {sim.config.timestep:.4f} s)")
    print(f"  off the parabola  {1e3 * error:.3f} mm at most, before it lands")
    print(f"  bounces to        {1e3 * bounce:.2f} mm   (closed form {1e3 * restitution**2 * HEIGHT:.2f} mm)")
    print(f"  lies at rest      {1e3 * gap[-1]:.3f} mm above the floor, {sim.kinetic_energy()[0]:.1e} J left")


if __name__ == "__main__":
    main()
