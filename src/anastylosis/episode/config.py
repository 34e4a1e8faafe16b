"""Settings of an episode: the tower, the player, the hand that pulls, and when to stop waiting."""

import math
from dataclasses import dataclass, field
from typing import Literal

from anastylosis.arrays import Vector
from anastylosis.episode.collapse import Criterion
from anastylosis.episode.policies import find_policy
from anastylosis.episode.variation import Variation
from anastylosis.errors import InvalidConfig, InvalidStructure
from anastylosis.number import is_number, is_whole
from anastylosis.physics import EngineConfig, default_config, paper_config
from anastylosis.structure import BLOCK_SIZE, FRICTION_MAX, LAYERS_MAX, check_block_size

FRICTION_LEVELS = {"low": 0.25, "nominal": 0.40, "high": 0.60}  # Paper §1, §13
SPEED_MIN = 1e-3  # [m/s] slower, and one pull is minutes
PARTS = {
    "variation": (Variation, "a Variation, such as learning_variation()"),
    "collapse": (Criterion, "a Criterion, such as Criterion(displacement=0.5)"),
    "engine": (EngineConfig, "an EngineConfig, such as paper_config()"),
}
SETTLING = ("settle_start", "settle_round", "settle_collapse")


@dataclass(frozen=True, kw_only=True)
class EpisodeConfig:
    """One game from standing to rest. Lengths in metres, times in seconds, forces in newtons."""

    layers: int = 18  # Paper §3.1
    block_size: Vector = BLOCK_SIZE  # length, width, height of the blocks [m]
    friction: float = 0.40  # of all blocks and the floor. Paper, appendix A
    variation: Variation = field(default_factory=Variation)  # how blocks differ from each other; nothing, unless asked for

    policy: str = "random"  # who chooses; a file of episode/policies
    rule: Literal["take", "stack"] = "take"  # a block that is out is taken away (the paper), or goes on top (the real game)
    protected_layers: int = 2  # top layers that no block is taken from
    rounds: int = 100  # pulls after which the game ends

    pull_speed: float = 0.2  # [m/s] a brisk hand; 0.05..0.4 m/s: a tower lasts 4.9..5.6 +- 0.3 rounds
    pull_factor: float = 1.25  # largest force, in units of the load-aware threshold; a block that needs more is stuck
    stuck_time: float = 0.1  # [s] at the largest force without moving: stuck

    settle_start: float = 5.0  # [s] longest wait for rest before the first pull,
    settle_round: float = 5.0  # after a pull,
    settle_collapse: float = 15.0  # and after a collapse
    rest_energy: float = 1e-7  # [J] below this all is at rest. Paper §8.3
    rest_time: float = 0.25  # [s] for so long: a tower that begins to lean has little energy too

    collapse: Criterion = field(default_factory=Criterion)
    record_every: int = 8  # steps a frame: 30 frames a second
    engine: EngineConfig = field(default_factory=default_config)

    def __post_init__(self) -> None:
        if not is_whole(self.layers) or not 2 <= self.layers <= LAYERS_MAX:
            raise InvalidConfig(f"layers is {self.layers!r}; a game needs a whole number of layers, 2..{LAYERS_MAX}")
        try:
            object.__setattr__(self, "block_size", check_block_size(self.block_size))
        except InvalidStructure as error:
            raise InvalidConfig(str(error)) from error
        find_policy(self.policy)
        if self.rule not in ("take", "stack"):
            raise InvalidConfig(f"rule is {self.rule!r}; choose 'take' (taken away) or 'stack' (put on top)")
        for name, least in (("protected_layers", 0), ("rounds", 0), ("record_every", 1)):
            if not is_whole(getattr(self, name)) or getattr(self, name) < least:
                raise InvalidConfig(f"{name} is {getattr(self, name)!r}; it must be a whole number, at least {least}")
        if self.layers <= self.protected_layers:
            raise InvalidConfig(
                f"layers is {self.layers} and protected_layers {self.protected_layers}, so no block may be taken; "
                "layers must exceed protected_layers"
            )
        if self.rule == "stack" and self.protected_layers < 2:
            raise InvalidConfig(f"protected_layers is {self.protected_layers}; blocks that go on top need 2 layers to stand on")
        given: object = self.friction
        if isinstance(given, str) and given in FRICTION_LEVELS:
            raise InvalidConfig(f"friction is {given!r}; pass FRICTION_LEVELS[{given!r}], which is {FRICTION_LEVELS[given]:g}")
        if not is_number(self.friction) or not 0 < self.friction <= FRICTION_MAX:
            raise InvalidConfig(f"friction is {self.friction!r}; it must be a number above 0, and {FRICTION_MAX:g} at most")
        if not is_number(self.pull_speed) or not SPEED_MIN <= self.pull_speed < math.inf:
            raise InvalidConfig(
                f"pull_speed is {self.pull_speed!r}; it must be a number, at least {SPEED_MIN:g} m/s: a pull takes its time"
            )
        for name in ("pull_factor", "stuck_time", "rest_energy", "rest_time", *SETTLING):
            if not is_number(getattr(self, name)) or not 0 < getattr(self, name) < math.inf:
                raise InvalidConfig(f"{name} is {getattr(self, name)!r}; it must be a finite number above 0")
        for name, (kind, such_as) in PARTS.items():
            if not isinstance(getattr(self, name), kind):
                raise InvalidConfig(f"{name} is {getattr(self, name)!r}; pass {such_as}")


def default_episode(**changes: object) -> EpisodeConfig:
    """Return our settings: the default engine, and rest before anything else happens."""
    return EpisodeConfig(**changes)  # type: ignore[arg-type]


def paper_episode(**changes: object) -> EpisodeConfig:
    """Return the paper's settings: PGS with 3 substeps of 14 iterations; 70, 220 and 400 steps of waiting at most."""
    engine = paper_config()
    settling = dict(zip(SETTLING, (steps * engine.timestep for steps in (70, 220, 400)), strict=True))
    return EpisodeConfig(**({"engine": engine} | settling | changes))  # type: ignore[arg-type]
