"""The nets of the eye, each a trained `.onnx` file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.card import FINDER, JUDGE, JURY, READER, EyeCard, parse_eye_card
from anastylosis.detection.close_up import CLOSE, COARSE, HEARD, SEEN, CloseUps
from anastylosis.detection.company import OTHER, OTHERS, OWN, SAID, Company
from anastylosis.detection.evidence import TRAITS
from anastylosis.detection.verdict import JUDGED
from anastylosis.detection.votes import OUTPUTS, RAY_CHANNELS, STRIDE
from anastylosis.detection.window import ABOUT, CHANNELS, WINDOW, Windows
from anastylosis.errors import InvalidInput
from anastylosis.models.session import Shape, check_names, explain_file, find_card, open_session, read_history, run_session

__all__ = ["EYE_MODELS", "FinderModel", "JudgeModel", "JuryModel", "ReaderModel"]

BATCH = 64  # windows at once: more do not fit the cache of a core
Answer = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class EyeModel:
    """A network and its card."""

    kind: ClassVar[str]
    inputs: ClassVar[dict[str, Shape]]
    output: ClassVar[tuple[str, Shape]]

    card: EyeCard
    session: Any  # onnxruntime.InferenceSession

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> Self:
        """Open a file of this kind that `training.detection` has written; refuses every other one."""
        with explain_file(Path(path)) as data:
            session = open_session(data, threads)
            card = parse_eye_card(find_card(session), cls.kind)
            check_names("inputs", {each.name: each for each in session.get_inputs()}, cls.inputs)
            check_names("outputs", {each.name: each for each in session.get_outputs()}, dict([cls.output]))
        return cls(card=card, session=session)

    @property
    def history(self) -> list[dict[str, float]]:
        """How its training went, one row an epoch."""
        return read_history(self.session)

    def ask(self, given: dict[str, Answer], shape: tuple[int, ...]) -> Answer:
        """What the network says. NaN raises."""
        name, _ = self.output
        said = np.asarray(run_session(self.session, [name], given)[name], np.float32)
        if said.shape != shape or not np.isfinite(said).all():
            raise InvalidInput(f"the {self.kind} answers with what is not {shape} finite numbers; train it again")
        return said

    def ask_in_parts(self, given: dict[str, Answer], shape: tuple[int, ...]) -> Answer:
        """The same of rows that do not all fit the cache; `shape` is of the answer to one."""
        count = len(next(iter(given.values())))
        parts = [np.zeros((0, *shape), np.float32)]
        for begin in range(0, count, BATCH):
            part = {name: np.ascontiguousarray(rows[begin : begin + BATCH]) for name, rows in given.items()}
            parts.append(self.ask(part, (min(BATCH, count - begin), *shape)))
        return np.concatenate(parts)


class FinderModel(EyeModel):
    """Pixels that vote for blocks that fell."""

    kind = FINDER
    inputs: ClassVar[dict[str, Shape]] = {"picture": (3 + RAY_CHANNELS, None, None)}
    output = ("votes", (OUTPUTS, None, None))

    def __call__(self, picture: Answer) -> Answer:
        count, _, height, width = picture.shape
        return self.ask({"picture": np.ascontiguousarray(picture)}, (count, OUTPUTS, height // STRIDE, width // STRIDE))


class ReaderModel(EyeModel):
    """Slots of the tower, looked at: is a block there?"""

    kind = READER
    inputs: ClassVar[dict[str, Shape]] = {"windows": (CHANNELS, *WINDOW), "about": (ABOUT,)}
    output = ("odds", ())

    def __call__(self, windows: Windows) -> Answer:
        return self.ask_in_parts({"windows": windows.picture, "about": windows.about}, ())


class JudgeModel(EyeModel):
    """Proposed blocks, close to, and the evidence for them: is it one, where is it really, and how far off may that be?"""

    kind = JUDGE
    inputs: ClassVar[dict[str, Shape]] = {"picture": (SEEN, *CLOSE), "votes": (HEARD, *COARSE), "traits": (len(TRAITS),)}
    output = ("judged", (JUDGED,))

    def __call__(self, close_ups: CloseUps, traits: Answer) -> Answer:
        given = {"picture": close_ups.picture, "votes": close_ups.votes, "traits": traits}
        return self.ask_in_parts(given, (JUDGED,))


class JuryModel(EyeModel):
    """Proposed blocks among those that touch them: which of them are there, and where?"""

    kind = JURY
    inputs: ClassVar[dict[str, Shape]] = {"own": (OWN,), "others": (OTHERS, OTHER)}
    output = ("said", (SAID,))

    def __call__(self, company: Company) -> Answer:
        return self.ask_in_parts({"own": company.own, "others": company.others}, (SAID,))


EYE_MODELS: dict[str, type[EyeModel]] = {model.kind: model for model in (FinderModel, ReaderModel, JudgeModel, JuryModel)}
