"""One game, from a standing tower to rest. Paper §8, §13."""

import reprlib
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from anastylosis.episode.config import EpisodeConfig
from anastylosis.episode.game import Game, Simulate
from anastylosis.episode.hand import ACCELERATION, Extraction, pull_block
from anastylosis.episode.label import label_episode
from anastylosis.episode.policies import find_policy
from anastylosis.episode.pulls import GameView, Pull, list_pulls, outward
from anastylosis.episode.record import Ending, Episode, Round, Statics
from anastylosis.episode.variation import vary_tower
from anastylosis.errors import InvalidInput
from anastylosis.mechanics import CENTRE, Interface, Move, classify_move, find_interfaces, measure_balance
from anastylosis.number import is_whole
from anastylosis.physics import Simulation
from anastylosis.structure import Structure


def run_episode(
    config: EpisodeConfig,
    seed: int,
    on_round: Callable[[Round], None] = lambda played: None,
    simulate: Simulate = Simulation,
) -> Episode:
    """Build, settle, and take blocks until the tower falls, no pull is left, or the rounds are over.

    The same `config` and `seed` give the same episode, bit for bit. `on_round` is told of each round as it ends; `simulate` makes
    the world it is played in.
    """
    game, player = start_game(config, seed, simulate)
    rounds: list[Round] = []
    for played in islice(play_rounds(game, player), config.rounds):
        rounds.append(played)
        on_round(played)
    collapse = game.recorder.collapse
    ending: Ending = "collapse" if collapse else "no_move" if len(rounds) < config.rounds else "round_limit"
    return Episode(
        config=config,
        seed=seed,
        structure=game.tower,
        rounds=tuple(rounds),
        ending=ending,
        collapse_time=collapse.time if collapse else np.nan,
        at_rest=game.at_rest,
        energy=float(game.simulation.kinetic_energy()[0]),
        labels=label_episode(game, rounds),
        frames=game.recorder.frames(),
    )


def episode_seed(seed: int, index: int, stream: int = 0) -> int:
    """Return the seed of episode `index`: independent of all others, of other streams, and of how many there are."""
    return int(np.random.SeedSequence((seed, index, stream)).generate_state(1, np.uint64)[0])


def start_game(config: EpisodeConfig, seed: int, simulate: Simulate = Simulation) -> tuple[Game, np.random.Generator]:
    """Build a settled tower, and the player's own dice: what the player does never changes how the tower is built."""
    if not isinstance(config, EpisodeConfig):
        raise InvalidInput(f"config is {reprlib.repr(config)}; pass an EpisodeConfig first, then the seed")
    if not is_whole(seed) or seed < 0:
        raise InvalidInput(f"seed is {reprlib.repr(seed)}; it must be a whole number, 0 or above")
    of_tower, of_player = (np.random.default_rng(child) for child in np.random.SeedSequence(int(seed)).spawn(2))
    return Game(
        config, vary_tower(config.layers, config.friction, config.variation, of_tower, config.block_size), simulate
    ), of_player


def play_rounds(game: Game, player: np.random.Generator) -> Iterator[Round]:
    """Let the policy take blocks until the tower falls, which it may do before it is touched, or no pull is left."""
    choose = find_policy(game.config.policy)
    given_up: set[str] = set()
    for number in count():
        standing = game.standing()
        pulls = list_pulls(standing, game.config.protected_layers, given_up)
        if game.recorder.collapse or not pulls:
            return
        pull = choose(GameView(standing, pulls), player)
        if pull not in pulls:
            raise InvalidInput(f"policy {game.config.policy!r} chose {pull}, which is not one of view.pulls")
        played = play_round(game, pull, number)
        # Who found a block stuck tries another one; when the tower has changed, it may have come loose.
        given_up = given_up | {pull.block} if played.outcome == "stuck" else set()
        yield played


