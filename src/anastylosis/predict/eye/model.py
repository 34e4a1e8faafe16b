"""The two nets of the eye, each a trained `.onnx` file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.predict.eye.card import FINDER, FITTER, EyeCard, parse_eye_card
from anastylosis.predict.eye.votes import OUTPUTS, RAY_CHANNELS, STRIDE
from anastylosis.predict.eye.window import ABOUT, CHANNELS, SAID, WINDOW, Windows
from anastylosis.predict.session import Shape, check_names, explain_file, find_card, open_session, read_history, run_session

__all__ = ["FinderModel", "FitterModel"]

BATCH = 64  # windows at once: more do not fit the cache of a core
SIDES: dict[str, dict[str, Shape]] = {
    FINDER: {"picture": (3 + RAY_CHANNELS, None, None), "votes": (OUTPUTS, None, None)},
    FITTER: {"windows": (CHANNELS, WINDOW, WINDOW), "about": (ABOUT,), "said": (SAID,)},
}
OUTPUT = {FINDER: "votes", FITTER: "said"}


@dataclass(frozen=True, kw_only=True, eq=False)
class EyeModel:
    """A network and its card."""

    card: EyeCard
    session: Any  # onnxruntime.InferenceSession

    @property
    def history(self) -> list[dict[str, float]]:
        """How its training went, one row an epoch."""
        return read_history(self.session)

    def ask(self, given: dict[str, NDArray[np.float32]], shape: tuple[int, ...]) -> NDArray[np.float32]:
        """What the network says. NaN raises."""
        name = OUTPUT[self.card.kind]
        said = np.asarray(run_session(self.session, [name], given)[name], np.float32)
        if said.shape != shape or not np.isfinite(said).all():
            raise InvalidInput(f"the {self.card.kind} answers with what is not {shape} finite numbers; train it again")
        return said


class FinderModel(EyeModel):
    """Pixels that vote."""

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> "FinderModel":
        """Open a finder that `learn.eye` has written; refuses every other file."""
        return cls(**open_part(Path(path), FINDER, threads))

    def __call__(self, picture: NDArray[np.float32]) -> NDArray[np.float32]:
        count, _, height, width = picture.shape
        return self.ask({"picture": picture}, (count, OUTPUTS, height // STRIDE, width // STRIDE))


class FitterModel(EyeModel):
    """Proposed blocks, looked at."""

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> "FitterModel":
        """Open a fitter that `learn.eye` has written; refuses every other file."""
        return cls(**open_part(Path(path), FITTER, threads))

    def __call__(self, windows: Windows) -> NDArray[np.float32]:
        parts = []
        for begin in range(0, len(windows.about), BATCH):
            part = Windows(*(each[begin : begin + BATCH] for each in windows))
            parts.append(self.ask({"windows": part.picture, "about": part.about}, (len(part.about), SAID)))
        return np.concatenate(parts) if parts else np.zeros((0, SAID), np.float32)


def open_part(path: Path, kind: str, threads: int) -> dict[str, Any]:
    """The session and the card of a file of this kind."""
    with explain_file(path) as data:
        session = open_session(data, threads)
        card = parse_eye_card(find_card(session), kind)
        sides = SIDES[kind]
        found = {each.name: each for each in session.get_inputs()}
        check_names("inputs", found, {name: side for name, side in sides.items() if name != OUTPUT[kind]})
        check_names("outputs", {each.name: each for each in session.get_outputs()}, {OUTPUT[kind]: sides[OUTPUT[kind]]})
    return {"card": card, "session": session}
