"""Assignment model: one trained `.onnx` file, run on sheets."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.assignment.card import AssignmentCard, parse_assignment_card
from anastylosis.assignment.sheet import COURSES_MORE, Findings, Sheet
from anastylosis.errors import InvalidInput
from anastylosis.models.session import (
    Shape,
    check_names,
    explain_file,
    find_card,
    open_session,
    read_history,
    run_session,
    tell_shape,
)

__all__ = ["AssignmentModel"]

SLACK = 1e-3  # of a probability, for the rounding of the network
DOUBT = "block_doubt"  # an input that came later than the others
ANY_NUMBER = ("friction", "direction")  # what is no probability
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
class AssignmentModel:
    """A network and its card. One session answers on `threads` cores; give each process its own."""

    card: AssignmentCard
    session: Any  # onnxruntime.InferenceSession

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> "AssignmentModel":
        """Open a model that `anastylosis train assign` has written; refuses every other file."""
        with explain_file(Path(path)) as data:
            session = open_session(data, threads)
            card = parse_assignment_card(find_card(session))
            inputs = {each.name: each for each in session.get_inputs()}
            if set(inputs) == set(INPUTS) - {DOUBT}:
                raise InvalidInput("it was trained before nets were told how certain blocks are; train it again")
            check_names("inputs", inputs, INPUTS)
            check_names("outputs", {each.name: each for each in session.get_outputs()}, OUTPUTS)
        return cls(card=card, session=session)

    @property
    def history(self) -> list[dict[str, float]]:
        """How its training went, one row an epoch."""
        return read_history(self.session)

    def run(self, sheet: Sheet) -> Findings:
        """What the network says. NaN raises."""
        found = run_session(self.session, list(OUTPUTS), sheet._asdict())
        (examples, blocks), slots = sheet.block_there.shape, sheet.slot_there.shape[1]
        lengths = {"placed": (blocks, slots), "unplaced": (blocks,), "empty": (slots,), "removed": (slots,), "failure": (slots,)}
        shapes = {name: (examples, *lengths.get(name, shape)) for name, shape in OUTPUTS.items()}
        return Findings(**{name: check_answer(name, found[name], shape) for name, shape in shapes.items()})


def check_answer(name: str, answer: Any, shape: Any) -> Any:
    """One answer; raises when it has another shape, is not finite, or no probability."""
    values = np.asarray(answer, np.float32)
    if values.shape != shape:
        raise InvalidInput(f"the model answers {name} in the shape {values.shape}; {tell_shape(shape[1:])} is needed")
    if not np.isfinite(values).all():
        raise InvalidInput(f"the model answers {name} with what is not a finite number; train it again")
    if name in ANY_NUMBER:
        return values
    if values.min() < -SLACK or values.max() > 1 + SLACK:
        raise InvalidInput(f"the model answers {name} with {values.min():g}..{values.max():g}; a probability is 0..1")
    return values.clip(0, 1)
