"""Play one game and make its film.

    python examples/02_film_of_a_game.py [SEED] [FOLDER]

Writes game.mp4, the game in real time with the block in the hand in red, and debris.png, what lies there in the end: all
that a reconstruction will be given.
"""

import sys
from pathlib import Path

from anastylosis.episode import EpisodeConfig, run_episode
from anastylosis.episode.annotation import annotate
from anastylosis.rendering import write_png
from anastylosis.report import draw_final, film_episode


def main(seed: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    episode = run_episode(EpisodeConfig(), seed)
    document = annotate(episode)
    print(f"{len(episode.rounds)} blocks were pulled in {episode.seconds:.1f} s; drawing {len(episode.frames.time)} frames ...")
    film_episode(folder / "game.mp4", document, episode.frames)
    write_png(folder / "debris.png", draw_final(document, episode.frames))
    print(f"{folder / 'game.mp4'}: the film")
    print(f"{folder / 'debris.png'}: what is left")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(int(words[0]) if words else 0, Path(words[1]) if len(words) > 1 else Path("out"))
