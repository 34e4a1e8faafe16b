"""Gallery: pictures and films of a folder of episodes, drawn on all cores. Files that are there as asked for are kept."""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.episode import EpisodeFrames
from anastylosis.errors import InvalidInput
from anastylosis.executors import run_pool, run_serial
from anastylosis.rendering import make_look, write_png
from anastylosis.report.document import check_document
from anastylosis.report.film import film_episode
from anastylosis.report.ledger import forget_drawing, note_drawing, read_ledger
from anastylosis.report.still import VIEWS, aim_final, draw_final, look_seed
from anastylosis.whole_file import delete_abandoned

FILM_SMALLEST = 240  # [pixels]


class GalleryFile(NamedTuple):
    """One file to be drawn from one episode."""

    folder: Path
    name: str  # of the episode
    target: Path  # .png: its final picture; .mp4: its film
    size: int  # of the picture's sides [pixels]
    look: str
    view: str  # of a picture; a film has its own
    source: str  # which episodes these are: two datasets may have one name for two
    trouble: str = ""  # why its episode cannot be drawn

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings that decide how the file looks."""
        return {"size": self.size, "look": self.look, "view": self.view, "source": self.source, "version": __version__}

    @staticmethod
    def plan(folder: Path, out: Path, *, videos: bool, size: int, look: str, view: str = "debris") -> "list[GalleryFile]":
        """List every picture, and film if asked for, of the episodes of a folder, there already or not."""
        if not folder.is_dir():
            raise InvalidInput(f"{folder} is not a folder; name one that `anastylosis simulate` has written")
        make_look(look, 0)  # refuses what is no look
        if view not in VIEWS:
            raise InvalidInput(f"view is {view!r}; choose one of {', '.join(VIEWS)}")
        if videos and size < FILM_SMALLEST:
            raise InvalidInput(f"size is {size}; the words of a film need {FILM_SMALLEST} pixels or more")
        if videos and size % 2:
            raise InvalidInput(f"size is {size}; films have sides of an even number of pixels: take {size - 1} or {size + 1}")
        dataset = Dataset(folder)
        targets = {"frames/{}_final.png": view} | ({"videos/{}.mp4": "film"} if videos else {})
        return [
            GalleryFile(folder, name, out / target.format(name), size, look, own, dataset.identify(name))
            for target, own in targets.items()
            for name in dataset.names
        ]

    @staticmethod
    def find_missing(shots: "list[GalleryFile]") -> "list[GalleryFile]":
        """List the shots that are not there, or were drawn with other settings."""
        ledgers = {folder: read_ledger(folder) for folder in {shot.target.parent for shot in shots}}
        noted = {shot: ledgers[shot.target.parent].get(shot.target.name) for shot in shots}
        return [shot for shot in shots if not shot.target.exists() or noted[shot] != shot.settings]

    @staticmethod
    def draw_all(shots: "list[GalleryFile]", workers: int) -> "Generator[GalleryFile, None, None]":
        """Draw what is missing; each shot as it is done, or with its trouble. Any number of workers gives the same bits."""
        missing = GalleryFile.find_missing(shots)
        if not missing:
            return
        draw = partial(draw_shot, Dataset(missing[0].folder))
        drawn = run_serial(draw, missing) if workers == 1 else run_pool(draw, missing, workers=workers)
        with make_folders({shot.target.parent for shot in missing}), closing(drawn) as results:  # type: ignore[type-var]
            for _, shot in results:
                yield shot


@contextmanager
def make_folders(folders: set[Path]) -> Iterator[None]:
    """Make folders for the body to write to; delete those that stayed empty, and what stopped workers left."""
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        for folder in folders:
            delete_abandoned(folder)
            with suppress(OSError):  # something is in it
                folder.rmdir()


def draw_shot(dataset: Dataset, shot: GalleryFile) -> GalleryFile:
    """Draw one file, or say what the trouble with its episode is."""
    try:
        document, frames = read_episode(dataset, shot)
        forget_drawing(shot.target)
        look = make_look(shot.look, look_seed(document))
        if shot.target.suffix == ".mp4":
            film_episode(shot.target, document, frames, width=shot.size, height=shot.size, look=look)
        else:
            picture = draw_final(document, frames, size=shot.size, look=look, view=shot.view)
            write_png(shot.target, picture, aim_final(document, frames, shot.size, shot.view))
    except InvalidInput as error:
        return shot._replace(trouble=str(error))
    note_drawing(shot.target, shot.settings)
    return shot


def read_episode(dataset: Dataset, shot: GalleryFile) -> tuple[dict[str, Any], EpisodeFrames]:
    """Read the episode of a shot; raise `InvalidInput` for whatever cannot be read or drawn."""
    try:
        document, frames = dataset.episode(shot.name)
    except OSError as error:
        raise InvalidInput(str(error)) from error
    try:
        check_document(document)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; delete its files in {shot.folder}, and simulate again") from error
    return document, frames
