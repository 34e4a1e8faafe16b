"""Physics: rigid bodies, contacts and friction, in many worlds at once."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.physics.compilation import warm_up
    from anastylosis.physics.config import EngineConfig, default_config, paper_config
    from anastylosis.physics.lockstep import Lockstep
    from anastylosis.physics.simulation import Frames, Simulation

__all__ = ["EngineConfig", "Frames", "Lockstep", "Simulation", "default_config", "paper_config", "warm_up"]

__getattr__, __dir__ = load_on_demand(__name__)
