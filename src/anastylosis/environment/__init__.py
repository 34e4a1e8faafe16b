"""Environment: the game of pulling blocks, for players that learn. Importing this room registers it with Gymnasium.

    import gymnasium

    env = gymnasium.make("anastylosis.environment:anastylosis/Tower-v0", layers=6)

Gymnasium loads the part before the colon by itself; nothing else of the package loads this room.
"""

from typing import TYPE_CHECKING

from anastylosis.environment.registration import register_tower
from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.environment.tower import TowerEnvironment

__all__ = ["TowerEnvironment"]

__getattr__, __dir__ = load_on_demand(__name__)

register_tower()
