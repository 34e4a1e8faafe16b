"""Surveys of collapses: for each, the table that a conservator would have made, and the slot of each stone.

surveys/{episode}.csv               the stones, shuffled and named anew
surveys/truth.csv                   episode, stone, slot; the slot of a stone that never belonged there is `foreign`
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.report.exports.progress import ExportProgress
from anastylosis.survey import Noise, Survey, survey_debris, write_survey
from anastylosis.whole_file import write_whole

__all__ = ["export_surveys"]

SURVEYS = "surveys"
STREAM = 10  # of random numbers: another one than that in which the episode was played
FOREIGN = "foreign"


def export_surveys(folder: Path | str, out: Path, noise: Noise) -> Iterator[ExportProgress]:
    """Write a survey of every tower that fell, and the slots of all stones; yield the progress.

    What goes wrong in a survey is drawn from the seed of its episode: the same noise gives the same files.
    """
    dataset = Dataset(folder)
    target = out / SURVEYS
    target.mkdir(parents=True, exist_ok=True)
    written = 0
    with write_whole(target / "truth.csv") as part, part.open("w", encoding="utf-8", newline="") as file:
        truth = csv.writer(file, lineterminator="\n")
        truth.writerow(("episode", "stone", "slot"))
        for done, sample in enumerate(dataset, 1):
            name, row = sample.name, sample.row
            if row["collapsed"]:
                survey, slots = survey_episode(row, noise)
                write_survey(target / f"{name}.csv", survey)
                truth.writerows((name, stone, slot) for stone, slot in zip(survey.ids, slots, strict=True))
                written += 1
            yield ExportProgress(done, len(dataset), written)


def survey_episode(row: dict[str, Any], noise: Noise) -> tuple[Survey, list[str]]:
    """Survey one collapse; return the slot in which each of its stones stood, too."""
    name, blocks = row["episode"], row["blocks"]
    try:
        position, orientation = (
            stack_vectors(row[f"lies_{part}"], width) for part, width in (("positions", 3), ("quaternions", 4))
        )
        survey, rows = survey_debris(
            blocks,
            stack_vectors(row["sizes"], 3),
            position,
            orientation,
            noise,
            np.random.default_rng([row["seed"], STREAM]),
            source=f"simulated, {name}",
        )
        slots = [f"L{course:02d}_{place}" for course, place in zip(row["course"], row["place"], strict=True)]
    except (InvalidInput, ValueError, TypeError) as error:
        raise InvalidInput(f"{name} cannot be surveyed: {error}; run `anastylosis verify`") from error
    return survey, [slots[index] if index >= 0 else FOREIGN for index in rows]


def stack_vectors(vectors: list[list[float] | None], width: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return (B, width) of a list with an item a block; NaN where it is gone."""
    return np.array([[np.nan] * width if vector is None else vector for vector in vectors], np.float64)
