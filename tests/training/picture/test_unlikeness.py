"""The score of unlikeness: a distance in the file itself, a limit from known pictures, and what the net that ships says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from anastylosis.dataset import Dataset, Recipe
from anastylosis.dataset.examples import Examples
from anastylosis.models.picture import cover_pixels
from anastylosis.models.picture_model import PictureModel, write_picture_card
from anastylosis.models.shipped import SHIPPED
from anastylosis.report.evaluation import KINDS
from anastylosis.training.model_file import store_model
from anastylosis.training.picture.job import KNOWN_VIEWS, PictureJob
from anastylosis.training.picture.ridge import RIDGE_HEADS, build_graph, fit_ridge
from anastylosis.training.picture.strange_pictures import ALTERED, FAR, HARMLESS
from anastylosis.training.picture.unlikeness import (
    RIDGES,
    SIDE,
    SPREAD_MIN,
    add_distances,
    add_features,
    add_unlikeness,
    find_limits,
    find_quantile,
    fit_gaussian,
    run_outputs,
    thin,
)
from anastylosis.training.picture.unlikeness_evaluation import UnlikenessTest
from support.models import make_card, write_model
from support.truths import make_pictures

SIZE = 32


def make_greys(count: int, seed: int) -> np.ndarray:
    """Pictures with something in them: a bright square on a gradient, a little elsewhere in each."""
    rng = np.random.default_rng(seed)
    greys = np.tile(np.linspace(60, 120, SIZE), (count, SIZE, 1)) + rng.normal(0, 3, (count, SIZE, SIZE))
    for grey, (top, left) in zip(greys, rng.integers(6, 14, (count, 2)), strict=True):
        grey[top : top + 10, left : left + 10] += 80
    return greys.clip(0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def ridge_graph() -> onnx.ModelProto:
    return build_graph(fit_ridge(make_pictures(24, SIZE, 3), make_pictures(16, SIZE, 3, seed=1)), SIZE)


@pytest.mark.parametrize(("count", "share", "rank"), [(99, 0.9, 90), (199, 0.99, 198), (8, 0.99, 8), (1, 0.5, 1)])
def test_a_limit_is_the_quantile_of_a_conformal_test(count: int, share: float, rank: int) -> None:
    values = np.random.default_rng(count).permutation(count) + 1.0
    assert find_quantile(values, share) == rank


def test_the_limits_of_all_parts_together_leave_the_share() -> None:
    distances = np.abs(np.random.default_rng(0).normal(size=(999, 2))) * (1.0, 40.0) + 0.1
    limits = find_limits(distances, (0.99, 0.995))
    assert int((distances / limits <= 1).all(axis=1).sum()) == 990
    assert limits[1] > 20 * limits[0]


def test_whitened_features_have_variance_one_but_where_they_hardly_vary() -> None:
    rng = np.random.default_rng(0)
    features = (rng.normal(size=(4000, 3)) @ [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]] + 5).astype(np.float32)
    mean, whitening = fit_gaussian(features, 1e-6)
    white = (features - mean) @ whitening
    np.testing.assert_allclose(np.sort(white.var(axis=0)), [0, 1, 1], atol=0.01)
    beside = np.array([0, 0, SPREAD_MIN]) @ whitening  # what never varied counts by the least deviation and the ridge
    assert np.linalg.norm(beside) == pytest.approx(1e3, rel=0.01)


def test_the_file_measures_the_distance_of_the_layout(ridge_graph: onnx.ModelProto) -> None:
    greys = make_greys(60, 0)
    cover = cover_pixels(SIZE, SIDE)
    layout = (cover @ (greys / np.float32(255)) @ cover.T).reshape(60, -1)
    gaussian = fit_gaussian(layout, RIDGES["layout"])
    graph = add_distances(add_features(ridge_graph, ["layout"]), {"layout": gaussian})
    found = run_outputs(graph, ["unlikeness"], greys)["unlikeness"]
    np.testing.assert_allclose(found[:, 0], (((layout - gaussian.mean) @ gaussian.whitening) ** 2).mean(axis=1), rtol=2e-3)


def test_known_pictures_are_accepted_and_others_are_not(ridge_graph: onnx.ModelProto, tmp_path: Path) -> None:
    graph, about = add_unlikeness(ridge_graph, [make_greys(200, 0), make_greys(200, 1)], [make_greys(100, 2)])
    assert (about.parts, about.share, about.examples) == (("layout",), 0.99, 100)  # a ridge has no feature maps
    card = make_card(3, SIZE, RIDGE_HEADS, unlikeness=about)
    store_model(tmp_path / "m.onnx", graph, write_picture_card(card))
    store_model(tmp_path / "before.onnx", ridge_graph, write_picture_card(replace(card, unlikeness=None)))
    model, before = (PictureModel.from_file(tmp_path / name) for name in ("m.onnx", "before.onnx"))
    known, noise = make_greys(300, 3), np.random.default_rng(0).integers(0, 256, (50, SIZE, SIZE), dtype=np.uint8)
    scores, strange = model.measure_unlikeness(known), model.measure_unlikeness(noise)
    assert scores is not None
    assert strange is not None
    assert (scores <= 1).mean() >= 0.95
    assert (strange > 1).all()
    assert before.measure_unlikeness(noise) is None
    for head in RIDGE_HEADS:
        assert getattr(model.run(known), head).tobytes() == getattr(before.run(known), head).tobytes()


def test_at_most_so_many_pictures_are_fitted_on(monkeypatch) -> None:
    monkeypatch.setattr("anastylosis.training.picture.unlikeness.PICTURES_MAX", 10)
    views = [np.arange(23, dtype=np.uint8).reshape(23, 1, 1) + shift for shift in (0, 100)]
    assert thin(views).ravel().tolist() == [0, 5, 10, 15, 20, 100, 105, 110, 115, 120]
    assert len(thin([view[:3] for view in views])) == 6


def test_the_validation_split_is_drawn_in_the_looks_of_the_training(debris: Path, job: PictureJob) -> None:
    assert job.known == []  # one view, the plain one: it is there as `val`
    recipe = Recipe(size=32, camera="near")
    several = PictureJob.open(Dataset(debris), recipe, 9, workers=1, progress=lambda *_: None)
    assert [len(each) for each in several.known] == [len(several.val)] * KNOWN_VIEWS
    assert all((each.grey != several.val.grey).any() for each in several.known)


@pytest.mark.parametrize("kind", [*FAR, *HARMLESS, *ALTERED])
def test_strange_pictures_follow_from_the_seed_and_differ(kind: str) -> None:
    base = make_greys(1, 0)[0]

    def draw(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return FAR[kind](rng, SIZE) if kind in FAR else {**HARMLESS, **ALTERED}[kind](rng, base)

    picture = draw(0)
    assert (picture.shape, picture.dtype) == ((SIZE, SIZE), np.uint8)
    assert (picture == draw(0)).all()
    assert any((picture != draw(seed)).any() for seed in range(1, 9)) or kind in ("compressed", "inverted")
    assert (picture != base).any()


def test_evaluation_has_a_row_for_each_kind(examples: Examples, tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx", size=SIZE)
    write_model(tmp_path / "without.onnx", card=make_card(unlikeness=None))
    test = UnlikenessTest(examples=examples.of("test"), workers=1)
    photographs = np.zeros((7, SIZE, SIZE), np.uint8)
    rows = test.evaluate("m", PictureModel.from_file(tmp_path / "m.onnx"), {"photographs": photographs})
    found = {row.metric: row for row in rows}
    assert len(found) == len(rows)
    assert {row.split for row in rows} == {"unlike-known", "unlike-near", "unlike-far"}
    assert set(KINDS) - set(found) == {"mujoco", "figures"}  # of the tool that writes the page
    assert set(found) <= set(KINDS)
    assert {*FAR, *HARMLESS, *ALTERED} < set(found)
    assert {row.value for row in rows} == {0.0}  # of this model every picture has a score of 0.5
    assert (found["photographs"].count, found["plain"].count) == (7, 8)
    assert test.evaluate("without", PictureModel.from_file(tmp_path / "without.onnx")) == []


@pytest.mark.parametrize("kind", FAR)
def test_the_net_that_ships_does_not_know_pictures_without_debris(kind: str) -> None:
    rng = np.random.default_rng(5)
    scores = PictureModel.from_file(SHIPPED).measure_unlikeness(np.stack([FAR[kind](rng, 192) for _ in range(40)]))
    assert scores is not None
    assert (scores > 1).mean() >= 0.95


def test_the_net_that_ships_knows_debris(examples: Examples) -> None:
    """Drawn as in its training: other episodes, in any light. Towers of five layers are lower than any that it has seen."""
    model = PictureModel.from_file(SHIPPED)
    test = UnlikenessTest(examples=examples, workers=1)
    for kind in ("plain", "trained", "exposed", "compressed"):
        assert test.score("known", kind, "full", model, test.draw_known(model)[kind]).value <= 0.1
