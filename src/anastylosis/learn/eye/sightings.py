"""Sightings: what the eye finds in pictures of collapses whose truth is known. From these the assignment net learns how much an
eye misses, and where."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.learn.examples import Examples
from anastylosis.learn.eye.photos import take_photos
from anastylosis.learn.eye.scenes import open_scene
from anastylosis.learn.eye.scores import match_blocks
from anastylosis.predict.eye.eye import Eye, make_survey
from anastylosis.predict.eye.proposals import Proposals
from anastylosis.survey import Survey
from anastylosis.survey.rotation import make_matrices
from anastylosis.whole_file import write_whole

__all__ = ["NOBODY", "Sighting", "gather_sightings"]

PART = 50  # collapses whose sightings are in one file
VIEWS = (1, 1, 2)  # pictures of a collapse, one number or the other
DOMAIN = 0.5  # share in any light; the rest is wood, as `render` draws it
NEAR, TURNED = 0.030, np.radians(30)  # [m], [rad] within which what is found is taken for a block that is there
NUMBERS = ("size", "position", "orientation", "position_sd", "orientation_sd")  # of a survey
NOBODY = -1


class Sighting(NamedTuple):
    """A blocks that were found of one collapse."""

    row: int  # of the collapse
    survey: Survey
    origin: NDArray[np.int64]  # (A,) which block of the collapse each is; NOBODY: there is none


def gather_sightings(
    examples: Examples, eye: Eye, folder: Path, *, looks: int, seed: int, tell: Callable[[int, int], None] | None = None
) -> list[Sighting]:
    """Look at every collapse so many times, from any side. Finished parts are kept in `folder`, and not looked at again."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [(look, begin) for look in range(looks) for begin in range(0, len(examples), PART)]
    sightings = []
    for number, (look, begin) in enumerate(parts):
        path = folder / f"{look:02d}-{begin:06d}.npz"
        if not path.is_file():
            rows = range(begin, min(begin + PART, len(examples)))
            store(path, [each for row in rows if (each := see_collapse(examples, row, eye, (seed, look, row))) is not None])
        sightings += restore(path, len(examples))
        if tell:
            tell(number + 1, len(parts))
    return sightings


def see_collapse(examples: Examples, row: int, eye: Eye, seed: tuple[int, int, int]) -> Sighting | None:
    """One look, from one side or from two; None where the eye finds nothing."""
    rng = np.random.default_rng((zlib.crc32(b"sightings"), *seed))
    scene = open_scene(examples, row)
    photos, _ = take_photos(scene, int(rng.choice(VIEWS)), rng, domain=bool(rng.random() < DOMAIN))
    try:
        survey = make_survey(eye.look(photos))
    except InvalidInput:
        return None
    lies = examples.lies[row]
    there = np.flatnonzero(np.isfinite(lies[:, 0]))
    true = Proposals(examples.size[row, there], lies[there, :3], make_matrices(lies[there, 3:]))
    found = Proposals(survey.size, survey.position, make_matrices(survey.orientation))
    matches = match_blocks(found, true, NEAR, TURNED)
    origin = np.full(len(survey), NOBODY)
    origin[matches.found] = there[matches.true]
    return Sighting(row, survey, origin)


def store(path: Path, sightings: list[Sighting]) -> None:
    """One file of numbers, there whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {
        "row": np.array([each.row for each in sightings], np.int64),
        "blocks": np.array([len(each.survey) for each in sightings], np.int64),
        "origin": np.concatenate([np.zeros(0, np.int64), *(each.origin for each in sightings)]),
    }
    for name in NUMBERS if sightings else ():
        arrays[name] = np.concatenate([getattr(each.survey, name) for each in sightings])
    with write_whole(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # none of the names is `allow_pickle`


def restore(path: Path, collapses: int) -> list[Sighting]:
    """What `store` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as named:
            arrays = {name: named[name] for name in named.files}
        ends = np.cumsum(arrays["blocks"])
        pieces = {name: np.split(arrays[name], ends[:-1]) for name in (*NUMBERS, "origin") if len(ends)}
        if len(ends) and not 0 <= arrays["row"].min() <= arrays["row"].max() < collapses:
            raise ValueError("it is of another dataset")
        return [build_sighting(pieces, number, int(row)) for number, row in enumerate(arrays["row"])]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InvalidInput(f"{path} cannot be read ({error!s:.100}); delete it, and it is made again") from error


def build_sighting(pieces: dict[str, list[NDArray[Any]]], number: int, row: int) -> Sighting:
    origin = pieces["origin"][number]
    numbers: dict[str, Any] = {name: pieces[name][number] for name in NUMBERS}
    return Sighting(row, Survey(ids=tuple(f"block-{block:03d}" for block in range(1, len(origin) + 1)), **numbers), origin)
