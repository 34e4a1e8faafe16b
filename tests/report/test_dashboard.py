"""The dashboard: twelve panels that say what they show, nothing cut off or on top of each other, numbers that are right."""

import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.report.dashboard import DPI, SIZE, clean_name, draw_dashboard, draw_page, read_criterion, settle, write_dashboard
from anastylosis.report.games import Games
from anastylosis.report.panels.marks import INTERVAL
from anastylosis.validation.interval import Interval
from support.handwritten_games import ACROSS, ALONG, CENTRE, FALLS, STANDS, make_games

LEARN = ("learn", "tall", "slippery", "rough", "greedy")
LONG = 6 * ((ALONG, "out", 0.4),) + ((CENTRE, "collapse", 1.0),)


def draw(*levels: Games, **words: object) -> Figure:
    return draw_page(list(levels), **({"name": "games", "version": "0.0.1", "energy": 5e-5, "angle": 0.52} | words))


def panel(figure: Figure, title: str) -> Axes:
    return next(axes for axes in figure.axes if axes.get_title(loc="left").startswith(title))


def intervals(axes: Axes) -> list[tuple[float, float]]:
    return [tuple(line.get_xdata()) for line in axes.lines if line.get_label() == INTERVAL]


def visible_texts(figure: Figure) -> list[Text]:
    """Every text that is drawn; ticks beyond the ends of an axis are not."""
    drawn = list(figure.texts)
    for axes in figure.axes:
        drawn += [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            drawn += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [text for text in drawn if text.get_visible() and text.get_text().strip()]


CASES = {
    "paper": [make_games(FALLS, LONG, STANDS, level=level, friction=mu) for level, mu in (("low", 0.25), ("high", 0.6))],
    "learn": [
        make_games(*[FALLS] * 20, LONG, level=level, friction=mu)
        for level, mu in zip(LEARN, (0.2, 0.3, 0.4, 0.6, 0.8), strict=True)
    ],
    "many": [make_games(FALLS, STANDS, level=f"mu{mu:.3f}", friction=mu) for mu in np.linspace(0.1, 1.0, 12)],
    "one game": [make_games(FALLS)],
    "none fell": [make_games(STANDS, STANDS, level="nominal")],
    "no pulls": [make_games((), level="nominal")],
    "all alike": [make_games(*[LONG] * 200)],
}


@pytest.fixture(scope="module", params=CASES, ids=list(CASES))
def figure(request) -> Figure:
    drawn = draw(*CASES[request.param])
    settle(drawn)
    return drawn


def test_twelve_panels_each_with_a_title_of_its_own(figure: Figure) -> None:
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert len(titles) == len(set(titles)) == 12
    assert all(titles)


def test_no_text_is_cut_off(figure: Figure) -> None:
    width, height = figure.bbox.width, figure.bbox.height
    boxes = [(text.get_text(), text.get_window_extent()) for text in visible_texts(figure)]
    assert len(boxes) > 30
    assert [words for words, box in boxes if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height] == []


def test_no_text_lies_on_another(figure: Figure) -> None:
    texts = visible_texts(figure)
    boxes = np.array([text.get_window_extent().extents for text in texts])
    shared = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    pairs = np.argwhere(np.triu((shared > 1.5).all(axis=2), 1))  # [px]; letters do not fill their boxes
    assert [(texts[a].get_text(), texts[b].get_text()) for a, b in pairs] == []


def test_panels_and_their_words_keep_off_each_other(figure: Figure) -> None:
    boxes = np.array([axes.get_tightbbox().extents for axes in figure.axes])
    shared = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    assert np.argwhere(np.triu((shared > 1.5).all(axis=2), 1)).tolist() == []


def test_units_are_named(figure: Figure) -> None:
    units = ("%", "mN", "mm", "mJ", "degrees", "blocks", "rounds")
    shown = [axes for axes in figure.axes if len(axes.get_xticks())]
    assert [axes.get_xlabel() for axes in shown if not any(unit in axes.get_xlabel() for unit in units)] == []


def test_intervals_of_falls_are_wilsons() -> None:
    figure = draw(make_games(FALLS, FALLS, STANDS), make_games(STANDS, STANDS, level="high", friction=0.6))
    drawn = intervals(panel(figure, "Towers that fell"))
    expected = [Interval.wilson(2, 3), Interval.wilson(0, 2)]
    assert drawn == [pytest.approx((100 * low, 100 * high)) for _, low, high in expected]
    words = [text.get_text() for text in panel(figure, "Towers that fell").texts]
    assert words == ["2 of 3", "0 of 2"]
    kinds = intervals(panel(figure, "Falls by kind"))
    assert pytest.approx([100 * part for part in Interval.wilson(2, 4)[1:]]) in [
        list(each) for each in kinds
    ]  # side, across: 2 of 4


def test_towers_become_fewer_with_every_fatal_round() -> None:
    figure = draw(make_games(FALLS, LONG, STANDS, STANDS))  # fall at the third and the seventh round; two never
    (line,) = panel(figure, "Towers still standing").lines
    after, standing = line.get_data()
    assert dict(zip(after.tolist(), standing.tolist(), strict=True)) == {
        0: 100, 1: 100, 2: 100, 3: 75, 4: 75, 5: 75, 6: 75, 7: 50, 8: 50,
    }  # fmt: skip


def test_risks_of_a_level_make_a_whole() -> None:
    games = make_games(FALLS)
    figure = draw(games._replace(risk=np.array(["low", "high", "low", "medium"], dtype=object)))
    assert [bar.get_width() for bar in panel(figure, "Risk").patches] == [50, 25, 25]


def test_removals_are_by_layer_or_by_height() -> None:
    games = make_games(FALLS, layers=6)._replace(layer=np.array([0, 3, 3, 1]))  # the third pull was stuck
    axes = panel(draw(games), "Where blocks")
    assert axes.lines[0].get_xdata().tolist() == pytest.approx([100 / 3, 100 / 3, 0, 100 / 3])
    assert "layer" in axes.get_ylabel()
    other = make_games(FALLS, level="tall", layers=30)
    assert "% of the tower" in panel(draw(games, other), "Where blocks").get_ylabel()


def test_thresholds_are_the_closed_forms() -> None:
    axes = panel(draw(make_games(FALLS, friction=0.4)), "Ziglar")
    marks = {line.get_marker(): line.get_xdata()[0] for line in axes.lines if line.get_marker() in ("|", "x")}
    assert marks == {"|": pytest.approx(230.7, abs=0.05), "x": pytest.approx(307.6, abs=0.05)}


def test_one_tower_that_comes_apart_does_not_stretch_the_axis() -> None:
    games = make_games(*[LONG] * 100)
    margins = games.interface_margin.copy()
    margins[3] = -0.047  # of 700
    figure = draw(games._replace(interface_margin=margins))
    for title in ("Balance margin", "Margin and"):
        axes = panel(figure, title)
        assert axes.get_xlim()[0] == 0
        assert "◂ 1" in [text.get_text() for text in axes.texts]
    shares = panel(figure, "Balance margin").patches[-1].get_data().values
    assert shares.sum() == pytest.approx(100)  # it is drawn at the end of the axis, not left out
    margins[:350] = -0.047
    assert panel(draw(games._replace(interface_margin=margins)), "Balance margin").get_xlim()[0] == pytest.approx(-47)


def test_a_level_has_one_colour_everywhere() -> None:
    levels = [make_games(FALLS, LONG, level=name) for name in ("low", "nominal", "high")]
    figure = draw(*levels)
    keys = [to_hex(text.get_color()) for text in figure.texts if text.get_text() == "●"]
    assert len(set(keys)) == 3
    assert [to_hex(line.get_color()) for line in panel(figure, "Towers still standing").lines] == keys
    assert [to_hex(line.get_color()) for line in panel(figure, "Where blocks").lines] == keys
    fell = [line for line in panel(figure, "Towers that fell").lines if line.get_label() == INTERVAL]
    assert [to_hex(line.get_color()) for line in fell] == keys
    assert len({to_hex(line.get_color()) for line in panel(figure, "Falls by kind").lines}) == 3


def test_what_did_not_happen_is_said() -> None:
    assert [text.get_text() for text in panel(draw(make_games(STANDS)), "Blocks on the floor").texts] == ["no tower fell"]
    assert [text.get_text() for text in panel(draw(make_games(())), "Margin and").texts] == ["no pulls"]


def test_head_and_foot_say_what_it_is_of(two_levels: Path) -> None:
    dataset = Dataset(two_levels)
    words = [text.get_text() for text in draw_dashboard(dataset).texts]
    pulls = len(dataset.read("rounds", ["round"]))
    assert words[0] == f"two-levels: 6 games, {pulls} pulls"
    assert words[-1] == f"Dataset two-levels, begun by Anastylosis {dataset.manifest.version}; drawn by {__version__}."
    assert {"low, μ 0.25", "nominal, μ 0.40"} <= set(words)


def test_a_real_dataset_as_png_and_as_svg_of_the_same_bytes(two_levels: Path, tmp_path: Path) -> None:
    dataset = Dataset(two_levels)
    for name in ("one.png", "one.svg", "two.SVG"):
        write_dashboard(dataset, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.SVG").read_bytes()
    with Image.open(tmp_path / "one.png") as picture:
        assert picture.size == tuple(round(side * DPI) for side in SIZE)
        assert np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0).shape[0] > 100
    assert xml.etree.ElementTree.parse(tmp_path / "one.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("name", ["page.pdf", "page", "page.png.txt"])
def test_other_suffixes_are_refused_before_anything_is_written(two_levels: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"does not end in \.png or \.svg"):
        write_dashboard(Dataset(two_levels), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_thresholds_of_a_fall_are_drawn_where_all_levels_agree(two_levels: Path) -> None:
    dataset = Dataset(two_levels)
    assert read_criterion(dataset) == (5e-5, pytest.approx(np.radians(30)))
    dataset.manifest.levels["low"]["config"]["collapse"]["energy"] = 1.0
    dataset.manifest.levels["low"]["config"]["collapse"]["angle"] = "far"
    assert read_criterion(dataset) == (None, None)
    draw_dashboard(dataset)


def test_any_name_of_a_folder_is_drawn() -> None:
    assert clean_name("a\nb\udcff$x$") == r"a?b?\$x\$"
    assert len(clean_name("n" * 300)) == 61
    assert draw(make_games(FALLS), name="cost_$5_to_$9^2").texts[0].get_text().startswith(r"cost_\$5")


def test_across_is_the_move_with_a_torque() -> None:
    figure = draw(make_games(((ACROSS, "out", 1.0), (CENTRE, "out", 1.0), (ALONG, "out", 1.0), (ACROSS, "collapse", 1.0))))
    assert [text.get_text() for text in panel(figure, "Moves with a torque").texts] == ["50 %"]
