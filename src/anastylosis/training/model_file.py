"""Model file: a graph with its card inside, written whole or not at all."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx

from anastylosis.models.card import CARD_KEY, HISTORY_KEY
from anastylosis.whole_file import write_whole

INPUTS = ("picture", "friction", "layers")
OPSET = 18


def store_model(path: Path, graph: onnx.ModelProto, card: str, history: Sequence[dict[str, Any]] = ()) -> None:
    """Write a model with its card, as JSON, and the losses of its training, one row an epoch."""
    onnx.helper.set_model_props(graph, {CARD_KEY: card, HISTORY_KEY: json.dumps(list(history))})
    graph.producer_name = "anastylosis"
    with write_whole(path) as part:
        part.write_bytes(graph.SerializeToString())
