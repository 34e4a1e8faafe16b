"""Energy gain of a world, from nowhere."""

from anastylosis.physics import Simulation


class EnergyGain:
    """Largest rise of the energy above its lowest value so far, as a share of the energy at the start.

    Without forces from outside the energy only falls: friction and impacts take, nothing gives.
    """

    def __init__(self, simulation: Simulation, world: int = 0) -> None:
        self.simulation, self.world = simulation, world
        self.start = self.lowest = float(simulation.energy()[world])
        self.rise = 0.0  # [J]

    def look(self) -> None:
        """Take the energy of this instant into account."""
        energy = float(self.simulation.energy()[self.world])
        self.rise = max(self.rise, energy - self.lowest)
        self.lowest = min(self.lowest, energy)

    @property
    def share(self) -> float:
        """Return the largest rise over the energy at the start."""
        return self.rise / self.start
