"""Visitor storage: a visitor's folder on this machine, and their part of the shared bytes and pixels."""

import shutil
import tempfile
import threading
from pathlib import Path

from anastylosis.web.allowance import Allowance
from anastylosis.web.uploads import InputFile


class VisitorStorage:
    """Everything of it goes when the visitor does."""

    def __init__(self, visitor: int, uploads: Allowance, pixels: Allowance, parent: Path) -> None:
        """Begin with nothing. `uploads` and `pixels` are shared with other visitors, as the `parent` of the folder is."""
        self.visitor, self.uploads, self.pixels = visitor, uploads, pixels
        self.folder = Path(tempfile.mkdtemp(prefix="visitor-", dir=parent))
        self.left = threading.Event()  # the visitor has

    def hold(self, *given: InputFile | None) -> bool:
        """Take the pixels of these pictures from the shared allowance, instead of those held before.

        Return False if too few are left, or if the visitor has left and would never give them back.
        """
        pictures = {id(each): each.pixels for each in given if each is not None}
        held = self.pixels.take(self.visitor, "pictures", sum(pictures.values()))
        if self.left.is_set():
            self.pixels.part(self.visitor)
            return False
        return held

    def open_folder(self) -> Path:
        """Open a new folder, for the files of one reconstruction."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def leave(self) -> None:
        """Note that the visitor leaves: from now on no work begins for them, and nothing more is held."""
        self.left.set()

    def give_back(self) -> None:
        """Give back all that a visitor held who has left."""
        self.uploads.part(self.visitor)
        self.pixels.part(self.visitor)
        shutil.rmtree(self.folder, ignore_errors=True)
