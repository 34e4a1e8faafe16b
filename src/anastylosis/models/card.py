"""Cards: the descriptions that model files carry in their metadata, as JSON. A file may say anything, so all of it is checked."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from anastylosis.errors import InvalidInput

CARD_KEY = "anastylosis"  # of the metadata
HISTORY_KEY = "anastylosis_history"  # the training history: one row an epoch
FORMAT = 1  # raised when a field changes its name or meaning
NAME = re.compile(r"[\w.+-]{1,60}")  # of presets, kinds and versions: they come into tables

C = TypeVar("C")


def load_card(text: str) -> dict[str, Any]:
    """Parse a card of any kind into a dictionary; raise for what is not a card, or of another format."""
    try:
        document = json.loads(text)
        found = document["format"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise InvalidInput("its description is not one of ours") from error
    if found != FORMAT:
        raise InvalidInput(
            f"it has format {found!r:.20}, and this version reads {FORMAT}; train it again, or take another version"
        )
    return dict(document)


class ModelCard:
    """Card of a model file: what the cards of all kinds share."""

    FORMAT: ClassVar[int] = FORMAT
    ASSIGNMENT: ClassVar[str] = "assignment"  # kind of the models that assign surveyed blocks to slots

    kind: str
    preset: str
    dataset: dict[str, Any]  # fingerprint, and how many collapses of each split
    metrics: dict[str, float]  # on the validation split
    calibration: Any

    @staticmethod
    def read(text: str, check_kind: Callable[[Any], None], build: Callable[[dict[str, Any]], C]) -> C:
        """Build a card from the text in a file's metadata; raise for what is not a card, or of another format or kind.

        `check_kind` raises for kinds that are not wanted. `build` makes the card and raises for parts that cannot be right.
        """
        document = load_card(text)
        check_kind(document.get("kind"))
        try:
            return build(document)
        except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
            raise InvalidInput(f"its description is not one of ours ({error!s:.200})") from error

    @staticmethod
    def check_names(**names: Any) -> None:
        """Raise unless all of these are names, short and plain."""
        for what, name in names.items():
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise TypeError(f"{what} is no name")

    @staticmethod
    def check_whole(name: str, value: Any, most: int) -> None:
        """Raise unless a value is a whole number, 1 to `most`."""
        if type(value) is not int or not 1 <= value <= most:
            raise ValueError(f"{name} is {value!r}")

    @staticmethod
    def check_numbers(name: str, values: list[Any]) -> None:
        """Raise unless all values are finite numbers."""
        if not all(type(value) in (int, float) and math.isfinite(value) for value in values):
            raise ValueError(f"{name} is not of finite numbers")
