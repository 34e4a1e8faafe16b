"""ONNX model: one trained file, opened, with its card. Each kind of net has a class that says what it takes and gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from anastylosis.models.session import explain_file, find_card, open_session, read_history, run_session

__all__ = ["OnnxModel"]


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
            cls.check_ends(card, inputs, outputs)
        return cls(card=card, session=session)

    @classmethod
    def parse_card(cls, text: str) -> Any:
        """Parse the card; raise for one of another kind."""
        raise NotImplementedError

    @classmethod
    def check_ends(cls, card: Any, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Raise unless inputs and outputs have the names and shapes that belong to the card."""
        raise NotImplementedError

    @property
    def history(self) -> list[dict[str, float]]:
        """Training history, one row an epoch."""
        return read_history(self.session)

    def run_session(self, outputs: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the named outputs for these inputs."""
        return run_session(self.session, outputs, given)
