"""ONNX model: one trained file, opened, with its card. Each kind of net has a class that says what it takes and gives."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from anastylosis.arrays import Singles
from anastylosis.errors import InvalidInput
from anastylosis.models.session import (
    Shape,
    check_tensors,
    describe_shape,
    explain_file,
    find_card,
    open_session,
    read_history,
    run_session,
)

__all__ = ["OnnxModel", "check_output"]

SLACK = 1e-3  # by which a probability may be out of 0..1: rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class OnnxModel:
    """A net and its card. One session answers on `threads` cores; give each process its own."""

    card: Any
    session: Any  # onnxruntime.InferenceSession

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> Self:
        """Open a file that `anastylosis train` has written; raise for every other file, and for one of another kind."""
        with explain_file(Path(path)) as data:
            session = open_session(data, threads)
            card = cls.parse_card(find_card(session))
            inputs, outputs = ({each.name: each for each in ends} for ends in (session.get_inputs(), session.get_outputs()))
            check_tensors("inputs", inputs, cls.input_shapes(card, inputs))
            check_tensors("outputs", outputs, cls.output_shapes(card))
        return cls(card=card, session=session)

    @classmethod
    def parse_card(cls, text: str) -> Any:
        """Parse the card; raise for one of another kind."""
        raise NotImplementedError

    @classmethod
    def input_shapes(cls, card: Any, names: Collection[str]) -> dict[str, Shape]:
        """Return the shape of each input, without the axis of examples; `names` are those of the file."""
        raise NotImplementedError

    @classmethod
    def output_shapes(cls, card: Any) -> dict[str, Shape]:
        """Return the shape of each output, without the axis of examples."""
        raise NotImplementedError

    @property
    def history(self) -> list[dict[str, float]]:
        """Training history, one row an epoch."""
        return read_history(self.session)

    def run_session(self, outputs: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the named outputs for these inputs."""
        return run_session(self.session, outputs, given)


def check_output(name: str, output: Any, shape: Shape, *, probability: bool) -> Singles:
    """Return an output as floats; raise when it has another shape, is not finite, or no probability where it has to be one."""
    values = np.asarray(output, np.float32)
    if len(values.shape) != len(shape) or any(want not in (None, got) for want, got in zip(shape, values.shape, strict=True)):
        raise InvalidInput(f"the model answers {name} in the shape {values.shape}; {describe_shape(shape[1:])} is needed")
    if not np.isfinite(values).all():
        raise InvalidInput(f"the model answers {name} with what is not a finite number; train it again")
    if not probability:
        return values
    if values.min() < -SLACK or values.max() > 1 + SLACK:
        raise InvalidInput(f"the model answers {name} with {values.min():g}..{values.max():g}; a probability is 0..1")
    return values.clip(0, 1)
