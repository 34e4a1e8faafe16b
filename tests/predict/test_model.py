"""Model files: what a whole one answers, and that every other file is refused in words."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from anastylosis.errors import InvalidInput
from anastylosis.predict import session as session_module
from anastylosis.predict.answers import HEADS
from anastylosis.predict.card import write_card
from anastylosis.predict.model import BATCH, Model
from anastylosis.predict.onnx_bytes import PARTS, has_external_data
from models import build_model, known_answers, make_card, write_model


@pytest.fixture
def pictures() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (BATCH + 7, 32, 32), dtype=np.uint8)


def test_every_head_is_answered(tmp_path: Path, pictures: np.ndarray) -> None:
    card = write_model(tmp_path / "m.onnx", heads=HEADS)
    answers = Model.from_file(tmp_path / "m.onnx").run(pictures[:3])
    for head, value in known_answers(card).items():
        np.testing.assert_allclose(getattr(answers, head), np.broadcast_to(value, (3, *value.shape)), rtol=1e-6)


def test_heads_that_a_model_lacks_are_none(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", heads=HEADS[:4])
    answers = Model.from_file(tmp_path / "m.onnx").run(pictures[:1])
    assert [getattr(answers, head) for head in HEADS[4:]] == [None] * 5


def test_pictures_are_answered_one_by_one_in_any_batch(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", brightness=10.0, pull=(1.0, 2.0, 3.0))
    friction = np.arange(len(pictures)) % 4 - 1
    answers = Model.from_file(tmp_path / "m.onnx").run(pictures, friction)
    drawn = np.array([0.0, 1.0, 2.0, 3.0])[friction + 1]  # unknown is all zeros
    np.testing.assert_allclose(answers.num_removed, 4 + 10 * pictures.mean(axis=(1, 2)) / 255 + drawn, rtol=1e-5)
    assert answers.removed_locs.shape == (len(pictures), 18)


def test_one_friction_for_all(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", pull=(1.0, 2.0, 3.0))
    assert Model.from_file(tmp_path / "m.onnx").run(pictures, 2).num_removed.tolist() == [7.0] * len(pictures)


@pytest.mark.parametrize("friction", [3, -2, 0.5, [0], np.zeros((1, 3), int)])
def test_frictions_that_are_none(tmp_path: Path, pictures: np.ndarray, friction: object) -> None:
    write_model(tmp_path / "m.onnx")
    with pytest.raises(InvalidInput, match="friction is"):
        Model.from_file(tmp_path / "m.onnx").run(pictures, friction)


@pytest.mark.parametrize(
    ("layers", "heights"), [(0, [0] * 5), (18, [18] * 5), ([3, 0, 24, 6, 0], [3, 0, 24, 6, 0]), (np.uint16(1000), [1000] * 5)]
)
def test_heights_are_told(tmp_path: Path, pictures: np.ndarray, layers: object, heights: list[int]) -> None:
    write_model(tmp_path / "m.onnx", lift=0.5)
    answers = Model.from_file(tmp_path / "m.onnx").run(pictures[:5], layers=layers)
    np.testing.assert_allclose(answers.num_removed, 4 + 0.5 * np.array(heights))


def test_a_height_that_is_not_told_is_unknown(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", lift=0.5)
    assert Model.from_file(tmp_path / "m.onnx").run(pictures[:2]).num_removed.tolist() == [4.0, 4.0]


def test_heights_go_with_their_pictures_in_any_batch(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", lift=1.0)
    heights = np.arange(len(pictures))
    answers = Model.from_file(tmp_path / "m.onnx").run(pictures, layers=heights)
    np.testing.assert_allclose(answers.num_removed, 4 + heights)


def test_a_model_that_knows_no_heights_is_told_none(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx")
    model = Model.from_file(tmp_path / "m.onnx")
    assert model.inputs == ["picture", "friction"]
    assert model.run(pictures[:2], layers=[3, 18]).num_removed.tolist() == [4.0, 4.0]


@pytest.mark.parametrize("lift", [None, 0.5])
@pytest.mark.parametrize("layers", [-1, 1001, 6.0, True, [6], np.zeros((1, 2), int), [6, -1], "6", None])
def test_heights_that_are_none(tmp_path: Path, pictures: np.ndarray, layers: object, lift: float | None) -> None:
    write_model(tmp_path / "m.onnx", lift=lift)
    with pytest.raises(InvalidInput, match=r"layers is .*; it is a height, 0..1000, for each of 2 pictures"):
        Model.from_file(tmp_path / "m.onnx").run(pictures[:2], layers=layers)


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
        Model.from_file(tmp_path / "m.onnx").run(change(pictures))


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
        Model.from_file(tmp_path / "m.onnx").run(pictures)


def test_rounding_beyond_one_is_one(tmp_path: Path, pictures: np.ndarray) -> None:
    write_model(tmp_path / "m.onnx", answers={"removed_locs": [1.0000002] * 18})
    assert Model.from_file(tmp_path / "m.onnx").run(pictures[:1]).removed_locs.max() == 1.0


def refuse(path: Path, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        Model.from_file(path)
    assert str(path) in str(refused.value)


def test_no_file(tmp_path: Path) -> None:
    refuse(tmp_path / "m.onnx", "there is no model .*anastylosis train")
    refuse(tmp_path, "is a folder")


@pytest.mark.parametrize(
    "data", [b"", b"a model, they said", bytes(1000), b"\x89PNG\r\n\x1a\n" * 9, b"\x18\0\0\0ORTM" + bytes(64)]
)
def test_other_files(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.onnx").write_bytes(data)
    refuse(tmp_path / "m.onnx", "not an ONNX file, or only a part")


def test_a_file_that_is_cut_anywhere(tmp_path: Path) -> None:
    data = build_model(make_card()).SerializeToString()
    for length in range(1, len(data), 97):
        (tmp_path / "m.onnx").write_bytes(data[:length])
        refuse(tmp_path / "m.onnx", "not an ONNX file, or only a part|without a description of ours")


def make_newer(model: onnx.ModelProto) -> None:
    model.ir_version = 99


def make_newest(model: onnx.ModelProto) -> None:
    model.opset_import[0].version = 99


def invent_step(model: onnx.ModelProto) -> None:
    model.graph.node[0].op_type = "Divine"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [(make_newer, "[Uu]nsupported model IR version: 99"), (make_newest, "[Oo]pset 99 is under"), (invent_step, "Divine")],
)
def test_whole_files_that_onnxruntime_refuses(tmp_path: Path, damage: Callable[[onnx.ModelProto], None], reason: str) -> None:
    model = build_model(make_card())
    damage(model)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    refuse(tmp_path / "m.onnx", f"onnxruntime cannot open it: .*{reason}")
    with pytest.raises(InvalidInput) as refused:
        Model.from_file(tmp_path / "m.onnx")
    words = str(refused.value).partition("onnxruntime cannot open it: ")[2]
    assert len(words) <= 200
    assert [part for part in ("ONNXRuntimeError", ".cc:", ".h:", "std::") if part in words] == []


def test_reasons_are_cut_between_words() -> None:
    reason = session_module.tell_reason(RuntimeError("[ONNXRuntimeError] : 1 : FAIL : " + "opset " * 90))
    assert reason.endswith("opset ...")
    assert session_module.tell_reason(RuntimeError("")) == "no reason given"


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch) -> None:
    write_model(tmp_path / "m.onnx")
    monkeypatch.setattr(session_module, "BYTES_MAX", 1000)
    refuse(tmp_path / "m.onnx", "a model has at most")


def test_a_model_of_others(tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx", text="")
    refuse(tmp_path / "m.onnx", "`anastylosis train` did not write it")


def test_a_description_that_is_no_text(tmp_path: Path) -> None:
    data = build_model(make_card(), text="x" * 100).SerializeToString()
    (tmp_path / "m.onnx").write_bytes(data.replace(b"x" * 100, b"\xff" * 100))
    refuse(tmp_path / "m.onnx", "its names or its description are not text")


def test_another_format(tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx", text='{"format": 9}')
    refuse(tmp_path / "m.onnx", "has format 9")


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
    write_model(tmp_path / "m.onnx", text=write_card(make_card(**told)))
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
        Model(card=card, session=Session(**answers)).run(pictures[:2])


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
        Model.from_file(tmp_path / "m.onnx").run(pictures[:2])


def test_a_tag_whose_upper_bits_readers_drop() -> None:
    """(1 << 32) | 58 is 58, the graph, to onnxruntime: what it hides must not pass as a field that nobody knows."""
    plain = build_model(make_card()).SerializeToString()
    graph = plain.index(b"\x3a")  # 7 << 3 | 2
    with pytest.raises(ValueError, match="a tag is too long"):
        has_external_data(plain[:graph] + bytes([0xBA, 0x80, 0x80, 0x80, 0x10]) + plain[graph + 1 :])


def make_external(tensor: TensorProto, location: str) -> None:
    size = len(tensor.raw_data)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", str(size))):
        tensor.external_data.add(key=key, value=value)


def add_initializer(model: onnx.ModelProto, tensor: TensorProto) -> None:
    model.graph.initializer.append(tensor)


def add_constant(model: onnx.ModelProto, tensor: TensorProto) -> None:
    model.graph.node.append(helper.make_node("Constant", [], ["more"], value=tensor))


def add_branch(model: onnx.ModelProto, tensor: TensorProto) -> None:
    """Two graphs deep: in a branch of an If."""
    constant = helper.make_node("Constant", [], ["more"], value=tensor)
    outputs = [helper.make_tensor_value_info("more", TensorProto.FLOAT, [4096])]
    branch = helper.make_graph([constant], "branch", [], outputs)
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "yes"))
    model.graph.node.append(helper.make_node("If", ["yes"], ["all"], then_branch=branch, else_branch=branch))


@pytest.mark.parametrize("add", [add_initializer, add_constant, add_branch])
def test_no_file_but_the_model_is_read(tmp_path: Path, monkeypatch, add: Callable) -> None:
    """onnxruntime would read weights.bin from the working directory, though it is given bytes."""
    monkeypatch.chdir(tmp_path)
    np.zeros(4096, np.float32).tofile("weights.bin")
    model = build_model(make_card())
    tensor = numpy_helper.from_array(np.zeros(4096, np.float32), "extra")
    make_external(tensor, "weights.bin")
    add(model, tensor)
    Path("m.onnx").write_bytes(model.SerializeToString())
    refuse(Path("m.onnx"), "weights in another file")


def test_every_way_to_a_tensor_is_looked_at() -> None:
    """The numbers of fields are those of ONNX itself; a way that a new version adds makes this fail."""
    waiting, seen = [onnx.ModelProto.DESCRIPTOR], {}
    while waiting:
        message = waiting.pop()
        if message.name not in seen:
            parts = {field.number: field.message_type for field in message.fields if field.message_type}
            seen[message.name] = parts
            waiting += parts.values()

    def leads(name: str, before: frozenset[str] = frozenset()) -> bool:
        return name == "TensorProto" or any(
            leads(part.name, before | {name}) for part in seen[name].values() if part.name not in before | {name}
        )

    ways = {name: {number: part.name for number, part in parts.items() if leads(part.name)} for name, parts in seen.items()}
    assert {name: parts for name, parts in ways.items() if leads(name)} == PARTS
    tensor = onnx.TensorProto.DESCRIPTOR.fields_by_name
    assert (tensor["external_data"].number, tensor["data_location"].number) == (13, 14)


def test_tensors_inside_are_not_elsewhere() -> None:
    assert has_external_data(build_model(make_card()).SerializeToString()) is False


def call_nonsense(model: onnx.ModelProto) -> bytes:
    model.graph.node[0].op_type = "Nonsense"
    return model.SerializeToString()


def spoil_name(model: onnx.ModelProto) -> bytes:
    """A name that is no text, in what onnxruntime complains about."""
    return call_nonsense(model).replace(b"Nonsense", b"Non\xff\xfe\xffse")


@pytest.mark.parametrize("damage", [call_nonsense, spoil_name])
def test_onnxruntime_says_nothing_of_its_own(tmp_path: Path, damage: Callable[[onnx.ModelProto], bytes]) -> None:
    """A file whose graph has no meaning: in a process of its own, since the log goes past Python."""
    (tmp_path / "m.onnx").write_bytes(damage(build_model(make_card())))
    code = """
import sys
from anastylosis.errors import InvalidInput
from anastylosis.predict.model import Model
try:
    Model.from_file(sys.argv[1])
except InvalidInput as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "m.onnx")], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{tmp_path / 'm.onnx'} cannot be used as a model: onnxruntime cannot open it: ")
    assert done.stdout.count("\n") == 1
