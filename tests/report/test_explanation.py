"""What a model has learned, drawn: pages with nothing cut off or on top of each other; and the command, as a user meets it."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from anastylosis import cli
from anastylosis.dataset import Dataset, Plan, generate
from anastylosis.dataset.preset import friction_levels
from anastylosis.dataset.split import Shares
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.models.answers import HEADS
from anastylosis.models.picture_model import PictureModel
from anastylosis.report.explanation import FINDINGS, Explanation
from anastylosis.report.explanation_pages.filters import draw_filters
from anastylosis.report.explanation_pages.heat import draw_heat_page
from anastylosis.report.explanation_pages.learning import draw_learning
from anastylosis.report.explanation_pages.overview import draw_overview
from anastylosis.report.explanation_pages.reliability import draw_reliability
from anastylosis.report.explanation_pages.saliency import draw_saliency
from anastylosis.report.figure_page import DPI, WIDTH
from anastylosis.validation.insight.embedding import project
from anastylosis.validation.insight.findings import PaperFindings
from anastylosis.validation.insight.insight import Insight, find_test, pick_episode
from anastylosis.validation.insight.saliency import Saliency
from support.models import make_card, write_model
from support.truths import make_truth

LAYERS = 5
HISTORY = json.dumps([{"epoch": k, "train": 3 / k, "val": 3 / k + 0.1 * k, "val_num_removed": 1 / k} for k in range(1, 9)])


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    """Eight games of two levels, all in the test split. Pictures are kept in it; nothing else is changed."""
    folder = tmp_path_factory.mktemp("explained") / "games"
    levels = friction_levels([(0.25, 0.25), (0.6, 0.6)], 4, layers=LAYERS)
    for _ in generate(folder, Plan(levels=levels, shares=Shares(val=0, test=0.99))):
        pass
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A net of one layer, whose embedding and count depend on the picture."""
    path = tmp_path_factory.mktemp("models") / "net.onnx"
    kernels = np.random.default_rng(0).normal(size=(8, 1, 7, 7))
    write_model(path, LAYERS, heads=(*HEADS[:6], "embedding"), brightness=9.0, kernels=kernels, history=HISTORY)
    return path


def made_up(insight: Insight, layers: int, episodes: int = 40) -> Insight:
    """Answers that are half right about made-up towers of so many layers, told with the pictures of the real ones."""
    rng, truth = np.random.default_rng(1), make_truth(episodes, layers)
    logit = rng.normal(-2, 1, truth.slots.shape) + 2 * truth.removed_locs
    answers = insight.answers._replace(
        num_removed=np.maximum(truth.num_removed + rng.normal(0, 1, episodes), 0),
        removed_locs=1 / (1 + np.exp(-logit)),
        imbalance=truth.imbalance,
        torque_risk=truth.torque_risk + rng.normal(0, 0.5, episodes),
        embedding=rng.normal(size=(episodes, 8)) + 4 * truth.friction_level[:, None],
    )
    rows = np.arange(episodes) % len(insight.grey)
    examples = replace(
        insight.examples.take(rows), seed=np.arange(episodes, dtype=np.uint64), layers=truth.slots.sum(axis=1) // 3,
        friction=np.array(list(FRICTION_LEVELS.values()))[truth.friction_level],
    )  # fmt: skip
    row = pick_episode(truth, answers)
    return replace(insight, truth=truth, answers=answers, examples=examples, grey=insight.grey[rows], row=row)


@pytest.fixture(scope="module")
def insight(games: Path, model: Path) -> Insight:
    return Insight.open(PictureModel.from_file(model), Dataset(games), workers=1)


def draw_all(insight: Insight, findings: PaperFindings) -> dict[str, Figure]:
    rng, embedding = np.random.default_rng(2), insight.answers.embedding
    history = [{"epoch": k, "train": 3 / k, "val": 90 / k, **{f"val_{head}": 1 / k for head in HEADS[:8]}} for k in range(1, 31)]
    no_blocks = np.zeros(insight.grey.shape[1:], bool)
    assert embedding is not None
    return {
        "explain": draw_overview(insight, findings, project(embedding), "title"),
        "without": draw_overview(insight, findings, None, "title", why_no_map="the model has no embedding"),
        "heatmap": draw_heat_page(insight, findings, "title"),
        "reliability": draw_reliability(findings, "title"),
        "saliency": draw_saliency(insight, Saliency(rng.normal(size=(6, 6)), rng.random((6, 6)), 9, no_blocks), "title"),
        "learning": draw_learning(history, "title"),
        "filters": draw_filters(rng.normal(size=(64, 7, 7)), rng.random(64), 0.4, "title"),
    }


