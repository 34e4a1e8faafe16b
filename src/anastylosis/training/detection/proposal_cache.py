"""Proposal cache: the proposals of three nets for pictures of collapses, with the truth. The rescorer learns from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.dataset import Examples
from anastylosis.detection.consistency import TWO_SCENES
from anastylosis.detection.detections import BoxProposals, Detections
from anastylosis.detection.detector import propose_blocks
from anastylosis.detection.nets import ProposalNets
from anastylosis.detection.view import level_photo
from anastylosis.errors import InvalidInput
from anastylosis.training.detection.cache_files import PART, Arrays, CachePart, read_cache
from anastylosis.training.detection.photos import CACHED, VIEWS, draw_world, take_photos
from anastylosis.training.detection.random_streams import random_stream
from anastylosis.training.detection.scenes import SceneRecipe, draw_scene

EYES, TRUE = "eyes", ("size", "position", "axes")
FOUND = (*TRUE, "logit", "place_sd", "turn_sd", "stands")


class CachedProposals(NamedTuple):
    """Proposals in pictures of one scene, and the truth."""

    eyes: NDArray[np.float64]  # (V, 3) [m] where its pictures were taken from
    found: Detections
    blocks: BoxProposals  # that lie there
    fell: NDArray[np.bool_]


def cache_proposals(
    examples: Examples, nets: ProposalNets, folder: Path, *, recipe: SceneRecipe, count: int, seed: int,
    identity: Mapping[str, Any], progress: Callable[[int, int], None] | None = None,
) -> list[CachedProposals]:  # fmt: skip
    """Propose blocks in `count` scenes, all collapses equally often.

    `identity` says to which training they belong, `recipe` which scenes are made of the collapses; the pictures are taken as
    here.
    """

    def propose(begin: int) -> Arrays:
        scenes = (propose_for_collapse(examples, nets, recipe, number, seed) for number in range(begin, min(begin + PART, count)))
        return list_arrays([scene for scene in scenes if scene is not None])

    parts = [CachePart(f"{begin:06d}", partial(propose, begin)) for begin in range(0, count, PART)]
    show = None if progress is None else lambda done: progress(min(done * PART, count), count)
    mine = {
        **identity,
        "count": count,
        "seed": seed,
        "scenes": asdict(recipe),
        "views": VIEWS,
        "worlds": [[asdict(world), share] for world, share in CACHED],
    }
    return read_cache(folder, parts, mine, restore_proposals, show)


def propose_for_collapse(
    examples: Examples, nets: ProposalNets, recipe: SceneRecipe, number: int, seed: int
) -> CachedProposals | None:
    """Propose blocks in one picture or two of a scene; None where nothing is found."""
    rng = np.random.default_rng((random_stream("proposals"), seed, number))
    row = number % len(examples)
    scene = draw_scene(examples.take(slice(row, row + 1)), recipe, rng)
    photos, _ = take_photos(scene, int(rng.choice(VIEWS)), rng, draw_world(rng))
    try:
        found = propose_blocks([level_photo(photo) for photo in photos], nets, scene.size)
    except InvalidInput as error:
        if error.kind != TWO_SCENES:
            raise
        return None
    return (
        CachedProposals(np.array([photo.camera.eye for photo in photos]), found, scene.blocks, scene.fell)
        if len(found.logit)
        else None
    )


def list_arrays(proposals: Sequence[CachedProposals]) -> Arrays:
    """Return proposals as arrays for a file."""
    arrays: dict[str, NDArray[Any]] = {"count": np.array(len(proposals))}
    for number, (eyes, found, blocks, fell) in enumerate(proposals):
        arrays |= {f"{number}.{EYES}": eyes, f"{number}.fell": fell}
        arrays |= {f"{number}.found.{name}": part for name, part in zip(FOUND, (*found.blocks, *found[1:]), strict=True)}
        arrays |= {f"{number}.true.{name}": part for name, part in zip(TRUE, blocks, strict=True)}
    return arrays


def restore_proposals(arrays: Arrays) -> list[CachedProposals]:
    """Return the proposals that `list_arrays` has written."""
    return [restore_one(arrays, str(number)) for number in range(min(int(arrays["count"]), PART))]


def restore_one(arrays: Arrays, number: str) -> CachedProposals:
    found: list[Any] = [arrays[f"{number}.found.{name}"] for name in FOUND]
    true = BoxProposals(*(arrays[f"{number}.true.{name}"] for name in TRUE))
    return CachedProposals(
        arrays[f"{number}.{EYES}"], Detections(BoxProposals(*found[:3]), *found[3:]), true, arrays[f"{number}.fell"]
    )
