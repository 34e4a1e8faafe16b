"""Assignment model: a trained assignment net, run on surveys and slots."""

from collections.abc import Collection
from dataclasses import dataclass

from anastylosis.assignment.card import AssignmentCard, parse_assignment_card
from anastylosis.assignment.tensors import COURSES_MORE, AssignmentInput, AssignmentOutput
from anastylosis.errors import InvalidInput
from anastylosis.models.onnx_model import OnnxModel, check_output
from anastylosis.models.session import Shape

__all__ = ["AssignmentModel"]

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
    def input_shapes(cls, card: AssignmentCard, names: Collection[str]) -> dict[str, Shape]:
        """Return the shape of each input, without the axis of surveys."""
        if set(names) == set(INPUTS) - {DOUBT}:
            raise InvalidInput("it was trained before nets had the certainty of blocks as an input; train it again")
        return INPUTS

    @classmethod
    def output_shapes(cls, card: AssignmentCard) -> dict[str, Shape]:
        """Return the shape of each output, without the axis of surveys."""
        return OUTPUTS

    def run(self, given: AssignmentInput) -> AssignmentOutput:
        """Return the outputs of the net; NaN raises."""
        found = self.run_session(list(OUTPUTS), given._asdict())
        (examples, blocks), slots = given.block_there.shape, given.slot_there.shape[1]
        lengths = {"placed": (blocks, slots), "unplaced": (blocks,), "empty": (slots,), "removed": (slots,), "failure": (slots,)}
        shapes = {name: (examples, *lengths.get(name, shape)) for name, shape in OUTPUTS.items()}
        return AssignmentOutput(
            **{name: check_output(name, found[name], shape, probability=name not in ANY_NUMBER) for name, shape in shapes.items()}
        )
