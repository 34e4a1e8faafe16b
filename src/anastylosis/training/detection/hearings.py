"""Hearings: what three nets have found in pictures of collapses, before a jury hears of it, and the truth."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.agreement import TWO_SCENES
from anastylosis.detection.eye import see
from anastylosis.detection.looking import Found
from anastylosis.detection.proposals import Proposals
from anastylosis.detection.witness import Witness
from anastylosis.errors import InvalidInput
from anastylosis.training.detection.archive import Arrays, Part, gather
from anastylosis.training.detection.photos import take_photos
from anastylosis.training.detection.scenes import SceneRecipe, draw_scene
from anastylosis.training.examples import Examples

__all__ = ["Hearing", "gather_hearings"]

PART = 50  # hearings in one file
VIEWS = (1, 1, 2)  # pictures of a collapse, one number or the other
DOMAIN = 0.5  # share in any light; the rest is wood, as `render` draws it
EYES, TRUE = "eyes", ("size", "position", "axes")
FOUND = (*TRUE, "odds", "place_sd", "turn_sd", "stands")


class Hearing(NamedTuple):
    """One scene."""

    eyes: NDArray[np.float64]  # (V, 3) [m] where its pictures were taken from
    found: Found
    blocks: Proposals  # that lie there
    fell: NDArray[np.bool_]


def gather_hearings(
    examples: Examples, witness: Witness, folder: Path, *, recipe: SceneRecipe, count: int, seed: int,
    identity: Mapping[str, Any], tell: Callable[[int, int], None] | None = None,
) -> list[Hearing]:  # fmt: skip
    """So many looks at collapses, at all of them equally often; `identity` says whose they are, `recipe` which scenes are taken
    from them: how these are photographed is said here."""

    def hear(begin: int) -> Arrays:
        looks = (hear_of(examples, witness, recipe, number, seed) for number in range(begin, min(begin + PART, count)))
        return list_arrays([look for look in looks if look is not None])

    parts = [Part(f"{begin:06d}", partial(hear, begin)) for begin in range(0, count, PART)]
    told = None if tell is None else lambda done: tell(min(done * PART, count), count)
    mine = {**identity, "count": count, "seed": seed, "scenes": asdict(recipe), "views": VIEWS, "domain": DOMAIN}
    return gather(folder, parts, mine, build_hearings, told)


def hear_of(examples: Examples, witness: Witness, recipe: SceneRecipe, number: int, seed: int) -> Hearing | None:
    """One look, from one side or from two; None where nothing is found."""
    rng = np.random.default_rng((zlib.crc32(b"hearings"), seed, number))
    row = number % len(examples)
    scene = draw_scene(examples.take(slice(row, row + 1)), recipe, rng)
    photos, _ = take_photos(scene, int(rng.choice(VIEWS)), rng, domain=bool(rng.random() < DOMAIN))
    try:
        found = witness.propose([see(photo) for photo in photos])
    except InvalidInput as error:
        if error.kind != TWO_SCENES:
            raise
        return None
    return Hearing(np.array([photo.camera.eye for photo in photos]), found, scene.blocks, scene.fell) if len(found.odds) else None


def list_arrays(hearings: Sequence[Hearing]) -> Arrays:
    """What is kept of them."""
    arrays: dict[str, NDArray[Any]] = {"count": np.array(len(hearings))}
    for number, (eyes, found, blocks, fell) in enumerate(hearings):
        arrays |= {f"{number}.{EYES}": eyes, f"{number}.fell": fell}
        arrays |= {f"{number}.found.{name}": part for name, part in zip(FOUND, (*found.blocks, *found[1:]), strict=True)}
        arrays |= {f"{number}.true.{name}": part for name, part in zip(TRUE, blocks, strict=True)}
    return arrays


def build_hearings(arrays: Arrays) -> list[Hearing]:
    """The same, of what was kept."""
    return [build_hearing(arrays, str(number)) for number in range(min(int(arrays["count"]), PART))]


def build_hearing(arrays: Arrays, number: str) -> Hearing:
    found: list[Any] = [arrays[f"{number}.found.{name}"] for name in FOUND]
    true = Proposals(*(arrays[f"{number}.true.{name}"] for name in TRUE))
    return Hearing(arrays[f"{number}.{EYES}"], Found(Proposals(*found[:3]), *found[3:]), true, arrays[f"{number}.fell"])
