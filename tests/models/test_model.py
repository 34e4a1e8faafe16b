"""Models: what a whole one answers, and files that are not what their cards say."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS
from anastylosis.models.picture_model import BATCH, PictureModel, write_picture_card
from support.models import build_model, known_answers, make_card, refuse, write_model


@pytest.fixture
def pictures() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (BATCH + 7, 32, 32), dtype=np.uint8)


def test_every_head_is_answered(tmp_path: Path, pictures: np.ndarray) -> None:
    card = write_model(tmp_path / "m.onnx", heads=HEADS)
    answers = PictureModel.from_file(tmp_path / "m.onnx").run(pictures[:3])
    for head, value in known_answers(card).items():
        np.testing.assert_allclose(getattr(answers, head), np.broadcast_to(value, (3, *value.shape)), rtol=1e-6)


def test_heads_that_a_model_lacks_are_none(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", heads=HEADS[:4])
    answers = PictureModel.from_file(tmp_path / "m.onnx").run(pictures[:1])
    assert [getattr(answers, head) for head in HEADS[4:]] == [None] * len(HEADS[4:])


def test_pictures_are_answered_one_by_one_in_any_batch(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", brightness=10.0, pull=(1.0, 2.0, 3.0))
    friction = np.arange(len(pictures)) % 4 - 1
    answers = PictureModel.from_file(tmp_path / "m.onnx").run(pictures, friction)
    drawn = np.array([0.0, 1.0, 2.0, 3.0])[friction + 1]  # unknown is all zeros
    np.testing.assert_allclose(answers.num_removed, 4 + 10 * pictures.mean(axis=(1, 2)) / 255 + drawn, rtol=1e-5)
    assert answers.removed_locs.shape == (len(pictures), 18)


def test_one_friction_for_all(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", pull=(1.0, 2.0, 3.0))
    assert PictureModel.from_file(tmp_path / "m.onnx").run(pictures, 2).num_removed.tolist() == [7.0] * len(pictures)


@pytest.mark.parametrize("friction", [3, -2, 0.5, [0], np.zeros((1, 3), int)])
def test_frictions_that_are_none(tmp_path: Path, pictures: np.ndarray, friction: object) -> None:
    write_model(tmp_path / "m.onnx")
    with pytest.raises(InvalidInput, match="friction is"):
        PictureModel.from_file(tmp_path / "m.onnx").run(pictures, friction)


@pytest.mark.parametrize(
    ("layers", "heights"), [(0, [0] * 5), (18, [18] * 5), ([3, 0, 24, 6, 0], [3, 0, 24, 6, 0]), (np.uint16(1000), [1000] * 5)]
)
def test_heights_are_told(tmp_path: Path, pictures: np.ndarray, layers: object, heights: list[int]) -> None:
    write_model(tmp_path / "m.onnx", lift=0.5)
    answers = PictureModel.from_file(tmp_path / "m.onnx").run(pictures[:5], layers=layers)
    np.testing.assert_allclose(answers.num_removed, 4 + 0.5 * np.array(heights))


def test_a_height_that_is_not_told_is_unknown(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", lift=0.5)
    assert PictureModel.from_file(tmp_path / "m.onnx").run(pictures[:2]).num_removed.tolist() == [4.0, 4.0]


def test_heights_go_with_their_pictures_in_any_batch(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", lift=1.0)
    heights = np.arange(len(pictures))
    answers = PictureModel.from_file(tmp_path / "m.onnx").run(pictures, layers=heights)
    np.testing.assert_allclose(answers.num_removed, 4 + heights)


def test_a_model_that_knows_no_heights_is_told_none(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx")
    model = PictureModel.from_file(tmp_path / "m.onnx")
    assert model.inputs == ["picture", "friction"]
    assert model.run(pictures[:2], layers=[3, 18]).num_removed.tolist() == [4.0, 4.0]


@pytest.mark.parametrize("lift", [None, 0.5])
@pytest.mark.parametrize("layers", [-1, 1001, 6.0, True, [6], np.zeros((1, 2), int), [6, -1], "6", None])
def test_heights_that_are_none(tmp_path: Path, pictures: np.ndarray, layers: object, lift: float | None) -> None:
    write_model(tmp_path / "m.onnx", lift=lift)
    with pytest.raises(InvalidInput, match=r"layers is .*; it is a height, 0..1000, for each of 2 pictures"):
        PictureModel.from_file(tmp_path / "m.onnx").run(pictures[:2], layers=layers)


def widen_heights(model: onnx.ModelProto) -> None:
    model.graph.input[2].type.tensor_type.shape.dim.add().dim_value = 2


def fix_heights(model: onnx.ModelProto) -> None:
    model.graph.input[2].type.tensor_type.shape.dim[0].dim_value = 1


@pytest.mark.parametrize("damage", [widen_heights, fix_heights])
def test_files_that_want_other_heights(tmp_path: Path, damage: Callable[[onnx.ModelProto], None]) -> None:
    model = build_model(make_card(), lift=0.5)
    damage(model)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    refuse(tmp_path / "m.onnx", r"its layers is tensor\(float\).*float \(N\) is needed")


@pytest.mark.parametrize(
    "change", [lambda p: p[0], lambda p: p[:, :16], lambda p: p[:0], lambda p: p / 255, lambda p: p[:, None]]
)
def test_pictures_that_are_none(tmp_path: Path, pictures: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> None:
    write_model(tmp_path / "m.onnx")
    with pytest.raises(InvalidInput, match=r"pictures are uint8 \(N, 32, 32\)"):
        PictureModel.from_file(tmp_path / "m.onnx").run(change(pictures))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"num_removed": np.nan}, "num_removed with what is not a finite number"),
        ({"imbalance": np.inf}, "imbalance with what is not a finite number"),
        ({"removed_locs": [0.5] * 17 + [1.2]}, "a probability is 0..1"),
        ({"failure_layer": [-0.1] + [0.2] * 5}, "a probability is 0..1"),
    ],
)
def test_answers_that_are_none_raise(tmp_path: Path, pictures: np.ndarray, answers: dict, message: str) -> None:
    write_model(tmp_path / "m.onnx", answers=answers)
    with pytest.raises(InvalidInput, match=message):
        PictureModel.from_file(tmp_path / "m.onnx").run(pictures)


def test_rounding_beyond_one_is_one(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", answers={"removed_locs": [1.0000002] * 18})
    assert PictureModel.from_file(tmp_path / "m.onnx").run(pictures[:1]).removed_locs.max() == 1.0


def rename_output(model: onnx.ModelProto) -> None:
    model.graph.node[-1].output[0] = model.graph.output[-1].name = "nonsense"


def fix_batch(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1


def widen_picture(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[3].dim_value = 64


def rename_input(model: onnx.ModelProto) -> None:
    model.graph.node[2].input[0] = model.graph.input[1].name = "mu"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (rename_output, "its outputs are .*nonsense"),
        (rename_input, "its inputs are mu, picture"),
        (widen_picture, r"its picture is tensor\(float\).*\(N, 1, 32, 32\) is needed"),
        (fix_batch, r"its picture is tensor\(float\) \[1, "),
    ],
)
def test_files_that_are_not_what_their_cards_say(tmp_path: Path, damage: Callable[[onnx.ModelProto], None], message: str) -> None:
    model = build_model(make_card())
    damage(model)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    refuse(tmp_path / "m.onnx", message)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"layers": 7}, r"its removed_locs is tensor\(float\) \['N', 18\]; float \(N, 21\) is needed"),
        ({"size": 64}, r"its picture .*\(N, 1, 64, 64\) is needed"),
        ({"heads": HEADS[:5]}, "its outputs are .*friction_level"),
        ({"frictions": {"low": 0.2}}, r"its friction .*\(N, 1\) is needed"),
    ],
)
def test_cards_of_other_models(tmp_path: Path, told: dict, message: str) -> None:
    """The graph of one model under the card of another."""
    write_model(tmp_path / "m.onnx", text=write_picture_card(make_card(**told)))
    refuse(tmp_path / "m.onnx", message)


class Session:
    """Answers that are not those that the file has declared: sides that it calls `any` are known only then."""

    def __init__(self, **answers: np.ndarray):
        self.answers = answers

    def get_inputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name="picture"), SimpleNamespace(name="friction")]

    def run(self, names: list[str], given: dict[str, np.ndarray]) -> list[np.ndarray]:
        assert list(given) == ["picture", "friction"]  # no input but those that the file has
        return [self.answers[name] for name in names]


@pytest.mark.parametrize("shape", [(2, 12), (1, 18), (2,), (2, 18, 1)])
def test_an_answer_of_another_shape_than_was_promised(pictures: np.ndarray, shape: tuple[int, ...]) -> None:
    card = make_card(heads=HEADS[:4])
    answers = {head: np.zeros(2) for head in card.heads} | {"removed_locs": np.zeros(shape)}
    with pytest.raises(InvalidInput, match=r"answers removed_locs in the shape .*; \(N, 18\) is needed"):
        PictureModel(card=card, session=Session(**answers)).run(pictures[:2])


def test_a_model_that_fails_at_work(tmp_path: Path, pictures: np.ndarray) -> None:
    """Sound by its description; but 2 x 32 x 32 numbers do not go into rows of five."""
    model = build_model(make_card())
    model.graph.initializer.append(numpy_helper.from_array(np.array([-1, 5]), "rows"))
    add = [node.output[0] for node in model.graph.node].index("num_removed")
    model.graph.node[add].input[1] = "odd"
    model.graph.node.insert(add, helper.make_node("ReduceMean", ["table"], ["odd"], axes=[1], keepdims=0))
    model.graph.node.insert(add, helper.make_node("Reshape", ["picture", "rows"], ["table"]))
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(InvalidInput, match="the model cannot be run"):
        PictureModel.from_file(tmp_path / "m.onnx").run(pictures[:2])
