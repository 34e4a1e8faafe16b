"""Witness: three nets that look at pictures of one scene, and tell of every block by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.agreement import check_slots
from anastylosis.detection.card import EyeCalibration
from anastylosis.detection.company import FAINTEST
from anastylosis.detection.looking import Found, find_fallen, join_found, join_odds, read_slots
from anastylosis.detection.model import FinderModel, JudgeModel, ReaderModel
from anastylosis.detection.slots import tower_slots
from anastylosis.detection.view import View

__all__ = ["Witness", "settle"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Witness:
    """One reads the slots of the tower; in one, pixels propose blocks that fell; one judges these."""

    finder: FinderModel
    reader: ReaderModel
    judge: JudgeModel

    @classmethod
    def open(cls, finder: str | Path, reader: str | Path, judge: str | Path, threads: int = 1) -> "Witness":
        """Open what the trainings of `training.detection` have written."""
        return Witness(
            finder=FinderModel.from_file(finder, threads),
            reader=ReaderModel.from_file(reader, threads),
            judge=JudgeModel.from_file(judge, threads),
        )

    def propose(self, views: Sequence[View]) -> Found:
        """What a jury hears of: blocks that stand and blocks that fell, each by itself; most that fell are there twice."""
        found = join_found([self.look_at_tower(views), self.look_at_debris(views)])
        return found.take(np.flatnonzero(found.odds > FAINTEST))

    def look_at_tower(self, views: Sequence[View]) -> Found:
        """What still stands in its slot."""
        size, calibration = np.array(self.reader.card.size), self.reader.card.calibration
        slots = tower_slots(size)
        read = read_slots(views, self.reader, slots)
        check_slots(read)
        odds = calibrate(join_odds(read), calibration, len(views))
        place, turn, stands = (np.full(len(odds), value) for value in (calibration.place, calibration.turn, True))
        return Found(slots, odds, place, turn, stands).take(np.flatnonzero(odds > 0))

    def look_at_debris(self, views: Sequence[View]) -> Found:
        """What fell; most of it is proposed twice, or more often."""
        found = find_fallen(views, self.finder, self.judge, np.array(self.reader.card.size))
        return settle(found, self.judge.card.calibration, len(views))


def settle(found: Found, calibration: EyeCalibration, views: int) -> Found:
    """Odds that mean what they say, and, of what fell, deviations as large as errors are."""
    place, turn = (np.where(found.stands, 1.0, factor) for factor in (calibration.place, calibration.turn))
    return found._replace(
        odds=calibrate(found.odds, calibration, views), place_sd=place * found.place_sd, turn_sd=turn * found.turn_sd
    )


def calibrate(odds: Floats, calibration: EyeCalibration, views: int) -> Floats:
    """Log odds that mean what they say, of what so many views have told."""
    row = min(views, len(calibration.slope)) - 1
    return calibration.slope[row] * odds + calibration.offset[row]
