"""Assignment model: a trained assignment net, run on surveys and slots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anastylosis.assignment.card import AssignmentCard, parse_assignment_card
from anastylosis.assignment.tensors import COURSES_MORE, AssignmentInput, AssignmentOutput
from anastylosis.errors import InvalidInput
from anastylosis.models.onnx_model import OnnxModel
from anastylosis.models.session import Shape, check_tensors, describe_shape

__all__ = ["AssignmentModel"]

SLACK = 1e-3  # by which a probability may be out of 0..1: rounding
DOUBT = "block_doubt"  # an input that older files do not have
ANY_NUMBER = ("friction", "direction")  # outputs that are no probabilities
INPUTS: dict[str, Shape] = {
    "block_position": (None, 3), "block_axes": (None, 3, 3), "block_size": (None, 3), "block_sd": (None, 2),
    "block_doubt": (None,), "block_there": (None,), "slot_position": (None, 3), "slot_axes": (None, 3, 3), "slot_size": (None, 3),
    "slot_course": (None,), "slot_there": (None,), "told_friction": (),
}  # fmt: skip
OUTPUTS: dict[str, Shape] = {
    "placed": (None, None), "unplaced": (None,), "empty": (None,), "removed": (None,), "failure": (None,),
    "courses": (COURSES_MORE,), "friction": (), "direction": (2,),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class AssignmentModel(OnnxModel):
    """An assignment net and its card."""

    card: AssignmentCard

    @classmethod
    def parse_card(cls, text: str) -> AssignmentCard:
        """Parse the card; raise for one of another kind."""
        return parse_assignment_card(text)

    @classmethod
    def check_ends(cls, card: AssignmentCard, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Raise unless inputs and outputs have the names and shapes that assignment nets have."""
        if set(inputs) == set(INPUTS) - {DOUBT}:
            raise InvalidInput("it was trained before nets were told how certain blocks are; train it again")
        check_tensors("inputs", inputs, INPUTS)
        check_tensors("outputs", outputs, OUTPUTS)

    def run(self, given: AssignmentInput) -> AssignmentOutput:
        """Return the outputs of the net; NaN raises."""
        found = self.run_session(list(OUTPUTS), given._asdict())
        (examples, blocks), slots = given.block_there.shape, given.slot_there.shape[1]
        lengths = {"placed": (blocks, slots), "unplaced": (blocks,), "empty": (slots,), "removed": (slots,), "failure": (slots,)}
        shapes = {name: (examples, *lengths.get(name, shape)) for name, shape in OUTPUTS.items()}
        return AssignmentOutput(**{name: check_answer(name, found[name], shape) for name, shape in shapes.items()})


def check_answer(name: str, answer: Any, shape: Any) -> Any:
    """Return one output; raise when it has another shape, is not finite, or no probability."""
    values = np.asarray(answer, np.float32)
    if values.shape != shape:
        raise InvalidInput(f"the model answers {name} in the shape {values.shape}; {describe_shape(shape[1:])} is needed")
    if not np.isfinite(values).all():
        raise InvalidInput(f"the model answers {name} with what is not a finite number; train it again")
    if name in ANY_NUMBER:
        return values
    if values.min() < -SLACK or values.max() > 1 + SLACK:
        raise InvalidInput(f"the model answers {name} with {values.min():g}..{values.max():g}; a probability is 0..1")
    return values.clip(0, 1)
