"""How blocks move: rigid bodies, contacts, friction, in many worlds at once."""

from anastylosis.physics.config import EngineConfig, default_config, paper_config
from anastylosis.physics.forces import ContactForces
from anastylosis.physics.simulation import Frames, Simulation, warm_up

__all__ = ["ContactForces", "EngineConfig", "Frames", "Simulation", "default_config", "paper_config", "warm_up"]
