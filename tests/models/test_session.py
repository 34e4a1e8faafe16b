"""Model files that are broken, of others, or lead elsewhere: refused in words, and onnxruntime says nothing of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from anastylosis.errors import InvalidInput
from anastylosis.models import onnx_model as session_module
from anastylosis.models.picture_model import PictureModel
from support.models import build_model, make_card, refuse, write_model


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


def forget_input(model: onnx.ModelProto) -> None:
    model.graph.node[0].input[0] = "Divine"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [(make_newer, "[Uu]nsupported model IR version: 99"), (make_newest, "[Oo]pset 99 is under"), (forget_input, "Divine")],
)
def test_whole_files_that_onnxruntime_refuses(tmp_path: Path, damage: Callable[[onnx.ModelProto], None], reason: str) -> None:
    model = build_model(make_card())
    damage(model)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    refuse(tmp_path / "m.onnx", f"onnxruntime cannot open it: .*{reason}")
    with pytest.raises(InvalidInput) as refused:
        PictureModel.from_file(tmp_path / "m.onnx")
    words = str(refused.value).partition("onnxruntime cannot open it: ")[2]
    assert len(words) <= 200
    assert [part for part in ("ONNXRuntimeError", ".cc:", ".h:", "std::") if part in words] == []


def test_reasons_are_cut_between_words() -> None:
    reason = session_module.shorten_reason(RuntimeError("[ONNXRuntimeError] : 1 : FAIL : " + "opset " * 90))
    assert reason.endswith("opset ...")
    assert session_module.shorten_reason(RuntimeError("")) == "no reason given"


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


@pytest.mark.parametrize(
    ("add", "reason"),
    [
        (add_initializer, "weights in another file"),
        (add_constant, "weights in another file"),
        (add_branch, "a graph within its graph|the operator 'If'|a tensor of type 9"),
    ],
)
def test_no_file_but_the_model_is_read(tmp_path: Path, monkeypatch, add: Callable, reason: str) -> None:
    """onnxruntime would read weights.bin from the working directory, though it is given bytes."""
    monkeypatch.chdir(tmp_path)
    np.zeros(4096, np.float32).tofile("weights.bin")
    model = build_model(make_card())
    tensor = numpy_helper.from_array(np.zeros(4096, np.float32), "extra")
    make_external(tensor, "weights.bin")
    add(model, tensor)
    Path("m.onnx").write_bytes(model.SerializeToString())
    refuse(Path("m.onnx"), reason)


def name_nonsense(model: onnx.ModelProto) -> bytes:
    model.graph.node[0].input[0] = "Nonsense"
    return model.SerializeToString()


def spoil_name(model: onnx.ModelProto) -> bytes:
    """A name that is no text, in what onnxruntime complains about."""
    return name_nonsense(model).replace(b"Nonsense", b"Non\xff\xfe\xffse")


@pytest.mark.parametrize("damage", [name_nonsense, spoil_name])
def test_onnxruntime_says_nothing_of_its_own(tmp_path: Path, damage: Callable[[onnx.ModelProto], bytes]) -> None:
    """A file whose graph has no meaning: in a process of its own, since the log goes past Python."""
    (tmp_path / "m.onnx").write_bytes(damage(build_model(make_card())))
    code = """
import sys
from anastylosis.errors import InvalidInput
from anastylosis.models.picture_model import PictureModel
try:
    PictureModel.from_file(sys.argv[1])
except InvalidInput as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "m.onnx")], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{tmp_path / 'm.onnx'} cannot be used as a model: onnxruntime cannot open it: ")
    assert done.stdout.count("\n") == 1
