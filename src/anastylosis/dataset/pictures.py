"""Pictures and their truth, drawn from stored poses on all cores; kept on disk until the recipe changes."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from anastylosis import __version__
from anastylosis.dataset.examples import Examples
from anastylosis.dataset.shots import (
    DebrisPose,
    Recipe,
    draw_shot,
    plan_shot,
    project_boxes,
)
from anastylosis.dataset.truth import Truth, gather_truth
from anastylosis.executors import run_pool, run_serial
from anastylosis.geometry import mirror_poses
from anastylosis.machine import count_cores
from anastylosis.progress import CountProgress
from anastylosis.structure import BLOCKS_PER_COURSE, mirror_slots
from anastylosis.whole_file import write_whole

CHUNK = 32  # episodes a job
EDITION = 1  # raised when the same poses and recipe give other pictures, or other boxes in them


@dataclass(frozen=True, eq=False)
class Pictures:
    """N pictures and their truth."""

    grey: NDArray[np.uint8]  # (N, S, S)
    truth: Truth

    def __len__(self) -> int:
        return len(self.grey)


class Drawn(NamedTuple):
    """Some pictures, their mirrors, and the boxes of their blocks before the fall."""

    grey: NDArray[np.uint8]  # (N, S, S)
    mirror: NDArray[np.bool_]  # (N, 2)
    boxes: NDArray[np.float32]  # (N, P, 7) of the block of each slot: as `project_boxes`, and its displacement


def draw_pictures(
    examples: Examples,
    recipe: Recipe,
    number: int,
    *,
    cache: Path | None = None,
    workers: int | None = None,
    progress: CountProgress | None = None,
) -> Pictures:
    """Draw picture `number` of every example. With `cache`, a folder, pictures that are there are read, and new ones are kept."""
    path = cache / f"{identify(examples, recipe, number)}.npz" if cache else None
    drawn = read_drawn(path, len(examples), recipe) if path else None
    if drawn is None:
        drawn = draw_all(examples, recipe, number, workers or count_cores(), progress or (lambda done, total: None))
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            with write_whole(path) as part, part.open("wb") as file:
                np.savez(file, **drawn._asdict())
    return Pictures(drawn.grey, gather_truth(examples, recipe.layers, drawn.mirror, drawn.boxes))


def identify(examples: Examples, recipe: Recipe, number: int) -> str:
    """Return a short hash of all that decides how the pictures look."""
    digest = hashlib.sha256(json.dumps([asdict(recipe), number, EDITION, __version__], sort_keys=True).encode())
    for part in (examples.seed, examples.slot, examples.lies, examples.stood, examples.size):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:24]


def read_drawn(path: Path, count: int, recipe: Recipe) -> Drawn | None:
    """Read the pictures of this file; None if there is none that can be used."""
    wanted = {
        "grey": ((count, recipe.size, recipe.size), "uint8"),
        "mirror": ((count, 2), "bool"),
        "boxes": ((count, BLOCKS_PER_COURSE * recipe.layers, 7), "float32"),
    }
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as parts:
            found = {name: parts[name] for name in wanted}
    except (OSError, ValueError, KeyError, EOFError, TypeError, BadZipFile):  # TypeError: one array, which is no archive
        return None
    usable = all((part.shape, part.dtype.name) == wanted[name] for name, part in found.items())
    return Drawn(**found) if usable else None


def draw_all(examples: Examples, recipe: Recipe, number: int, workers: int, progress: CountProgress) -> Drawn:
    """Draw in chunks, on so many cores; any number of them gives the same bits."""
    chunks = [examples.take(slice(begin, begin + CHUNK)) for begin in range(0, len(examples), CHUNK)]
    do = partial(draw_chunk, recipe, number)
    jobs = list(enumerate(chunks))
    done: dict[int, Drawn] = {}
    results: Iterator[tuple[tuple[int, Examples], Drawn]]
    results = run_serial(do, jobs) if workers == 1 or len(jobs) == 1 else run_pool(do, jobs, workers=workers)
    for (index, _), drawn in results:
        done[index] = drawn
        progress(sum(len(each.grey) for each in done.values()), len(examples))
    return Drawn(*(np.concatenate(parts) for parts in zip(*(done[index] for index in range(len(jobs))), strict=True)))


def draw_chunk(recipe: Recipe, number: int, job: tuple[int, Examples]) -> Drawn:
    """Draw the pictures of a few examples."""
    _, examples = job
    count, slots = len(examples), BLOCKS_PER_COURSE * recipe.layers
    grey = np.empty((count, recipe.size, recipe.size), np.uint8)
    mirrors, boxes = np.empty((count, 2), bool), np.full((count, slots, 7), np.nan, np.float32)
    for row in range(count):
        scene = DebrisPose(examples.size[row], examples.stood[row], examples.lies[row])
        shot = plan_shot(recipe, int(examples.seed[row]), number)
        grey[row], mirrors[row] = draw_shot(scene, shot), shot.mirror
        stood, lies = (project_boxes(scene.size, mirror_poses(poses, *shot.mirror.signs), shot.camera) for poses in scene[1:])
        there = (examples.slot[row] >= 0) & (examples.slot[row] < slots) & np.isfinite(scene.stood[:, 0])
        slot = mirror_slots(np.arange(slots), *shot.mirror.signs)[examples.slot[row, there]]
        boxes[row, slot] = np.column_stack([stood, lies[:, :2] - stood[:, :2]])[there]
    return Drawn(grey, mirrors, boxes)
