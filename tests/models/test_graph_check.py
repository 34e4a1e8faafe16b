"""Graphs of models from elsewhere: what no model of ours has is refused from the bytes alone, in time and words."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from anastylosis.errors import InvalidInput
from anastylosis.models import graph_check
from anastylosis.models.graph_check import FIELDS, FIELDS_MAX, NODES_MAX, OPERATORS, PACKED, REFUSED, check_graph
from anastylosis.models.shipped import HASHES, SHIPPED, SHIPPED_ASSIGNMENT, find_assigner, list_detector
from anastylosis.whole_file import hash_file
from support.hostile_models import chain_functions, fill_memory, loop_forever, multiply_long, repeat_steps
from support.models import build_model, make_card, refuse

SHIPPING = [SHIPPED, SHIPPED_ASSIGNMENT, find_assigner(), *list_detector()]


@pytest.mark.parametrize("path", SHIPPING, ids=lambda path: path.stem)
def test_every_model_that_ships_passes_with_room(path: Path) -> None:
    check_graph(path.read_bytes())
    model = onnx.load(str(path))
    assert len(model.graph.node) * 5 < NODES_MAX
    assert count_fields(model) * 5 < FIELDS_MAX


def count_fields(message: object) -> int:
    """Count the fields of a message, and of those in it."""
    total = 0
    for field, value in message.ListFields():  # type: ignore[attr-defined]
        values = value if field.is_repeated else [value]
        total += sum(1 + count_fields(each) for each in values) if field.message_type else len(values)
    return total


def test_models_that_ship_are_known_by_their_hashes() -> None:
    found = {hash_file(path): path.name for path in SHIPPING}
    assert set(found) == HASHES, f"write these into models/shipped.py: {found}"


def test_operators_are_those_of_models_that_ship() -> None:
    used = {node.op_type for path in SHIPPING for node in onnx.load(str(path)).graph.node}
    assert used | {"Identity"} == OPERATORS


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (chain_functions, "it has local functions, which no model of `anastylosis train` has"),
        (loop_forever, "it has the operator 'Loop'|it has a graph within its graph|it has a tensor of type 9"),
        (repeat_steps, "it has more than 10,000 steps, or 100,000 fields"),
    ],
)
def test_attacks_are_refused_at_once(tmp_path: Path, make: Callable[[], onnx.ModelProto], reason: str) -> None:
    (tmp_path / "m.onnx").write_bytes(make().SerializeToString())
    begin = time.process_time()
    refuse(tmp_path / "m.onnx", f"cannot be used as a model: ({reason})")
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("make", [fill_memory, multiply_long])
def test_attacks_of_our_own_operators_are_for_the_limits(make: Callable[[], onnx.ModelProto]) -> None:
    check_graph(make().SerializeToString())


def test_every_field_is_known_or_refused() -> None:
    """The numbers and kinds are those of ONNX itself. A message that leads back to itself would need a bound on its depth."""
    waiting, messages = [onnx.ModelProto.DESCRIPTOR], {}
    while waiting:
        message = waiting.pop()
        if message.name not in messages:
            messages[message.name] = message
            waiting += [field.message_type for field in message.fields if field.message_type]
    for name, fields in FIELDS.items():
        known = messages[name.rpartition(".")[2]].fields_by_number
        for number, kind in fields.items():
            inner = known[number].message_type
            if kind in FIELDS:
                assert inner.name == kind.rpartition(".")[2]
                assert name not in reach(kind)
            else:
                assert inner is None or inner.name == "StringStringEntryProto" or (name, number) == ("TensorProto", 14)
                number_kind = known[number].cpp_type in (
                    known[number].CPPTYPE_INT32,
                    known[number].CPPTYPE_INT64,
                    known[number].CPPTYPE_ENUM,
                )
                assert (kind == graph_check.NUMBER) == (number_kind and (name, number) != ("TensorProto", 7)), (name, number)
    for name, number in REFUSED:
        assert number not in FIELDS[name]
        assert number in messages[name].fields_by_number
    assert {messages[name].fields_by_number[number].is_repeated for name, number in PACKED} == {True}


def reach(message: str) -> set[str]:
    """Return the messages that are within this one, at any depth."""
    inner = {kind for kind in FIELDS[message].values() if kind in FIELDS}
    return inner.union(*(reach(each) for each in inner))


def add_subgraph(model: onnx.ModelProto) -> None:
    body = helper.make_graph([], "body", [], [])
    model.graph.node[0].attribute.append(helper.make_attribute("body", body))


def add_training(model: onnx.ModelProto) -> None:
    model.training_info.add().algorithm.name = "more"


def add_sparse(model: onnx.ModelProto) -> None:
    model.graph.sparse_initializer.add().dims.append(3)


def add_domain(model: onnx.ModelProto) -> None:
    model.graph.node[0].domain = "com.microsoft"


def add_operators(model: onnx.ModelProto) -> None:
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))


def add_texts(model: onnx.ModelProto) -> None:
    model.graph.initializer.append(helper.make_tensor("texts", TensorProto.STRING, [1], [b"more"]))


def add_sequence(model: onnx.ModelProto) -> None:
    model.graph.value_info.append(helper.make_tensor_sequence_value_info("more", TensorProto.FLOAT, None))


def add_doubles(model: onnx.ModelProto) -> None:
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(3), "doubles"))


def stretch_tensor(model: onnx.ModelProto) -> None:
    model.graph.initializer[-1].dims[:] = [1 << 40, 1 << 20]


def fold_tensor(model: onnx.ModelProto) -> None:
    model.graph.initializer[-1].dims[:] = [1] * 9


def pad_tensor(model: onnx.ModelProto) -> None:
    model.graph.initializer[-1].raw_data += bytes(4)


def turn_side(model: onnx.ModelProto) -> None:
    model.graph.initializer[-1].dims[:] = [-1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (add_subgraph, "a graph within its graph"),
        (add_training, "a graph for training"),
        (add_sparse, "sparse weights"),
        (add_domain, "operators of 'com.microsoft'"),
        (add_operators, "operators of 'com.microsoft'"),
        (add_texts, "texts for weights|a tensor of type 8"),
        (add_sequence, "a sequence for an input or output"),
        (add_doubles, "a tensor of type 11; weights are float or int64"),
        (stretch_tensor, "a tensor whose shape .* is not that of its numbers"),
        (fold_tensor, "a tensor of 9 sides; 8 are the most"),
        (pad_tensor, "a tensor whose shape .* is not that of its numbers"),
        (turn_side, "a tensor whose shape .* is not that of its numbers"),
    ],
)
def test_what_no_model_of_ours_has(tmp_path: Path, change: Callable[[onnx.ModelProto], None], reason: str) -> None:
    model = build_model(make_card())
    change(model)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    refuse(tmp_path / "m.onnx", f"cannot be used as a model: it has ({reason})")


def test_weights_as_lists_of_numbers_are_weights() -> None:
    model = build_model(make_card())
    model.graph.initializer.append(helper.make_tensor("floats", TensorProto.FLOAT, [3], [0.0, 1.0, -1.0]))
    model.graph.initializer.append(helper.make_tensor("whole", TensorProto.INT64, [3], [0, 1 << 40, -1]))
    check_graph(model.SerializeToString())


def test_a_tag_whose_upper_bits_readers_drop() -> None:
    """(1 << 32) | 58 is 58, the graph, to onnxruntime: what it hides must not pass as a field that nobody knows."""
    plain = build_model(make_card()).SerializeToString()
    graph = plain.index(b"\x3a")  # 7 << 3 | 2
    with pytest.raises(ValueError, match="a tag is too long"):
        check_graph(plain[:graph] + bytes([0xBA, 0x80, 0x80, 0x80, 0x10]) + plain[graph + 1 :])


def test_two_graphs_that_readers_join_are_no_model() -> None:
    plain = build_model(make_card()).SerializeToString()
    with pytest.raises(ValueError, match="field 7 of a ModelProto is given twice"):
        check_graph(plain + plain)


def test_an_operator_that_is_a_number_is_none() -> None:
    """Readers drop a field of another kind, and would keep what was said before."""
    model = build_model(make_card()).SerializeToString()
    node = b"\x20\x01"  # field 4, a number
    with pytest.raises(ValueError, match="field 4 of a NodeProto is a number"):
        check_graph(model[: model.index(b"\x3a")] + b"\x3a" + bytes([len(node) + 2]) + b"\x0a" + bytes([len(node)]) + node)


@pytest.mark.parametrize("part", [b"\x0a\x00", b"\x2a\x00", b"\x6a\x00"])
def test_many_empty_parts_take_little(part: bytes) -> None:
    """3 MB of parts of two bytes, which take gigabytes once they are objects."""
    graph = part * 1_500_000
    data = b"\x3a" + bytes([len(graph) >> shift & 0x7F | 0x80 * (shift < 21) for shift in (0, 7, 14, 21)]) + graph
    begin = time.process_time()
    with pytest.raises(InvalidInput, match="no model of ours is so large"):
        check_graph(data)
    assert time.process_time() - begin < 5
