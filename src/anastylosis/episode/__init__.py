"""Episodes: one game from a standing tower to rest, in which blocks are really pulled out."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.episode.collapse import Criterion
    from anastylosis.episode.config import FRICTION_LEVELS, EpisodeConfig, default_episode, paper_episode
    from anastylosis.episode.game import Game
    from anastylosis.episode.play import episode_seed, play_round, run_episode, start_game, take_block
    from anastylosis.episode.pulls import Pull, list_pulls
    from anastylosis.episode.record import Episode, Round
    from anastylosis.episode.recorder import EpisodeFrames
    from anastylosis.episode.variation import learning_variation, vary_tower

__all__ = [
    "FRICTION_LEVELS",
    "Criterion",
    "Episode",
    "EpisodeConfig",
    "EpisodeFrames",
    "Game",
    "Pull",
    "Round",
    "default_episode",
    "episode_seed",
    "learning_variation",
    "list_pulls",
    "paper_episode",
    "play_round",
    "run_episode",
    "start_game",
    "take_block",
    "vary_tower",
]

__getattr__, __dir__ = load_on_demand(__name__)
