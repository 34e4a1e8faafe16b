"""Calibration: numbers that were chosen on the training and validation splits, and how. They ship as JSON beside this file."""

import json
import math
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.moves import FEATURES
from anastylosis.whole_file import write_whole

SHIPPED_CALIBRATION = Path(__file__).with_name("calibration.json")
BYTES_MAX = 100_000
RANGES = (
    ("scale", 0.0, 10.0), ("temperature", 1e-6, 1e3), ("farthest", 0.0, 10.0), ("trust", 0.0, 10.0),
    ("physics", 0.0, 1.0), ("level", 0.0, 1.0), ("level_incomplete", 0.0, 1.0),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Numbers that turn draws and distances into probabilities. `source` says what each was fitted on."""

    scale: float  # of the noise of draws
    temperature: float  # [m] of the distance between heaps: a hypothesis that is so much nearer is e times as probable
    farthest: float  # [m] distances beyond this say no more: not every tower that fell falls when it is built anew
    trust: float  # of the share of the draws, as an exponent
    physics: float  # share of the hypotheses in the probabilities of slots; the rest is the net's
    # Slots are taken, the most probable first, until they sum to a level: then nine in ten sets hold the true one.
    level: float  # where every block that lies there is surveyed
    level_incomplete: float  # where some may not be; chosen on what is found in pictures
    moves: dict[str, float]  # weights of pulls
    source: dict[str, Any]

    def __post_init__(self) -> None:
        for name, low, high in RANGES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise InvalidInput(f"{name} of the calibration is {value!r}; it is a number in {low:g}..{high:g}")
        if not isinstance(self.moves, dict) or set(self.moves) != set(FEATURES):
            raise InvalidInput(f"the calibration has other weights of moves than {', '.join(FEATURES)}")
        if not all(isinstance(value, int | float) and math.isfinite(value) for value in self.moves.values()):
            raise InvalidInput("a weight of moves in the calibration is no finite number")


@cache
def read_calibration(path: Path = SHIPPED_CALIBRATION) -> Calibration:
    """The calibration in a file; the one that ships."""
    if path.stat().st_size > BYTES_MAX:
        raise InvalidInput(f"{path} has more than {BYTES_MAX:,} bytes; a calibration has less")
    try:
        return Calibration(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput(f"{path} is no calibration of ours: {error!s:.200}") from error


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write one; there whole or not at all."""
    with write_whole(path) as part:
        part.write_text(json.dumps(asdict(calibration), indent=1) + "\n", encoding="utf-8")
