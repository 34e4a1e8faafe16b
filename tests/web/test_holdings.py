"""Holdings: what a visitor has here, and gives back."""

from collections.abc import Iterator

import pytest

from anastylosis.web.allowance import Allowance
from anastylosis.web.holdings import Holdings
from anastylosis.web.uploads import EXAMPLES

FIRST, SECOND = (EXAMPLES["picture"]._replace(name=name, pixels=400) for name in ("first.png", "second.png"))


@pytest.fixture
def holdings() -> Iterator[Holdings]:
    holdings = Holdings(7, Allowance(1000), Allowance(1000))
    yield holdings
    holdings.leave()
    holdings.give_back()


def test_pictures_take_their_pixels_and_one_that_is_also_shown_takes_them_once(holdings: Holdings) -> None:
    assert holdings.hold(FIRST, None)
    assert holdings.pixels.taken == 400
    assert holdings.hold(SECOND, FIRST)
    assert holdings.pixels.taken == 800
    assert holdings.hold(SECOND, SECOND)
    assert holdings.pixels.taken == 400
    assert holdings.hold()
    assert holdings.pixels.taken == 0


def test_what_there_is_no_room_for_is_not_held(holdings: Holdings) -> None:
    assert holdings.pixels.take(8, "pictures", 500)
    assert holdings.hold(FIRST)
    assert not holdings.hold(FIRST, SECOND)
    assert holdings.pixels.taken == 900  # as before


def test_who_has_left_holds_no_pixels(holdings: Holdings) -> None:
    """An upload may be whole while its visitor goes."""
    assert holdings.hold(FIRST)
    holdings.leave()
    assert not holdings.hold(FIRST)
    assert holdings.pixels.taken == 0


def test_nothing_is_left_of_who_has_left(holdings: Holdings) -> None:
    (holdings.open_folder() / "film.mp4").write_bytes(b"film")
    assert holdings.open_folder() != holdings.open_folder()
    assert holdings.uploads.take(7, "file", 10)
    assert holdings.uploads.take(8, "file", 20)
    assert holdings.hold(FIRST)
    holdings.leave()
    holdings.give_back()
    assert not holdings.folder.exists()
    assert (holdings.uploads.taken, holdings.pixels.taken) == (20, 0)
    assert holdings.left.is_set()
