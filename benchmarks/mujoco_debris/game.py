"""Game: the fatal pull of one of our episodes, done again by the same hand and the same rules, in MuJoCo or in our engine."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from anastylosis.episode import EpisodeConfig, Pull, Round
from anastylosis.episode.game import Game, Snapshot
from anastylosis.episode.label import label_episode
from anastylosis.episode.play import play_round
from anastylosis.episode.record import Labels, Poses
from anastylosis.episode.recorder import Recorder
from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import Blocks, Floor, Structure

from .world import MujocoWorld

__all__ = ["Fall", "Outcome", "fell_by_a_pull", "replay_in_mujoco", "replay_in_ours"]

Outcome = Literal["collapse", "out", "stuck", "untouched"]
MakeWorld = Callable[[Structure, NDArray[np.bool_], EngineConfig], Any]

SETTLE = 1.0  # [s] longest wait before the pull: in MuJoCo some slippery towers tremble on, and walk 2 mm a second
REST_ENERGY = 1e-5  # [J] of all blocks: what stands or lies in MuJoCo trembles at 1e-7..3e-6 J; ours rests below 1e-7 J
PARK = 10.0, 0.1  # [m] height of blocks that are gone, and between them: rows of arrays that nothing looks at


@dataclass(frozen=True, kw_only=True, eq=False)
class Fall:
    """What an engine made of a standing tower and a pull."""

    outcome: Outcome  # untouched: it fell before the pull
    game: Game
    settle_drift: float  # largest way of a block before the pull [m]
    played: Round | None  # None: untouched
    labels: Labels


class Replay(Game):
    """A game that begins with a tower which stood elsewhere: it is put down, and settles."""

    def __init__(self, config: EpisodeConfig, tower: Structure, stood: Snapshot, make_world: MakeWorld) -> None:
        self.config, self.tower = config, tower
        self.simulation = make_world(stood.arrange(tower), stood.poses.present, config.engine)
        self.recorder = Recorder(self.simulation, config.collapse, config.record_every)
        self.course, self.place = stood.course.copy(), stood.place.copy()
        self.begin_round()
        self.wait(min(SETTLE, config.settle_round))


def fell_by_a_pull(document: dict[str, Any]) -> bool:
    """True for an episode that has a fatal pull; some towers fall before they are touched, others never."""
    return document["labels"]["fatal_block"] is not None


def replay_in_mujoco(document: dict[str, Any], config: EpisodeConfig) -> Fall:
    """Put the tower of an annotation, as it stood before the fatal pull, into MuJoCo, and pull there."""
    patience = replace(config, rest_energy=REST_ENERGY)
    return replay(document, patience, read_snapshot(document["labels"]), MujocoWorld)


def replay_in_ours(document: dict[str, Any], config: EpisodeConfig, jitter: float, rng: np.random.Generator) -> Fall:
    """The same in our engine, every block moved along x and y by `jitter` [m], one standard deviation."""
    stood = read_snapshot(document["labels"])
    stood.poses.position[:, :2] += jitter * rng.standard_normal((len(stood.course), 2))
    return replay(document, config, stood, our_world)


def our_world(tower: Structure, present: NDArray[np.bool_], engine: EngineConfig) -> Simulation:
    """A world of our own engine, without the blocks that are gone."""
    simulation = Simulation(tower, engine)
    simulation.state.present[0] = present
    return simulation


def replay(document: dict[str, Any], config: EpisodeConfig, stood: Snapshot, make_world: MakeWorld) -> Fall:
    """Settle, then do the pull that was fatal."""
    game = Replay(config, build_tower(document, config), stood, make_world)
    way = game.look().poses.position - stood.poses.position
    drift = float(np.linalg.norm(way, axis=1)[stood.poses.present].max())
    played = None
    if not game.recorder.collapse:
        last = document["rounds"][-1]
        played = play_round(game, Pull(last["removed_block"], last["axis"], last["sign"]))
    outcome: Outcome = played.outcome if played else "untouched"
    labels = label_episode(game, [played] if played else [])
    return Fall(outcome=outcome, game=game, settle_drift=drift, played=played, labels=labels)


def build_tower(document: dict[str, Any], config: EpisodeConfig) -> Structure:
    """The blocks of an annotation in the slots they were built in; poses come with the snapshot."""
    count, restitution = len(document["blocks"]), document["restitution"]
    position, orientation = park(count)
    return Structure(
        blocks=Blocks(
            size=np.array(document["sizes"]),
            mass=np.array(document["masses"]),
            friction=np.array(document["frictions"]),
            restitution=np.full(count, restitution),
        ),
        ids=tuple(document["blocks"]),
        course=np.arange(count) // 3,
        position=position,
        orientation=orientation,
        floor=Floor(friction=config.friction, restitution=restitution),
    )


def read_snapshot(labels: dict[str, Any]) -> Snapshot:
    """How the tower stood just before the fatal pull."""
    present = np.array(labels["standing"], bool)
    poses = park(len(present))
    for pose, name in zip(poses, ("positions", "quaternions"), strict=True):
        pose[present] = [each for each in labels["stood"][name] if each is not None]
    return Snapshot(Poses(*poses, present), np.array(labels["course"]), np.array(labels["place"]))


def park(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Poses of blocks that are gone: out of the way."""
    position = np.zeros((count, 3))
    position[:, 2] = PARK[0] + PARK[1] * np.arange(count)
    return position, np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
