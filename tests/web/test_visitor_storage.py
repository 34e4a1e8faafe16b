"""Visitor storage: what a visitor has here, and gives back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from anastylosis.web.allowance import Allowance
from anastylosis.web.uploads import EXAMPLES
from anastylosis.web.visitor_storage import VisitorStorage

FIRST, SECOND = (EXAMPLES["picture"]._replace(name=name, pixels=400) for name in ("first.png", "second.png"))


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[VisitorStorage]:
    storage = VisitorStorage(7, Allowance(1000), Allowance(1000), tmp_path)
    yield storage
    storage.leave()
    storage.give_back()


def test_pictures_take_their_pixels_and_one_that_is_also_shown_takes_them_once(storage: VisitorStorage) -> None:
    assert storage.hold(FIRST, None)
    assert storage.pixels.taken == 400
    assert storage.hold(SECOND, FIRST)
    assert storage.pixels.taken == 800
    assert storage.hold(SECOND, SECOND)
    assert storage.pixels.taken == 400
    assert storage.hold()
    assert storage.pixels.taken == 0


def test_what_there_is_no_room_for_is_not_held(storage: VisitorStorage) -> None:
    assert storage.pixels.take(8, "pictures", 500)
    assert storage.hold(FIRST)
    assert not storage.hold(FIRST, SECOND)
    assert storage.pixels.taken == 900  # as before


def test_who_has_left_holds_no_pixels(storage: VisitorStorage) -> None:
    """An upload may be whole while its visitor goes."""
    assert storage.hold(FIRST)
    storage.leave()
    assert not storage.hold(FIRST)
    assert storage.pixels.taken == 0


def test_nothing_is_left_of_who_has_left(storage: VisitorStorage) -> None:
    (storage.open_folder() / "film.mp4").write_bytes(b"film")
    assert storage.open_folder() != storage.open_folder()
    assert storage.uploads.take(7, "file", 10)
    assert storage.uploads.take(8, "file", 20)
    assert storage.hold(FIRST)
    storage.leave()
    storage.give_back()
    assert list(storage.folder.parent.iterdir()) == []
    assert (storage.uploads.taken, storage.pixels.taken) == (20, 0)
    assert storage.left.is_set()
