"""Measure the paper's claims and write benchmarks/claims/*.csv: about a quarter of an hour on two cores.

    python tools/measure_claims.py [--games N] [--towers N] [--workers N]

`tools/write_claims_table.py` turns the CSV files into the tables of docs/explanation/claims.md. The paper's three claims (§13.2):

1. `side_yaxis` moves bring the tower down less often than `side_xaxis` moves.
2. The centre block is the safest to take.
3. The tower falls less often where friction is higher.

Whole games confound the first two: a player who plays on meets other towers with other blocks left. So towers are
also taken in the middle of a game, and the same tower is played on in several ways.
"""

import argparse
import copy
import csv
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from anastylosis.episode import (
    FRICTION_LEVELS,
    EpisodeConfig,
    Game,
    Pull,
    Round,
    episode_seed,
    list_pulls,
    play_round,
    run_episode,
)
from anastylosis.episode.hand import Outcome
from anastylosis.episode.play import play_rounds, start_game
from anastylosis.episode.pulls import draw
from anastylosis.machine import count_cores
from anastylosis.mechanics import CENTRE
from anastylosis.structure import Structure

FOLDER = Path(__file__).parents[1] / "benchmarks" / "claims"
ROUNDS_BEFORE_MOST = 5  # a tower for the comparison has had 0..5 blocks taken from it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=150, help="whole games at each friction")
    parser.add_argument("--towers", type=int, default=150, help="towers at each friction, each played on in several ways")
    parser.add_argument("--workers", type=int, default=count_cores())
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)  # now, not after the work
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:
        for name, experiment, count in (("games", play_game, options.games), ("moves", compare_moves, options.towers)):
            rows = []
            for number, friction in enumerate(FRICTION_LEVELS.values()):
                seeds = [episode_seed(number, index) for index in range(count)]  # other towers at every friction
                played = pool.map(experiment, repeat(EpisodeConfig(friction=friction)), seeds, chunksize=4)
                rows += [row for some in track(played, f"{name}, friction {friction}", count) for row in some]
            with (FOLDER / f"{name}.csv").open("w", newline="") as file:
                writer = csv.DictWriter(file, rows[0].keys())
                writer.writeheader()
                writer.writerows(
                    {key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()} for row in rows
                )


def play_game(config: EpisodeConfig, seed: int) -> list[dict[str, Any]]:
    """One whole game; a row for every pull."""
    episode = run_episode(config, seed)
    rows = [describe_round(config, seed, played) for played in episode.rounds]
    return [row | {"ending": episode.ending, "at_rest": episode.at_rest} for row in rows]


def compare_moves(config: EpisodeConfig, seed: int) -> list[dict[str, Any]]:
    """One tower, played on from the same instant in several ways; a row for each. Empty if it fell too early.

    `any_*` take a side block of any layer: `any_x` across, `any_y` along its length, `any_gone` as the paper does, by making
    it vanish. `full_*` take from a layer that is still full: a side block in the same three ways, and the centre block
    along its length (`full_centre`) or vanishing (`full_centre_gone`).
    """
    game, dice = start_game(config, seed)
    for played in islice(play_rounds(game, dice), int(dice.integers(ROUNDS_BEFORE_MOST + 1))):
        if played.outcome == "collapse":
            return []
    standing = game.standing()
    across = [pull for pull in list_pulls(standing, config.protected_layers) if pull.axis == "x"]
    courses, counts = np.unique(standing.course, return_counts=True)
    full = set(courses[counts == 3].tolist())
    ways: dict[str, Pull | str] = {}  # a name alone: the block vanishes
    for name, sides in (("any", across), ("full", [pull for pull in across if course_of(standing, pull.block) in full])):
        if sides:
            side, sign = draw(sides, dice), draw((-1, 1), dice)
            ways |= {f"{name}_x": side, f"{name}_y": Pull(side.block, "y", sign), f"{name}_gone": side.block}
    if "full_x" in ways:
        centre = find_centre(standing, side.block)
        ways |= {"full_centre": Pull(centre, "y", sign), "full_centre_gone": centre}
    rows = []
    for way, pull in ways.items():
        branch = copy.deepcopy(game)
        block = pull if isinstance(pull, str) else pull.block
        outcome = vanish(branch, pull) if isinstance(pull, str) else play_round(branch, pull).outcome
        row = {"friction": config.friction, "seed": seed, "way": way, "block": block, "course": course_of(standing, block)}
        rows.append(row | {"outcome": outcome})
    return rows


def vanish(game: Game, block: str) -> Outcome:
    """Take a block away at once, as the paper's code does, and wait."""
    game.begin_round()
    game.simulation.remove(block)
    game.settle(game.config.settle_round)
    return "collapse" if game.recorder.collapse else "out"


def course_of(standing: Structure, block: str) -> int:
    return int(standing.course[standing.index(block)])


def find_centre(standing: Structure, block: str) -> str:
    """The centre block of the course that a block stands in."""
    centres = (standing.course == course_of(standing, block)) & (standing.place == CENTRE)
    return standing.ids[int(np.flatnonzero(centres)[0])]


def describe_round(config: EpisodeConfig, seed: int, played: Round) -> dict[str, Any]:
    """One pull as a row of a table, SI units."""
    return {
        "friction": config.friction,
        "seed": seed,
        "round": played.number,
        "block": played.pull.block,
        "kind": played.move.kind,
        "risk": played.move.risk,
        "course": played.course,
        "outcome": played.outcome,
        "force_peak": played.extraction.peak_force,
        "force_loaded": played.move.force_loaded,
        "neighbour_displacement": played.extraction.neighbour_displacement,
        "interface_margin": played.before.interface_margin,
        "interface_margin_after": played.after.interface_margin,
    }


if __name__ == "__main__":
    main()
