"""Hostile models: small `.onnx` files with a sound card, made to crash onnxruntime, to keep it busy, or to fill the memory."""

from itertools import pairwise

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from support.models import build_model, make_card

OPSET = 17


def add_number(model: onnx.ModelProto, name: str, value: object) -> None:
    """Add weights."""
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))


def answer_with(model: onnx.ModelProto, *nodes: onnx.NodeProto) -> onnx.ModelProto:
    """Let `num_removed` be the last output of these steps; they have `seen`, one number for each picture."""
    before = [onnx.NodeProto.FromString(node.SerializeToString()) for node in model.graph.node]
    place = [node.output[0] for node in before].index("num_removed")
    before[place].input[1] = nodes[-1].output[0]
    del model.graph.node[:]
    model.graph.node.extend([*before[:place], *nodes, *before[place:]])
    return model


def chain_functions(count: int = 3000) -> onnx.ModelProto:
    """Each local function calls the one before: onnxruntime follows them until its stack ends."""
    model = build_model(make_card())
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("local", 1)]
    for number in range(count):
        kind, domain = ("Neg", "") if number == 0 else (f"f{number - 1}", "local")
        step = helper.make_node(kind, ["x"], ["y"], domain=domain)
        model.functions.append(helper.make_function("local", f"f{number}", ["x"], ["y"], [step], opsets))
    model.opset_import.append(helper.make_opsetid("local", 1))
    return answer_with(model, helper.make_node(f"f{count - 1}", ["seen"], ["deep"], domain="local"))


def loop_forever(trips: int = 2**62) -> onnx.ModelProto:
    """A Loop that would end in a hundred years."""
    model = build_model(make_card())
    add_number(model, "trips", np.int64(trips))
    add_number(model, "yes", np.array(True))
    scalar = [
        helper.make_tensor_value_info(name, kind, []) for name, kind in (("i", TensorProto.INT64), ("on", TensorProto.BOOL))
    ]
    body = helper.make_graph(
        [helper.make_node("Identity", ["on"], ["still"]), helper.make_node("Neg", ["x"], ["y"])],
        "body",
        [*scalar, helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
        ],
    )
    return answer_with(model, helper.make_node("Loop", ["trips", "yes", "seen"], ["late"], body=body))


def repeat_steps(count: int = 120_000) -> onnx.ModelProto:
    """3 MB of steps: each takes kilobytes once it is in memory."""
    model = build_model(make_card())
    names = ["seen", *(f"{number:x}" for number in range(count))]
    return answer_with(model, *(helper.make_node("Neg", [a], [b]) for a, b in pairwise(names)))


def fill_memory(numbers: int = 4_000_000_000, *, early: bool = True) -> onnx.ModelProto:
    """Operators of our own models that make 16 GB of few bytes, when the file is opened (`early`) or when it is run."""
    model = build_model(make_card())
    add_number(model, "long", np.array([numbers], np.int64))
    add_number(model, "all", np.array([-1], np.int64))
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    if early:
        first = helper.make_node("ConstantOfShape", ["long"], ["ones"], value=value)
    else:
        first = helper.make_node("Expand", ["column", "long"], ["ones"])
    total = helper.make_node("ReduceMax", ["ones"], ["most"], keepdims=0)
    column = helper.make_node("ReduceMax", ["seen"], ["column"], keepdims=0)
    return answer_with(model, column, first, total, helper.make_node("Add", ["seen", "most"], ["full"]))


def multiply_long(times: int = 2000, side: int = 2000) -> onnx.ModelProto:
    """Operators of our own models that take hours."""
    model = build_model(make_card())
    add_number(model, "sides", np.array([side, side], np.int64))
    nodes = [
        helper.make_node("ReduceMax", ["seen"], ["one"], keepdims=0),
        helper.make_node("Expand", ["one", "sides"], ["m0"]),
    ]
    nodes += [helper.make_node("MatMul", [f"m{number}", f"m{number}"], [f"m{number + 1}"]) for number in range(times)]
    nodes += [
        helper.make_node("ReduceMax", [f"m{times}"], ["most"], keepdims=0),
        helper.make_node("Add", ["seen", "most"], ["slow"]),
    ]
    return answer_with(model, *nodes)
