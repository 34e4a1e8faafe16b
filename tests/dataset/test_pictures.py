"""Pictures: the same bits however they are drawn, kept until something changes; and labels that are true in every view."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset import pictures as module
from anastylosis.dataset.examples import Examples
from anastylosis.dataset.pictures import draw_pictures
from anastylosis.dataset.shots import DebrisPose, Mirror, Recipe, draw_shot, plan_shot
from anastylosis.rendering.look import paper_look
from anastylosis.structure import jenga_tower, mirror_slots

FULL = Recipe(size=32, mirror=True, camera="near", domain=True)
CLOSE = Recipe(size=128, layers=6, reach=0.12, mirror=True, camera="near")  # a block is some twenty pixels long

SHADOWLESS = replace(paper_look(), ambient=1.0)  # all the light is from the sky


@pytest.fixture(scope="module")
def few(examples: Examples) -> Examples:
    return examples.take(slice(0, 5))


def test_the_same_number_is_the_same_picture(few: Examples) -> None:
    first, again, other = (draw_pictures(few, FULL, number, workers=1) for number in (1, 1, 2))
    np.testing.assert_array_equal(first.grey, again.grey)
    for part, expected in zip(first.truth, again.truth, strict=True):
        np.testing.assert_array_equal(part, expected)
    assert all((one != two).any() for one, two in zip(first.grey, other.grey, strict=True))
    # An episode's picture is its own, whoever is drawn beside it.
    np.testing.assert_array_equal(draw_pictures(few.take(slice(3, 5)), FULL, 1, workers=1).grey, first.grey[3:])


def test_any_number_of_workers_draws_the_same_bits(few: Examples, monkeypatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 2)
    told: list[tuple[int, int]] = []
    alone = draw_pictures(few, FULL, 1, workers=1)
    crew = draw_pictures(few, FULL, 1, workers=2, progress=lambda done, total: told.append((done, total)))
    np.testing.assert_array_equal(alone.grey, crew.grey)
    for part, expected in zip(alone.truth, crew.truth, strict=True):
        np.testing.assert_array_equal(part, expected)
    assert len(told) == 3
    assert told[-1] == (5, 5)


@pytest.fixture
def kept(few: Examples, tmp_path: Path, monkeypatch) -> tuple[Path, np.ndarray]:
    """A folder with the pictures, and their bits; whoever draws again fails."""
    grey = draw_pictures(few, FULL, 1, cache=tmp_path / "cache", workers=1).grey
    monkeypatch.setattr(module, "draw_all", lambda *_: pytest.fail("pictures that are there were drawn again"))
    return tmp_path / "cache", grey


def test_what_was_drawn_is_kept(few: Examples, kept) -> None:
    folder, grey = kept
    again = draw_pictures(few, FULL, 1, cache=folder, workers=1)
    np.testing.assert_array_equal(again.grey, grey)
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("change", ["recipe", "number", "poses", "seed"])
def test_what_is_not_the_same_is_drawn_under_another_name(few: Examples, kept, monkeypatch, change: str) -> None:
    folder, _ = kept
    monkeypatch.undo()
    recipe, number, examples = FULL, 1, few
    if change == "recipe":
        recipe = replace(FULL, reach=0.3)
    elif change == "number":
        number = 2
    elif change == "poses":
        examples = replace(few, lies=few.lies + np.eye(7)[0])
    else:
        examples = replace(few, seed=few.seed + np.uint64(1))
    draw_pictures(examples, recipe, number, cache=folder, workers=1)
    assert len(list(folder.iterdir())) == 2


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)


def forget(path: Path) -> None:
    with np.load(path) as file:
        np.savez(path, grey=file["grey"])


def shorten(path: Path) -> None:
    with np.load(path) as file:
        parts = dict(file)
    np.savez(path, **(parts | {"grey": parts["grey"][1:]}))


def retype(path: Path) -> None:
    with np.load(path) as file:
        parts = dict(file)
    np.savez(path, **(parts | {"grey": parts["grey"].astype(float)}))


def make_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def hide_objects(path: Path) -> None:
    np.savez(path, grey=np.array([{}], object), mirror=np.zeros(1), boxes=np.zeros(1), allow_pickle=True)


@pytest.mark.parametrize(
    "damage", [cut, flip, forget, shorten, retype, make_array, hide_objects, lambda path: path.write_bytes(b"")]
)
def test_a_damaged_file_is_drawn_anew(few: Examples, kept, monkeypatch, damage) -> None:
    folder, grey = kept
    (path,) = folder.iterdir()
    damage(path)
    monkeypatch.undo()
    np.testing.assert_array_equal(draw_pictures(few, FULL, 1, cache=folder, workers=1).grey, grey)
    monkeypatch.setattr(module, "draw_all", lambda *_: pytest.fail("the damaged file is still there"))
    np.testing.assert_array_equal(draw_pictures(few, FULL, 1, cache=folder, workers=1).grey, grey)


def find_mirrored(examples: Examples, mirror: Mirror) -> tuple[int, int]:
    """A row, and the number of a picture of it in this mirror; the tower lacks a block whose slot the mirror changes."""
    for row in range(len(examples)):
        own = np.flatnonzero(examples.removed[row])
        if not set(mirror_slots(np.arange(90), *mirror.signs)[own]) <= set(own) or mirror == Mirror():
            for number in range(1, 20):
                if plan_shot(CLOSE, int(examples.seed[row]), number).mirror == mirror:
                    return row, number
    raise AssertionError


@pytest.mark.parametrize("mirror", [Mirror(x, y) for x in (False, True) for y in (False, True)])
def test_labels_are_true_in_every_mirror(examples: Examples, mirror: Mirror) -> None:
    """Blocks are taken out of the picture one by one: where it changes is where the truth of their slots says they are."""
    row, number = find_mirrored(examples, mirror)
    one = examples.take(slice(row, row + 1))
    truth = draw_pictures(one, CLOSE, number, workers=1).truth
    slots, shot = 3 * int(one.layers[0]), plan_shot(CLOSE, int(one.seed[0]), number)._replace(look=SHADOWLESS)
    known = truth.removed_locs[0, :slots]
    np.testing.assert_array_equal(known, one.removed[0, mirror_slots(np.arange(18), *mirror.signs)[:slots]])
    assert truth.num_removed[0] == known.sum()
    assert truth.slots[0].tolist() == [True] * slots + [False] * (18 - slots)
    np.testing.assert_array_equal(truth.block_set[0, :slots, 0], ~known)
    np.testing.assert_array_equal(np.isfinite(truth.block_set[0, :slots, 1]), ~known)

    # The truth of a slot is where that slot is in the picture. A standing tower leans by some millimetres at most.
    ideal, _ = shot.camera.project(jenga_tower(int(one.layers[0])).position)
    apart = np.linalg.norm(128 * truth.block_set[0, :slots, 1:3] - ideal, axis=1)[~known]
    assert apart.max() < 0.5  # pixels; neighbours are eight apart

    looked = 0
    for block in np.flatnonzero(np.isfinite(one.stood[0, :, 0])):
        slot = mirror_slots(np.arange(18), *mirror.signs)[one.slot[0, block]]
        for poses, place in (
            (one.stood[0], truth.block_set[0, slot, 1:3]),
            (one.lies[0], truth.block_set[0, slot, 1:3] + truth.displacement[0, slot]),
        ):
            without = poses.copy()
            without[block] = np.nan
            with_it, without_it = (draw_shot(DebrisPose(one.size[0], poses, each), shot) for each in (poses, without))
            rows, columns = np.nonzero(with_it != without_it)
            if len(rows) > 300:  # most of it is seen
                looked += 1
                middle = columns.mean() + 0.5, rows.mean() + 0.5
                assert np.linalg.norm(128 * place - middle) < 9.0  # the part that others hide is not in the middle
    assert looked >= 5
