"""The film and the final picture of an episode: what they show, and what they must not tell."""

import json
import re
from pathlib import Path

import av
import numpy as np
import pytest

from anastylosis.episode import EpisodeFrames
from anastylosis.episode.annotation import annotate
from anastylosis.rendering import paper_camera, render_image
from anastylosis.rendering.look import wood_look
from anastylosis.report import draw_final, film_episode
from anastylosis.report.film import END_HOLD, START_HOLD, describe, find_round
from anastylosis.report.still import view_episode, view_final
from support.games import played

SIZE = 240


@pytest.fixture(scope="module")
def game() -> tuple[dict, EpisodeFrames]:
    episode = played()
    return json.loads(json.dumps(annotate(episode))), episode.frames


def thin(frames: EpisodeFrames, every: int) -> EpisodeFrames:
    """Fewer frames, for a short film; the last one is kept."""
    rows = np.unique([*range(0, len(frames.time), every), len(frames.time) - 1])
    return EpisodeFrames(*(array[rows] for array in frames))


def test_the_film_has_every_frame_and_its_holds(game, tmp_path: Path) -> None:
    document, frames = game
    short = thin(frames, 20)
    film_episode(tmp_path / "game.mp4", document, short, width=SIZE, height=SIZE)
    with av.open(str(tmp_path / "game.mp4")) as film:
        stream = film.streams.video[0]
        assert (stream.width, stream.height, stream.codec_context.name) == (SIZE, SIZE, "h264")
        seconds = float(stream.duration * stream.time_base)
        pictures = [frame.to_ndarray(format="rgb24") for frame in film.decode(stream)]
    assert seconds == pytest.approx(START_HOLD + (len(short.time) - 1) / 30 + END_HOLD, abs=1e-4)
    assert len(pictures) == 10 * START_HOLD + (len(short.time) - 1) + 10 * END_HOLD  # what is held is coded every 0.1 s
    assert np.abs(pictures[0].astype(int) - pictures[-1]).mean() > 1  # something happened


def test_nothing_leaves_the_view_or_lies_under_the_words(game) -> None:
    document, frames = game
    position = frames.position.copy()
    middle, block = len(position) // 2, int(np.flatnonzero(frames.present[-1])[0])
    position[middle, block] = 0.3, 0.3, 0.9  # a block flies up and comes down again
    camera = view_episode(document, frames._replace(position=position), 640, 480)
    pixels, depth = camera.project(position[frames.present])
    assert (depth > 0).all()
    assert (pixels > (0, 0.1 * 480)).all()
    assert (pixels < (640, 0.9 * 480)).all()
    alone, _ = camera.project(position[middle, block])
    assert alone[1] < 0.2 * 480  # the nearest view that shows it


def test_the_round_of_an_instant(game) -> None:
    document, _ = game
    rounds = document["rounds"]
    assert find_round(rounds, 0.0) is None
    for round_ in rounds:
        assert find_round(rounds, (round_["start_time"] + round_["end_time"]) / 2) is round_


def test_words_tell_the_story(game) -> None:
    document, _ = game
    rounds = document["rounds"]
    assert describe(document, None, 0.0).caption == "A tower, settled."
    assert rounds[0]["removed_block"] in describe(document, rounds[0], rounds[0]["start_time"] + 0.01).caption
    assert "falls at layer" in describe(document, rounds[-1], document["collapse_time"]).caption
    at_rest = describe(document, rounds[-1], document["seconds"]).caption
    labels = document["labels"]
    assert at_rest == f"It fell at layer {labels['failure_course']}; {labels['blocks_on_floor']} blocks came down to the floor."


@pytest.mark.parametrize(("outcome", "words"), [("out", "It is out."), ("stuck", "It is stuck."), ("collapse", "expected.")])
def test_words_do_not_run_ahead_of_the_film(game, outcome: str, words: str) -> None:
    document, _ = game
    step = document["config"]["engine"]["timestep"]
    pull = document["rounds"][0] | {"outcome": outcome, "start_time": 2.0, "forces": [0.0, 0.1, 0.3, 0.2], "force_peak": 0.3}
    captions = [describe(document | {"collapsed": False}, pull, 2.0 + steps * step).caption for steps in range(6)]
    assert [re.search(r"(\d+)\smN felt", caption)[1] for caption in captions] == ["0", "100", "300", "300", "300", "300"]
    assert [caption for caption in captions[:3] if not caption.endswith("expected.")] == []  # it is still in the hand
    assert [caption for caption in captions[3:] if not caption.endswith(words)] == []


def test_the_block_is_out_when_the_words_say_so(game) -> None:
    document, frames = game
    pull = document["rounds"][0]
    row = document["blocks"].index(pull["removed_block"])
    told = ["It is out." in describe(document, find_round(document["rounds"], float(t)), float(t)).caption for t in frames.time]
    assert frames.time[np.argmax(told)] == pytest.approx(frames.time[np.argmin(frames.present[:, row])], abs=1.01 / 30)


@pytest.mark.parametrize("far", [0.0, 3.0], ids=["as it fell", "one block 3 m away"])
def test_the_final_view_is_the_nearest_that_has_every_block_whole(game, far: float) -> None:
    document, frames = game
    gone = np.flatnonzero(~frames.present[-1])[0]
    block = np.flatnonzero(frames.present[-1])[0]
    position = frames.position.copy()
    position[-1, gone] = 9, 9, 9  # is not there, and not looked for
    position[-1, block, 0] += far
    frames = frames._replace(position=position)
    camera = view_final(document, frames, SIZE)
    arguments = (document["sizes"], position[-1], frames.orientation[-1])
    ids = render_image(*arguments, camera, wood_look(0), present=frames.present[-1], ids=True).ids
    rim = np.concatenate([ids[0], ids[-1], ids[:, 0], ids[:, -1]])
    assert (rim == -1).all()  # nothing is cut
    rows, columns = np.nonzero(ids >= 0)
    widest = max(np.ptp(rows), np.ptp(columns))
    assert 0.9 * SIZE < widest < 0.93 * SIZE  # the margin, 4 % on each side, and no more
    np.testing.assert_allclose(camera.axes, paper_camera().axes, atol=1e-12)


def test_the_final_picture_is_the_last_frame_and_nothing_else(game) -> None:
    document, frames = game
    picture = draw_final(document, frames, size=SIZE)
    assert picture.shape == (SIZE, SIZE, 3)
    np.testing.assert_array_equal(picture, draw_final(document, thin(frames, 1000), size=SIZE))  # earlier frames do not matter
    other = document | {"rounds": [], "labels": {}, "collapsed": False, "blocks": document["blocks"][::-1]}
    np.testing.assert_array_equal(picture, draw_final(other, frames, size=SIZE))  # nor does anything that would give it away
