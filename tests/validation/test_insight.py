"""What is measured of a model, on data whose answers are known: silhouettes, neighbours, correlations, patches, filters."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.models.filters import measure_orientation, orientation_by_chance, read_filters
from anastylosis.models.picture_model import PictureModel
from anastylosis.validation.insight.embedding import (
    average_neighbours,
    measure_distances,
    measure_separation,
    project,
    silhouette,
)
from anastylosis.validation.insight.findings import (
    compare_places,
    correlate,
    correlate_beyond,
    draw_towers,
    measure_dispersal,
    measure_reliability,
)
from anastylosis.validation.insight.insight import choose_top, find_test, measure_losses, pick_episode
from anastylosis.validation.insight.saliency import hide_patches, share_on_blocks
from anastylosis.validation.metrics import BINS, spearman
from support.models import build_model, make_card, write_model
from support.truths import make_truth, perfect_answers, random_answers


def dice() -> np.random.Generator:
    return np.random.default_rng(0)


def test_silhouette_is_that_of_scikit_learn() -> None:
    points, labels = dice().normal(size=(60, 5)), dice().integers(0, 4, 60)
    assert silhouette(measure_distances(points), labels) == pytest.approx(silhouette_score(points, labels), abs=1e-6)
    labels[:] = 0
    labels[0] = 1  # alone: counts as 0
    assert silhouette(measure_distances(points), labels) == pytest.approx(silhouette_score(points, labels), abs=1e-6)


def test_clusters_separate_and_a_cloud_does_not() -> None:
    rng, labels = dice(), np.repeat([0, 1, 2], 20)
    far = rng.normal(size=(60, 8)) + 20 * np.eye(8)[labels]
    near = rng.normal(size=(60, 8)) + 1.5 * np.eye(8)[labels]
    cloud = rng.normal(size=(60, 8))
    found = [measure_separation(measure_distances(points), labels) for points in (far, near, cloud)]
    assert [each.verdict for each in found] == ["separate", "lean", "mixed"]
    assert found[0].value > 0.8
    assert found[0].p == pytest.approx(1 / 501)
    assert found[2].chance_low < found[2].value < found[2].chance_high


def test_nothing_to_separate() -> None:
    assert measure_separation(np.zeros((4, 4)), [0, 0, 1, 1]).verdict == "none"
    assert measure_separation(measure_distances(dice().normal(size=(4, 2))), [1, 1, 1, 1]).verdict == "none"


def test_neighbours_are_of_other_towers() -> None:
    at = np.array([0.0, 0.1, 1.0, 1.1, 2.0])[:, None]
    values, towers = np.array([0.0, 9.0, 1.0, 2.0, 3.0]), np.array([0, 0, 1, 2, 3])
    asked = average_neighbours(measure_distances(at), values, towers, k=1)
    np.testing.assert_allclose(asked, [1.0, 1.0, 2.0, 1.0, 2.0])  # the first two are one tower, and do not ask each other


def test_a_map_is_the_same_twice_and_keeps_clusters_together() -> None:
    labels = np.repeat([0, 1], 15)
    points = dice().normal(size=(30, 6)) + 30 * labels[:, None]
    first, second = project(points), project(points)
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first[1], second[1])
    assert silhouette(measure_distances(first[1]), labels) > 0.5
    assert project(points[:3]) is None
    assert project(np.ones((30, 6))) is None


def test_correlations_have_the_signs_they_were_made_with() -> None:
    rng = dice()
    count = rng.normal(size=200)
    first, second = count + 0.5 * rng.normal(size=200), count + 0.5 * rng.normal(size=200)
    draws = draw_towers(np.arange(200))
    found = correlate(first, second, draws)
    assert found.value == pytest.approx(spearman(first, second))
    assert 0 < found.low < found.value < found.high < 1
    assert correlate(first, -second, draws).high < 0
    beyond = correlate_beyond(first, second, count, draws)  # nothing but the count is common to the two
    assert beyond.low < 0 < beyond.high
    assert np.isnan(correlate(np.ones(200), second, draws).value)


def test_episodes_of_one_tower_are_drawn_together() -> None:
    draws = draw_towers(np.array([0, 0, 1, 1, 1]), resamples=20)
    assert (draws[:, 0] == draws[:, 1]).all()
    assert (draws[:, 2] == draws[:, 4]).all()
    assert (draws[:, 0] + draws[:, 2] == 2).all()


def test_lower_and_side_blocks_are_compared_without_the_protected_layers() -> None:
    layers = np.full(4, 6)
    counted, values = np.ones((4, 18), bool), np.zeros((4, 18))
    values[:, [0, 2, 3, 5]] = 1  # sides of the two lowest layers, of four that may be touched
    found = compare_places(values, counted, layers, draw_towers(np.arange(4)))
    assert found["lower half - upper half"].value == pytest.approx(4 / 6)
    assert found["side - centre"].value == pytest.approx(4 / 8)
    values[:, 12:] = 1  # the two top layers change nothing
    again = compare_places(values, counted, layers, draw_towers(np.arange(4)))
    assert again == found


def test_what_is_said_is_what_happens() -> None:
    rng = dice()
    said = rng.random((300, 18))
    happened = rng.random((300, 18)) < said
    curve = measure_reliability(happened, said, np.ones((300, 18), bool), draw_towers(np.arange(300)))
    assert curve.items.sum() == 300 * 18
    assert len(curve.rate) == BINS
    np.testing.assert_allclose(curve.rate, curve.probability, atol=0.09)
    assert (curve.low <= curve.rate).all()
    assert (curve.rate <= curve.high).all()
    assert curve.error.value < 0.05
    assert measure_reliability(happened, 1 - said, np.ones((300, 18), bool), draw_towers(np.arange(300))).error.value > 0.4


def test_dispersal_is_along_the_floor_and_of_blocks_that_are_there() -> None:
    lies = np.zeros((1, 3, 7))
    lies[0, :, :3] = (3, 4, 9), (0, 0, 1), (np.nan, np.nan, np.nan)
    assert measure_dispersal(lies).tolist() == [pytest.approx(np.sqrt(25 / 2))]


def test_the_episode_in_the_middle_is_shown() -> None:
    truth = make_truth(9)
    answers = random_answers(truth)
    losses = measure_losses(truth, answers)
    assert sorted(losses)[4] == losses[pick_episode(truth, answers)]
    assert measure_losses(truth, perfect_answers(truth)).max() < 1e-5


def test_as_many_stars_as_the_model_says_are_gone() -> None:
    truth = make_truth(5)
    answers = perfect_answers(truth)
    for row in range(5):
        assert sorted(choose_top(answers, truth, row)) == np.flatnonzero(truth.removed_locs[row]).tolist()
    few = answers._replace(num_removed=np.full(5, 1.6))
    assert len(choose_top(few, truth, 0)) == 2
    assert len(choose_top(answers._replace(num_removed=np.full(5, 999.0)), truth, 0)) == truth.slots[0].sum()


def test_patches_cover_the_picture_one_by_one() -> None:
    grey = np.full((24, 24), 100, np.uint8)
    grey[:, :6] = 200
    hidden = hide_patches(grey, 6, range(36))
    changed = hidden != grey
    assert (hidden[changed] == 100).all()
    assert changed.any(axis=0)[:, :6].all()
    assert changed[0].sum() == 6 * 6  # in the corner, as far as it is in the picture
    assert not changed[5].any()  # there was nothing but the median


def test_change_is_counted_where_blocks_are() -> None:
    blocks = np.zeros((8, 8), bool)
    blocks[:4, :4] = True
    change = np.zeros((2, 2))
    change[0, 0], change[1, 1] = -3, 1
    assert share_on_blocks(change, blocks) == (0.75, 0.25)
    assert np.isnan(share_on_blocks(np.zeros((2, 2)), blocks)[0])


def test_edges_have_a_direction_and_noise_has_none() -> None:
    down, across = np.mgrid[-3:4, -3:4]
    edges = np.array([np.sign(across), np.sign(down), np.sign(across + down)]) * np.exp(-(down**2 + across**2) / 8)
    spot = np.exp(-(down**2 + across**2) / 4)[None]
    chance = orientation_by_chance(7, 7)
    assert (measure_orientation(edges) > chance).all()
    assert (measure_orientation(np.concatenate([spot, np.zeros((1, 7, 7)), np.ones((1, 7, 7))])) < 0.1).all()


def test_filters_are_read_without_onnx(tmp_path: Path) -> None:
    kernels = dice().normal(size=(8, 1, 7, 7)).astype(np.float32)
    write_model(tmp_path / "m.onnx", heads=(*make_card().heads, "embedding"), kernels=kernels)
    np.testing.assert_array_equal(read_filters(tmp_path / "m.onnx"), kernels[:, 0])
    packed = build_model(make_card(heads=(*make_card().heads, "embedding")), kernels=kernels)
    tensor = next(each for each in packed.graph.initializer if each.name == "kernels")
    tensor.ClearField("raw_data")
    tensor.float_data.extend(kernels.ravel().tolist())
    (tmp_path / "p.onnx").write_bytes(packed.SerializeToString())
    np.testing.assert_array_equal(read_filters(tmp_path / "p.onnx"), kernels[:, 0])
    write_model(tmp_path / "none.onnx")
    assert read_filters(tmp_path / "none.onnx") is None
    tensor.float_data.pop()
    (tmp_path / "cut.onnx").write_bytes(packed.SerializeToString())
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_filters(tmp_path / "cut.onnx")


@pytest.mark.parametrize(
    ("text", "epochs"),
    [
        (None, 0),
        ("[]", 0),
        ("{", 0),
        ('"words"', 0),
        ('[{"epoch": 1, "train": 2.0, "val": NaN}, {"epoch": 2, "train": 1.0, "val": 1.5, "val_x": 1}, 7, {"epoch": 3}]', 1),
    ],
)
def test_history_is_read_with_care(tmp_path: Path, text: str | None, epochs: int) -> None:
    write_model(tmp_path / "m.onnx", history=text)
    assert len(PictureModel.from_file(tmp_path / "m.onnx").history) == epochs


def test_a_dataset_without_a_test_split_is_refused(two_levels: Path) -> None:
    with pytest.raises(InvalidInput, match="collapses in its split 'test'"):
        find_test(Dataset(two_levels))
