"""Play one game and make its film.

    python examples/02_film_of_a_game.py [SEED] [FOLDER]

Writes game.mp4, the game in real time with the block in the hand in red, and debris.png, what lies there in the end: all
that a reconstruction will be given.
"""

import sys
from pathlib import Path

from PIL import Image

from anastylosis import EpisodeConfig, run_episode
from anastylosis.report import draw_final, film_episode


def main(seed: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    episode = run_episode(EpisodeConfig(), seed)
    document = episode.as_document()
    print(f"{len(episode.rounds)} blocks were pulled in {episode.seconds:.1f} s; drawing {len(episode.frames.time)} frames ...")
    film_episode(folder / "game.mp4", document, episode.frames)
    Image.fromarray(draw_final(document, episode.frames)).save(folder / "debris.png")
    print(f"{folder / 'game.mp4'}: the film")
    print(f"{folder / 'debris.png'}: what is left")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(int(words[0]) if words else 0, Path(words[1]) if len(words) > 1 else Path("out"))
