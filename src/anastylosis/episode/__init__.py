"""Episodes: one game from a standing tower to rest, in which blocks are really pulled out."""

from anastylosis.episode.annotation import annotate
from anastylosis.episode.collapse import Criterion
from anastylosis.episode.config import FRICTION_LEVELS, EpisodeConfig, default_episode, paper_episode
from anastylosis.episode.play import run_episode
from anastylosis.episode.policies import policy_names
from anastylosis.episode.pulls import GameView, Pull
from anastylosis.episode.record import Episode, Labels, Poses, Round, Statics
from anastylosis.episode.recorder import EpisodeFrames
from anastylosis.episode.variation import Variation, learning_variation

__all__ = [
    "FRICTION_LEVELS",
    "Criterion",
    "Episode",
    "EpisodeConfig",
    "EpisodeFrames",
    "GameView",
    "Labels",
    "Poses",
    "Pull",
    "Round",
    "Statics",
    "Variation",
    "annotate",
    "default_episode",
    "learning_variation",
    "paper_episode",
    "policy_names",
    "run_episode",
]
