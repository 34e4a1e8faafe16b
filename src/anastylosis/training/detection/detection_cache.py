"""Detection cache: surveys that the detector makes of collapses whose truth is known.

The assignment net learns from them how much a detector misses, and where.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.dataset import Examples
from anastylosis.detection.consistency import TWO_SCENES
from anastylosis.detection.detections import NO_BLOCKS, BoxProposals, make_survey
from anastylosis.detection.detector import BlockDetector
from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices
from anastylosis.survey import Survey
from anastylosis.training.detection.cache_files import PART, Arrays, CachePart, read_cache
from anastylosis.training.detection.photos import VIEWS, draw_world, take_photos
from anastylosis.training.detection.random_streams import random_stream
from anastylosis.training.detection.scenes import open_scene, scale_fall
from anastylosis.training.detection.scores import match_blocks

NEAR, TURNED = 0.030, np.radians(30)  # [m], [rad] within which what is found is taken for a block that is there
NUMBERS = ("size", "position", "orientation", "position_sd", "orientation_sd", "certainty")  # of a survey
NO_BLOCK = -1


class CachedDetections(NamedTuple):
    """Blocks that were detected in pictures of one collapse."""

    row: int  # of the collapse
    survey: Survey
    origin: NDArray[np.int64]  # (A,) which block of the collapse each is; NOBODY: there is none


def cache_detections(
    examples: Examples, detector: BlockDetector, folder: Path, *, repeats: int, seed: int, identity: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> list[CachedDetections]:  # fmt: skip
    """Detect blocks in pictures of every collapse, `repeats` times, from any side; `identity` says of which training."""

    def detect(repeat: int, begin: int) -> Arrays:
        rows = range(begin, min(begin + PART, len(examples)))
        detections = (detect_in_collapse(examples, row, detector, (seed, repeat, row)) for row in rows)
        return list_arrays([each for each in detections if each is not None])

    every = [(repeat, begin) for repeat in range(repeats) for begin in range(0, len(examples), PART)]
    parts = [CachePart(f"{repeat:02d}-{begin:06d}", partial(detect, repeat, begin)) for repeat, begin in every]
    show = None if progress is None else lambda done: progress(done, len(parts))
    return read_cache(
        folder, parts, {**identity, "repeats": repeats, "seed": seed}, partial(restore_detections, len(examples)), show
    )


def detect_in_collapse(
    examples: Examples, row: int, detector: BlockDetector, seed: tuple[int, int, int]
) -> CachedDetections | None:
    """Detect blocks in one picture or two; None where nothing is found."""
    rng = np.random.default_rng((random_stream("detections"), *seed))
    scene = open_scene(examples, row)
    photos, _ = take_photos(scene, int(rng.choice(VIEWS)), rng, draw_world(rng))
    try:
        survey = make_survey(detector.detect(photos, block=scene.block))
    except InvalidInput as error:
        if error.kind not in (TWO_SCENES, NO_BLOCKS):
            raise
        return None
    size, _, lies = scale_fall(examples, row)
    there = np.flatnonzero(np.isfinite(lies[:, 0]))
    true = BoxProposals(size[there], lies[there, :3], make_matrices(lies[there, 3:]))
    found = BoxProposals(survey.size, survey.position, make_matrices(survey.orientation))
    matches = match_blocks(found, true, NEAR, TURNED)
    origin = np.full(len(survey), NO_BLOCK)
    origin[matches.found] = there[matches.true]
    return CachedDetections(row, survey, origin)


def list_arrays(detections: Sequence[CachedDetections]) -> Arrays:
    """Return detections as arrays for a file."""
    arrays: dict[str, NDArray[Any]] = {
        "row": np.array([each.row for each in detections], np.int64),
        "blocks": np.array([len(each.survey) for each in detections], np.int64),
        "origin": np.concatenate([np.zeros(0, np.int64), *(each.origin for each in detections)]),
    }
    for name in NUMBERS if detections else ():
        arrays[name] = np.concatenate([getattr(each.survey, name) for each in detections])
    return arrays


def restore_detections(collapses: int, arrays: Arrays) -> list[CachedDetections]:
    """Return the detections that `list_arrays` has written."""
    ends = np.cumsum(arrays["blocks"])
    pieces = {name: np.split(arrays[name], ends[:-1]) for name in (*NUMBERS, "origin") if len(ends)}
    if len(ends) and not 0 <= arrays["row"].min() <= arrays["row"].max() < collapses:
        raise ValueError("it is of another dataset")
    return [restore_one(pieces, number, int(row)) for number, row in enumerate(arrays["row"])]


def restore_one(pieces: dict[str, list[NDArray[Any]]], number: int, row: int) -> CachedDetections:
    origin = pieces["origin"][number]
    numbers: dict[str, Any] = {name: pieces[name][number] for name in NUMBERS}
    return CachedDetections(
        row, Survey(ids=tuple(f"block-{block:03d}" for block in range(1, len(origin) + 1)), **numbers), origin
    )
