"""Registration of the environment, by name only: the engine is loaded when one is made."""

from anastylosis.errors import MissingExtra

try:
    import gymnasium
except ImportError as error:
    raise MissingExtra("Gymnasium", "gym") from error

TOWER_ID = "anastylosis/Tower-v0"


def register_tower() -> None:
    """Register the tower, unless it is registered already."""
    if TOWER_ID not in gymnasium.registry:
        gymnasium.register(TOWER_ID, entry_point="anastylosis.environment.tower:TowerEnvironment")
