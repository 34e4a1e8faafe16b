"""Animations: what the scene shows of a small reconstruction, with physics and without."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.episode import Pull
from anastylosis.errors import CapacityExceeded
from anastylosis.executors import run_serial
from anastylosis.structure import jenga_tower
from anastylosis.web import downloads
from anastylosis.web.animations import Animation, animate_debris, animate_fall, animate_rebuild, animate_tower, animate_turn
from anastylosis.web.downloads import FILES, make_file
from anastylosis.web.findings import Finding, stays_up
from anastylosis.web.forecast import draw_comparison, draw_map, list_numbers
from anastylosis.web.paint import WAYS, draw_legend, paint_animation
from anastylosis.web.play import take_turn
from anastylosis.web.words import Translator
from support.visitors import find_small_tower


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Finding:
    return find_small_tower(tmp_path_factory.mktemp("without"), 0)


def list_animations(finding: Finding) -> list[Animation]:
    found, story = finding.found, finding.find_story(0)
    fall = [] if story is None else [animate_fall(found, 0, story)]
    return [animate_debris(found, 0), animate_tower(found, 0), animate_rebuild(found), *fall]


@pytest.mark.parametrize("kind", ["finding", "bare"])
@pytest.mark.parametrize("language", ["en", "es"])
def test_every_moment_has_words_and_every_block_a_colour(request, kind: str, language: str) -> None:
    finding, words = request.getfixturevalue(kind), Translator(language)
    for animation in list_animations(finding):
        assert len(animation.scenes) == len(animation.captions) > 0
        assert all(words(key, **values) for key, values in animation.captions)
        assert {len(scene.size) for scene in animation.scenes} == {len(animation.slot)} == {len(animation.row)}
        for way in WAYS:
            assert paint_animation(animation, finding.found, way).shape == (len(animation.slot), 3)
            assert draw_legend(words, way, 6, animation.heap)


def test_no_outline_hangs_in_the_air_while_the_tower_falls(finding: Finding) -> None:
    animation = animate_fall(finding.found, 0, finding.find_story(0))
    assert animation.scenes[animation.first].outlines
    assert animation.scenes[-1].outlines == ()
    assert finding.find_story(0).moments[-1].scene.outlines  # the film has its legend for them


def test_the_tower_has_the_blocks_that_the_proposal_puts_there(finding: Finding) -> None:
    animation = animate_tower(finding.found, 0)
    put = finding.found.best.state.slot
    for block, slot in enumerate(put):
        if slot != UNASSIGNED:
            assert animation.row[slot] == finding.found.rows[block]
    assert (animation.scenes[0].present == finding.found.best.state.filled).all()


def test_the_rebuilding_says_the_margin_of_each_step(finding: Finding) -> None:
    said = {values["step"]: values for _, values in animate_rebuild(finding.found).captions if "step" in values}
    steps = [step for step in finding.found.steps if step.slot]
    assert [said[number]["slot"] for number in range(1, len(steps) + 1)] == [step.slot for step in steps]
    assert said[1]["margin"] == pytest.approx(1e3 * steps[0].margin)


@pytest.mark.parametrize("kind", ["finding", "bare"])
def test_predictions_escape_what_visitors_write(request, kind: str) -> None:
    finding, words = request.getfixturevalue(kind), Translator("en")
    page = list_numbers(finding, words) + draw_map(finding, words) + draw_comparison(finding, 0, words)
    assert "<b>six</b>" not in page
    assert page.count("<td title=") == len(finding.found.structure)


@pytest.mark.parametrize("kind", ["json", "csv", "glb", "report"])
def test_files_are_made_once(finding: Finding, kind: str, tmp_path: Path) -> None:
    path = make_file(kind, finding, 0, tmp_path, run_serial, lambda *said: None)
    assert path is not None
    assert path.name.endswith(FILES[kind])
    before = path.stat().st_mtime_ns
    assert make_file(kind, finding, 0, tmp_path, run_serial, lambda *said: None) == path
    assert path.stat().st_mtime_ns == before


def test_everything_comes_in_one_file(finding: Finding, tmp_path: Path, monkeypatch) -> None:
    """Films are stood for: they take minutes."""
    for name in ("film_reconstruction", "film_rebuilding"):
        monkeypatch.setattr(downloads, name, lambda path, *rest: path.write_bytes(b"film" + rest[-1].encode()))
    path = make_file("zip", finding, 0, tmp_path, run_serial, lambda *said: None, "es")
    with zipfile.ZipFile(path) as archive:
        assert set(archive.namelist()) == set(FILES.values()) - {"everything.zip"}
        assert archive.testzip() is None
        assert archive.read("rebuild.mp4") == b"filmes"
        assert "La respuesta" in archive.read("report.html").decode()
    monkeypatch.setattr(downloads, "BYTES_MAX", 1000)
    with pytest.raises(CapacityExceeded, match="take them one by one"):
        downloads.write_zip(tmp_path / "other.zip", {"a.csv": path})
    assert not (tmp_path / "other.zip").exists()


def test_a_turn_of_a_tower_that_is_played_with() -> None:
    tower = jenga_tower(4)
    turn = take_turn(tower, Pull("L01_1", "y", 1), 0.4)
    assert turn.played.outcome == "out"
    assert turn.after is not None
    assert "L01_1" not in turn.after.ids
    animation = animate_turn(tower, turn.frames, "L01_1")
    assert len(animation.scenes) == len(turn.frames.time)
    assert np.isfinite(paint_animation(animation, None, "layer")).all()


def let_stand(finding: Finding, *ranks: int) -> Finding:
    """As if these proposals had not fallen again, and all others had."""
    given = finding.found.hypotheses
    told = tuple(each._replace(fell=rank not in ranks) for rank, each in enumerate(given))
    return replace(finding, found=replace(finding.found, hypotheses=told))


def test_a_fall_that_does_not_come_names_the_first_proposal_that_falls(finding: Finding) -> None:
    story = finding.find_story(0)
    assert story is not None
    for standing, said in (
        ((0,), "does not fall; that of proposal 2 does."),
        ((0, 1), "nor does that of any other"),
        ((1,), "and the tower falls."),
    ):
        told = let_stand(finding, *standing)
        key, values = animate_fall(told.found, 0, story, told.find_falling()).captions[-1]
        assert said in Translator("en")(key, **values)


def test_a_proposal_that_the_engine_gave_up_is_not_said_to_stay_up(finding: Finding) -> None:
    first = finding.choose(0)._replace(fell=False)
    assert stays_up(first)
    assert not stays_up(first._replace(distance=np.inf))
    assert not stays_up(first._replace(fell=True))
    assert not stays_up(first._replace(trial=None))
