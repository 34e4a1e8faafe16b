"""Looking, by an eye whose nets know the truth: what is left are the geometry, the fusion and the choice."""

import numpy as np
import pytest

from anastylosis.learn.eye.scores import match_blocks
from anastylosis.predict.eye import looking
from anastylosis.predict.eye.looking import Found, Sight, find_extent, fuse, join_proposals, look, look_again, pick_apart
from anastylosis.predict.eye.slots import tower_slots
from anastylosis.predict.eye.view import frame_eye
from anastylosis.predict.eye.window import Proposals, Windows
from eyes import BLOCK, make_scene, photograph, say_fits, say_votes, shake


@pytest.fixture
def known(monkeypatch):
    """A scene, its pictures, and `look` with nets that know it."""

    def open_known(seed: int, pictures: int):
        scene = make_scene(seed=seed)
        shots = [photograph(scene, seed=10 * seed + number) for number in range(pictures)]
        votes = iter([say_votes(scene, shot) for shot in shots])
        asked: list[tuple] = []

        def cut(view, proposals: Proposals) -> Windows:
            asked.append((view, proposals))
            return Windows(np.zeros((len(proposals.size), 1), np.float32), np.zeros((len(proposals.size), 1), np.float32))

        monkeypatch.setattr(looking, "cut_windows", cut)
        found = look(
            [Sight(shot.view, shot.view) for shot in shots], lambda picture: next(votes),
            lambda windows: say_fits(scene, *asked[-1]), BLOCK, tower_slots(BLOCK),
        )  # fmt: skip
        return scene, found

    return open_known


@pytest.mark.parametrize("pictures", [1, 2])
def test_every_block_is_found_once_where_it_is(known, pictures: int) -> None:
    scene, found = known(1, pictures)
    matches = match_blocks(found.blocks, scene.blocks)
    assert len(matches.true) == len(scene.fell) == len(found.odds)
    assert matches.place.max() < 1e-6
    assert matches.turn.max() < 1e-6
    assert (found.odds > 0).all()


def test_two_views_are_surer_than_one(known) -> None:
    _, one = known(2, 1)
    _, two = known(2, 2)
    assert two.place_sd.mean() < one.place_sd.mean()
    assert two.odds.mean() > one.odds.mean()


def test_the_surer_view_counts_more() -> None:
    scene = make_scene()
    views = [photograph(scene, seed=seed).view for seed in (0, 1)]
    proposals = shake(scene.blocks, 0.01, 0.1)
    right = say_fits(scene, views[0], proposals)
    wrong = np.zeros_like(right)
    wrong[:, 6:8] = 3.0  # says: stay, and does not know
    fused = fuse(views, proposals, [right, wrong])
    assert match_blocks(fused.blocks, scene.blocks).place.max() < 5e-4


def test_of_two_that_collide_the_surer_stays() -> None:
    scene = make_scene()
    twice = join_proposals([scene.blocks, shake(scene.blocks, 0.004, 0.05)])
    odds = np.concatenate([np.full(12, 1.0), np.full(12, 2.0)])
    found = Found(twice, odds, np.ones(24), np.ones(24))
    kept = pick_apart(found)
    assert sorted(kept) == list(range(12, 24))


def test_nothing_seen_is_nothing_found() -> None:
    scene = make_scene()
    view = photograph(scene).view
    empty = np.full((1, 18, view.camera.height // 4, view.camera.width // 4), -9.0, np.float32)
    said = np.zeros((1, 9), np.float32)
    said[:, 8] = -9.0
    found = look(
        [Sight(view, view)],
        lambda picture: empty,
        lambda windows: said.repeat(len(windows.about), axis=0),
        BLOCK,
        tower_slots(BLOCK),
    )
    assert len(found.odds) == 0
    assert find_extent(view, lambda picture: empty) is None


def test_the_extent_holds_all_that_fell_and_the_tower() -> None:
    scene = make_scene()
    shot = photograph(scene, seed=4)
    extent = find_extent(shot.view, lambda picture: say_votes(scene, shot))
    assert extent is not None
    near = frame_eye(shot.view.camera.eye, extent)
    pixels, _ = near.project(scene.blocks.position)
    assert pixels.min() > 0
    assert pixels.max() < near.width


def test_what_is_not_in_a_picture_is_not_judged_by_it() -> None:
    scene = make_scene()
    view = photograph(scene).view
    far = scene.blocks._replace(position=scene.blocks.position + np.array([50.0, 0, 0]))
    found = look_again([view], far, lambda windows: np.full((len(windows.about), 9), 5.0, np.float32))
    np.testing.assert_array_equal(found.odds, 0)
    np.testing.assert_allclose(found.blocks.position, far.position, atol=1e-9)


def test_looking_again_moves_to_the_truth() -> None:
    scene = make_scene()
    view = photograph(scene).view
    proposals = shake(scene.blocks, 0.015, 0.2)
    again = look_again([view], proposals, lambda windows: say_fits(scene, view, proposals))
    assert match_blocks(again.blocks, scene.blocks).place.max() < 1e-7
