"""Measure the paper's claims and write benchmarks/claims/*.csv: about a quarter of an hour on two cores.

    python tools/measure_claims.py [--games N] [--towers N] [--workers N]

`tools/write_claims_table.py` turns the CSV files into the tables of docs/explanation/claims.md.
"""

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from rich.progress import track

from anastylosis.episode import FRICTION_LEVELS, EpisodeConfig
from anastylosis.episode.play import episode_seed
from anastylosis.machine import count_cores
from anastylosis.validation.claims import compare_moves, play_game

FOLDER = Path(__file__).parents[1] / "benchmarks" / "claims"


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


if __name__ == "__main__":
    main()