@pytest.fixture(scope="module", params=[5, 24])
def figures(request, insight: Insight) -> dict[str, Figure]:
    case = made_up(insight, request.param)
    drawn = draw_all(case, PaperFindings.measure(case))
    for figure in drawn.values():
        figure.draw_without_rendering()
    return drawn


def visible_texts(figure: Figure) -> list[Text]:
    """Every text that is drawn; ticks beyond the ends of an axis are not."""
    drawn = list(figure.texts)
    for axes in figure.axes:
        if not axes.axison:
            continue
        drawn += [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            drawn += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        if axes.get_legend():
            drawn += axes.get_legend().get_texts()
    return [text for text in drawn if text.get_visible() and text.get_text().strip()]


def test_no_text_is_cut_off(figures: dict[str, Figure]) -> None:
    for name, figure in figures.items():
        width, height = figure.bbox.width, figure.bbox.height
        boxes = [(text.get_text(), text.get_window_extent()) for text in visible_texts(figure)]
        cut = [words for words, box in boxes if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height]
        assert cut == [], name


def test_no_text_lies_on_another(figures: dict[str, Figure]) -> None:
    for name, figure in figures.items():
        texts = visible_texts(figure)
        boxes = np.array([text.get_window_extent().extents for text in texts])
        shared = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - np.maximum(boxes[:, None, :2], boxes[None, :, :2])
        pairs = np.argwhere(np.triu((shared > 1.5).all(axis=2), 1))  # [px]; letters do not fill their boxes
        assert [(texts[a].get_text(), texts[b].get_text()) for a, b in pairs] == [], name


def test_pages_are_of_one_width(figures: dict[str, Figure]) -> None:
    assert {figure.get_size_inches()[0] for figure in figures.values()} == {WIDTH}


def test_stars_outlines_and_the_bar_of_what_fell(insight: Insight) -> None:
    case = made_up(insight, 6)
    figure = draw_heat_page(case, PaperFindings.measure(case), "title")
    axes = next(each for each in figure.axes if each.get_title(loc="left").startswith("Said of each slot"))
    stars = [line for line in axes.lines if line.get_marker() == "*"]
    assert len(stars) == round(float(case.answers.num_removed[case.row]))
    outlines = [patch for patch in axes.patches if not patch.get_fill()]
    assert len(outlines) == case.truth.removed_locs[case.row].sum()
    (bar,) = [patch for patch in axes.patches if patch.get_hatch()]
    layers = case.truth.slots[case.row].sum() / 3
    assert (bar.get_y(), bar.get_y() + bar.get_height()) == (case.truth.failure_layer[case.row] - 0.5, layers - 0.5)


def test_a_difference_of_nothing_has_no_sign(insight: Insight) -> None:
    case = made_up(insight, 6)
    exact = replace(case, answers=case.answers._replace(removed_locs=case.truth.removed_locs - 1e-4))
    figure = draw_heat_page(exact, PaperFindings.measure(exact), "title")
    axes = next(each for each in figure.axes if each.get_title(loc="left") == "Said less true")
    assert {text.get_text() for text in axes.texts} == {"0"}


def test_torque_is_drawn_from_none_up_and_its_words_are_beside(figures: dict[str, Figure]) -> None:
    for name in ("explain", "without"):
        said, true = (axes for axes in figures[name].axes if axes.get_xlabel().startswith("blocks gone"))
        for axes in (said, true):
            (words,) = axes.texts
            assert words.get_text().startswith("ρ ")
            assert words.get_window_extent().y0 >= axes.get_window_extent().y1  # above: not on points, not on the grid
        assert min(float(dots.get_offsets().min()) for dots in true.collections) >= 0


def test_a_page_without_a_map_has_no_room_for_one(figures: dict[str, Figure]) -> None:
    whole, without = figures["explain"], figures["without"]
    assert any("t-SNE" in text.get_text() for text in whole.texts)
    assert not any("t-SNE" in text.get_text() for text in without.texts)
    assert any("(b) is left out: the model has no embedding." in text.get_text() for text in without.texts)
    assert all(axes.has_data() for axes in without.axes)


@pytest.fixture
def call(monkeypatch) -> Callable[..., int]:
    """`anastylosis explain` in this process."""

    def run(*words: object) -> int:
        monkeypatch.setattr(sys, "argv", ["anastylosis", "explain", *map(str, words)])
        with pytest.raises(SystemExit) as leaving:
            cli.main()
        return leaving.value.code or 0

    return run


def test_all_of_it_through_the_command_line(call, games: Path, model: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "new" / "folder"
    assert call(model, games, "--out", out, "--workers", 1, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["files"]) == {*Explanation.STEPS[1:], "findings"}
    for name, path in told["files"].items():
        assert Path(path) == out / (FINDINGS if name == "findings" else f"{name}.png")
    for name in Explanation.STEPS[1:]:
        with Image.open(told["files"][name]) as picture:
            assert picture.size[0] == round(WIDTH * DPI)
            assert len(np.unique(np.asarray(picture.convert("L")))) > 20
    assert json.loads((out / FINDINGS).read_text(encoding="utf-8")) == told["findings"]
    found = told["findings"]
    fell = find_test(Dataset(games))
    assert (found["episodes"], found["towers"]) == (len(fell), len(set(fell.seed.tolist())))
    assert found["silhouette"]["verdict"] in ("separate", "lean", "mixed")
    assert found["filters"]["count"] == 8
    assert found["epochs"] == 8
    assert found["left_out"] == {}
    assert found["correlations"]["torque and count: said"]["value"] is None  # it says one torque of all
    assert found["saliency"]["slots"]["on_blocks"] is None  # and of the slots whatever it sees


def test_an_episode_can_be_chosen(games: Path, model: Path) -> None:
    name = str(find_test(Dataset(games)).name[-1])
    seen = Insight.open(PictureModel.from_file(model), Dataset(games), episode=name, workers=1)
    assert seen.examples.name[seen.row] == name


def test_a_model_that_lacks_parts_gets_the_rest(call, games: Path, tmp_path: Path, capsys) -> None:
    write_model(tmp_path / "plain.onnx", LAYERS, heads=HEADS[:4])
    assert call(tmp_path / "plain.onnx", games, "--out", tmp_path / "out", "--workers", 1) == 0
    out, err = capsys.readouterr()
    assert [Path(line).name for line in out.splitlines()] == [
        "explain.png", "heatmap.png", "reliability.png", "saliency.png", FINDINGS,
    ]  # fmt: skip
    assert "left out: embedding, the model has no embedding" in err
    assert "left out: learning" in err
    assert "left out: filters" in err


def test_a_model_with_more_slots_than_its_pictures_show(games: Path, tmp_path: Path) -> None:
    card = make_card(LAYERS + 20)
    write_model(tmp_path / "tall.onnx", card=card)
    seen = Insight.open(PictureModel.from_file(tmp_path / "tall.onnx"), Dataset(games), workers=1)
    assert seen.truth.slots.shape == seen.answers.removed_locs.shape == (len(seen.grey), 3 * card.view.layers)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("{model}", "{games}", "--out", "{tmp}/o", "--episode", "low_exp_9999"), "there is no episode 'low_exp_9999'"),
        (("{model}", "{trained}", "--out", "{tmp}/o"), "0 collapses in its split 'test'"),
        (("{games}/manifest.json", "{games}", "--out", "{tmp}/o"), "cannot be used as a model"),
        (("nowhere.onnx", "{games}", "--out", "{tmp}/o"), "there is no model nowhere.onnx"),
        (("{model}", "{tmp}", "--out", "{tmp}/o"), "anastylosis simulate"),
        (("{model}", "{games}", "--out", "{model}"), "is a file; name another place"),
    ],
)
def test_mistakes_are_one_line(
    call, games: Path, model: Path, two_levels: Path, tmp_path: Path, capsys, words: tuple[str, ...], message: str
) -> None:
    given = [word.format(model=model, games=games, trained=two_levels, tmp=tmp_path) for word in words]
    assert call(*given, "--workers", 1) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err.splitlines()[-1]
    assert not (tmp_path / "o").exists()
