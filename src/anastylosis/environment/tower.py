"""The tower as an environment of Gymnasium: an action pulls a block, and the engine of the episodes plays it out."""

from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from anastylosis.arrays import Integers
from anastylosis.episode import EpisodeConfig, Game, Pull, list_pulls, start_game, take_block
from anastylosis.errors import InvalidInput
from anastylosis.rendering import make_look, render_image, still_camera
from anastylosis.structure import BLOCKS_PER_COURSE

Observation = Literal["state", "rgb"]
Seen = dict[str, np.ndarray] | np.ndarray

WAYS = 3  # to pull a block: 0 and 1 along its length, to either end, and 2 across, out of the tower
TAKEN, FELL = 1.0, -1.0  # rewards; a block that is stuck or may not be pulled gives 0
FARTHEST = 100.0  # [m] bound of positions: beyond where any block goes, and finite, as Gymnasium wants it
RENDER_SIZE = 480  # [pixels] sides of what `render` returns
SIZES = (16, 2048)  # [pixels] least and largest sides of an rgb observation
SEED_END = 2**63  # seeds of games that `reset` draws are below this


class TowerEnvironment(gymnasium.Env[Any, np.int64]):
    """One game of pulling blocks. Rules, physics and ends are those of `episode.run_episode`.

    An action is a whole number, `WAYS * row + way`: the row of the block in the tower as it was built, and the way it is
    pulled. `info["action_mask"]` has 1 for what is allowed. The reward is 1 for a block that is out while the tower stands,
    -1 for the pull that makes it fall, else 0. The game ends (terminated) when the tower falls or no pull is left, and is
    cut short (truncated) after `config.rounds` pulls. A pull that is not allowed is a round, too, and changes nothing.

    `observation`: *state* gives a dict of position (B, 3) [m], orientation (B, 4) wxyz and present (B,), zeros for blocks
    that are gone; *rgb* gives the picture (size, size, 3) of the still camera.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 1}  # type: ignore[misc]

    def __init__(
        self,
        config: EpisodeConfig | None = None,
        *,
        observation: Observation = "state",
        size: int = 128,
        look: str = "wood",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """Prepare a game of `config`, or of an `EpisodeConfig` with these settings, such as `layers=6`."""
        if config is not None and settings:
            raise InvalidInput(f"there is a config, and {', '.join(sorted(settings))} beside it; put everything into the config")
        if unknown := settings.keys() - EpisodeConfig.__dataclass_fields__.keys():
            raise InvalidInput(f"{', '.join(sorted(unknown))} is no setting; choose from the fields of EpisodeConfig")
        self.config = config or EpisodeConfig(**settings)
        if observation not in ("state", "rgb"):
            raise InvalidInput(f"observation is {observation!r}; choose state or rgb")
        if observation == "rgb" and not (isinstance(size, int) and SIZES[0] <= size <= SIZES[1]):
            raise InvalidInput(f"size is {size!r}; an rgb observation has {SIZES[0]} to {SIZES[1]} pixels a side")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise InvalidInput(f"render_mode is {render_mode!r}; choose rgb_array, or leave it out")
        make_look(look, 0)  # refuses a name that is none
        self.observation, self.size, self.look, self.render_mode = observation, size, look, render_mode
        self.blocks = BLOCKS_PER_COURSE * self.config.layers
        self.actions = WAYS * self.blocks
        self.action_space = spaces.Discrete(self.actions)
        self.observation_space = self.build_space()
        self.game: Game | None = None
        self.over = True

    def build_space(self) -> spaces.Space[Any]:
        """Build the space of observations."""
        if self.observation == "rgb":
            return spaces.Box(0, 255, (self.size, self.size, 3), np.uint8)
        return spaces.Dict(
            position=spaces.Box(-FARTHEST, FARTHEST, (self.blocks, 3), np.float32),
            orientation=spaces.Box(-1.0, 1.0, (self.blocks, 4), np.float32),
            present=spaces.MultiBinary(self.blocks),
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Build a tower and let it settle. A `seed` builds the tower of `run_episode(config, seed)`, none builds the next one."""
        super().reset(seed=seed)
        self.game_seed = int(self.np_random.integers(SEED_END)) if seed is None else int(seed)
        self.game, _ = start_game(self.config, self.game_seed)
        self.rounds, self.given_up = 0, frozenset[str]()
        self.pulls = self.list_actions()
        self.over = False  # a tower that fell while it settled has no action, and ends at the first one
        return self.observe(), self.describe()

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Pull a block, and wait for rest."""
        if self.game is None or self.over:
            raise ResetNeeded("the game is over, or none has begun; call reset first")
        if not self.action_space.contains(action):
            raise InvalidInput(f"action is {action!r}; give a whole number, 0 to {self.actions - 1}")
        pull, told = self.pulls.get(int(action)), {"outcome": "not allowed"}
        if pull is not None:
            told = self.play(self.game, pull)
        self.rounds += 1
        self.pulls = self.list_actions()
        fell = told["outcome"] == "collapse"
        reward = FELL if fell else TAKEN if told["outcome"] == "out" else 0.0
        terminated = fell or not self.pulls
        truncated = not terminated and self.rounds >= self.config.rounds
        self.over = terminated or truncated
        return self.observe(), reward, terminated, truncated, told | self.describe()

    def play(self, game: Game, pull: Pull) -> dict[str, Any]:
        """Take a block; return the outcome and the forces."""
        extraction = take_block(game, pull).extraction
        outcome = "collapse" if game.recorder.collapse else extraction.outcome
        # A stuck block may have come loose once the tower has changed, as for the players of `run_episode`.
        self.given_up = self.given_up | {pull.block} if outcome == "stuck" else frozenset()
        return {
            "outcome": outcome,
            "block": pull.block,
            "axis": pull.axis,
            "sign": pull.sign,
            "peak_force": float(extraction.peak_force),
            "work": float(extraction.work),
        }

    def list_actions(self) -> dict[int, Pull]:
        """List the pulls that are allowed now, by action."""
        assert self.game is not None
        if self.game.recorder.collapse:
            return {}
        pulls = list_pulls(self.game.standing(), self.config.protected_layers, self.given_up)
        return {self.encode(pull): pull for pull in pulls}

    def encode(self, pull: Pull) -> int:
        """Return the action of a pull."""
        assert self.game is not None
        way = 2 if pull.axis == "x" else int(pull.sign > 0)
        return WAYS * self.game.tower.index(pull.block) + way

    def observe(self) -> Seen:
        """Return what a player sees now."""
        if self.observation == "rgb":
            return self.draw(self.size)
        assert self.game is not None
        poses = self.game.look().poses
        there = poses.present[:, None]
        return {
            "position": np.where(there, poses.position, 0.0).astype(np.float32),
            "orientation": np.where(there, poses.orientation, 0.0).clip(-1.0, 1.0).astype(np.float32),
            "present": poses.present.astype(np.int8),
        }

    def describe(self) -> dict[str, Any]:
        """Describe the game beside the observation: seed, rounds, and what is allowed."""
        mask = np.zeros(self.actions, np.int8)
        actions: Integers = np.fromiter(self.pulls, np.int64, len(self.pulls))
        mask[actions] = 1
        return {"action_mask": mask, "seed": self.game_seed, "rounds": self.rounds}

    def draw(self, size: int) -> np.ndarray:
        """Draw the blocks as they are, seen by the still camera."""
        assert self.game is not None
        poses, paint = self.game.look().poses, make_look(self.look, self.game_seed)
        return render_image(
            self.game.tower.blocks.size, poses.position, poses.orientation, still_camera(size), paint,
            present=poses.present, antialias=2,
        ).rgb  # fmt: skip

    def render(self) -> np.ndarray | None:
        """Return a picture (480, 480, 3) of the blocks; None without a render mode."""
        if self.render_mode is None:
            return None
        if self.game is None:
            raise ResetNeeded("there is no tower yet; call reset first")
        return self.draw(RENDER_SIZE)
