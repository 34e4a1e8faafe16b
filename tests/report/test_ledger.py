"""What is drawn again: what is not there, and what was drawn with other settings."""

import json
from pathlib import Path

import pytest

from anastylosis.report import GalleryFile
from anastylosis.report.ledger import LEDGER
from support.games import played
from support.played_datasets import write_dataset


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("games"), played(), played(seed=2))


def shots_of(games: Path, out: Path, size: int = 64, look: str = "wood", view: str = "debris") -> list[GalleryFile]:
    return GalleryFile.plan(games, out, videos=False, size=size, look=look, view=view)


def width(path: Path) -> int:
    return int.from_bytes(path.read_bytes()[16:20], "big")  # of the PNG header


def test_other_settings_draw_anew_and_the_same_do_not(games: Path, tmp_path: Path) -> None:
    first = shots_of(games, tmp_path)
    assert len(list(GalleryFile.draw_all(first, workers=1))) == 2
    assert GalleryFile.find_missing(first) == []
    for other in (
        shots_of(games, tmp_path, size=80),
        shots_of(games, tmp_path, size=80, look="stone"),
        shots_of(games, tmp_path, size=80, view="model"),
    ):
        assert GalleryFile.find_missing(other) == other
        assert len(list(GalleryFile.draw_all(other, workers=1))) == 2
        assert GalleryFile.find_missing(other) == []
        assert {width(shot.target) for shot in other} == {80}
    assert GalleryFile.find_missing(first) == first


def test_a_stopped_redraw_goes_on_with_either_setting(games: Path, tmp_path: Path, monkeypatch) -> None:
    """One picture was replaced and its note is not there yet, the other is still the old one."""
    old, new = shots_of(games, tmp_path), shots_of(games, tmp_path, size=80)
    list(GalleryFile.draw_all(old, workers=1))

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anastylosis.report.gallery.note_drawing", stop)
    with pytest.raises(KeyboardInterrupt):
        list(GalleryFile.draw_all(new, workers=1))
    assert sorted(width(shot.target) for shot in new) == [64, 80]
    assert GalleryFile.find_missing(new) == new
    assert GalleryFile.find_missing(old) == old[:1]


@pytest.mark.parametrize("junk", [b"", b"{", b"[]\n3\n{}\nnull\n", b'{"file": []}\n', b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
def test_lines_that_are_not_ours_are_passed_over(games: Path, tmp_path: Path, junk: bytes) -> None:
    shots = shots_of(games, tmp_path)
    list(GalleryFile.draw_all(shots, workers=1))
    ledger = tmp_path / "frames" / LEDGER
    ledger.write_bytes(ledger.read_bytes() + junk)
    assert GalleryFile.find_missing(shots) == []
    ledger.write_bytes(junk)
    assert GalleryFile.find_missing(shots) == shots


def test_two_datasets_do_not_take_each_others_pictures(games: Path, tmp_path: Path) -> None:
    """They have the same names for other episodes."""
    shots = shots_of(games, tmp_path)
    list(GalleryFile.draw_all(shots, workers=1))
    other = [shot._replace(source="another") for shot in shots]
    assert GalleryFile.find_missing(other) == other


def test_the_ledger_tells_nothing_of_the_episode(games: Path, tmp_path: Path) -> None:
    """Not even by its source, which all episodes of a level share."""
    shots = shots_of(games, tmp_path)
    list(GalleryFile.draw_all(shots, workers=1))
    assert len({shot.source for shot in shots}) == 1
    for line in (tmp_path / "frames" / LEDGER).read_text().splitlines():
        assert json.loads(line).keys() == {"file", "size", "look", "view", "source", "version"}