def play_round(game: Game, pull: Pull, number: int = 0) -> Round:
    """Pull one block, and wait for rest: of the tower, or of what is left of it.

    Any block that stands may be pulled, one of a protected layer too: `protected_layers` binds the players of
    `play_rounds`. A side block goes across (x) outwards only; inwards its neighbours are in the way.
    """
    recorder, start_time = game.recorder, game.recorder.time
    standing, move, limit, extraction = take_block(game, pull)
    row = standing.index(pull.block)
    before, after = measure_statics(standing, pull.block)
    return Round(
        number=number,
        pull=pull,
        course=int(standing.course[row]),
        place=int(standing.place[row]),
        move=move,
        force_limit=limit,
        extraction=extraction,
        outcome="collapse" if recorder.collapse else extraction.outcome,
        start_time=start_time,
        end_time=recorder.time,
        at_rest=game.at_rest,
        active_blocks=int(recorder.present.sum()),
        before=before,
        after=after,
        peak_displacement=recorder.peak_displacement,
        peak_angle=recorder.peak_angle,
        peak_energy=recorder.peak_energy,
        energy=float(game.simulation.kinetic_energy()[0]),
        conditions=recorder.conditions,
        poses=game.look().poses,
    )


class Taken(NamedTuple):
    """A pull that is over."""

    standing: Structure  # the tower before it
    move: Move  # the closed forms of this move (Ziglar)
    limit: float  # largest force of the hand [N]
    extraction: Extraction


def take_block(game: Game, pull: Pull) -> Taken:
    """Pull a block and wait, without what closed forms say of the tower: these take a third of a round's time."""
    refuse_pull(game, pull)
    config, standing = game.config, game.standing()
    mass = float(standing.blocks.mass[standing.index(pull.block)])
    move = classify_move(standing, pull.block, pull.axis, gravity=-config.engine.gravity[2])
    game.begin_round()
    # Against friction; speeding up comes on top.
    limit = config.pull_factor * move.force_loaded + mass * ACCELERATION
    extraction = pull_block(game.recorder, standing, pull, limit, config)
    if extraction.outcome == "out" and config.rule == "stack":
        game.put_on_top(pull.block)
    game.wait(config.settle_round)
    return Taken(standing, move, limit, extraction)


def refuse_pull(game: Game, pull: Pull) -> None:
    """Refuse a block that is not there, and a way that is none or is blocked by neighbours."""
    if not game.recorder.present[game.tower.index(pull.block)]:
        raise InvalidInput(f"{pull.block} was taken away; pull a block that still stands")
    if pull.sign not in (-1, 1):
        raise InvalidInput(f"sign of the pull of {pull.block} is {pull.sign!r}; it is +1 or -1 along the block's own axis")
    if pull.axis == "x":
        refuse_inwards(game.standing(), pull)


def refuse_inwards(standing: Structure, pull: Pull) -> None:
    """Refuse a side block's way across that leads into the blocks of its own layer."""
    row = standing.index(pull.block)
    alone = (standing.course == standing.course[row]).sum() == 1
    way_out = outward(standing, row)
    if standing.place[row] != CENTRE and not alone and pull.sign != way_out:
        raise InvalidInput(
            f"{pull.block} cannot be pulled along x with sign {pull.sign:+d}: inwards it would hit its neighbours; "
            f"outwards is sign {way_out:+d}"
        )


def measure_statics(standing: Structure, block: str) -> tuple[Statics, Statics]:
    """Measure the statics of a standing tower, and of that tower without a block, by closed forms."""
    interfaces = find_interfaces(standing)
    before = measure_balance(standing, interfaces)
    kept = Interface.keep_blocks(interfaces, np.arange(len(standing)) != standing.index(block))
    after = measure_balance(standing.without(block), kept)
    with_it, without_it = (
        Statics(each.margin, each.weakest_margin, each.weakest, each.centre_of_mass) for each in (before, after)
    )
    return with_it, without_it
