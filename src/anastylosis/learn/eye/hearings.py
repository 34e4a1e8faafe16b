"""Hearings: what three nets have found in pictures of collapses, before a jury hears of it, and the truth. Kept on disk, for a
look takes longer than to learn from it."""

import json
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from anastylosis import __version__
from anastylosis.errors import InvalidInput
from anastylosis.learn.examples import Examples
from anastylosis.learn.eye.photos import take_photos
from anastylosis.learn.eye.scenes import mirror, open_scene
from anastylosis.predict.eye.eye import see
from anastylosis.predict.eye.looking import Found
from anastylosis.predict.eye.proposals import Proposals
from anastylosis.predict.eye.witness import TWO_SCENES, Witness
from anastylosis.whole_file import write_whole

__all__ = ["Hearing", "gather_hearings"]

ABOUT = "about.json"
PART = 50  # hearings in one file
VIEWS = (1, 1, 2)  # pictures of a collapse, one number or the other
DOMAIN = 0.5  # share in any light; the rest is wood, as `render` draws it
EYES, FOUND, TRUE = "eyes", ("size", "position", "axes", "odds", "place_sd", "turn_sd", "stands"), ("size", "position", "axes")


class Hearing(NamedTuple):
    """One scene."""

    eyes: NDArray[np.float64]  # (V, 3) [m] where its pictures were taken from
    found: Found
    blocks: Proposals  # that lie there
    fell: NDArray[np.bool_]


def gather_hearings(
    examples: Examples, witness: Witness, folder: Path, *, count: int, seed: int, identity: Mapping[str, Any],
    tell: Callable[[int, int], None] | None = None,
) -> list[Hearing]:  # fmt: skip
    """So many looks at collapses, at all of them equally often. Finished parts are kept in `folder`, and not looked at again.

    `identity` says whose looks they are; a folder with those of others is refused.
    """
    folder.mkdir(parents=True, exist_ok=True)
    claim(folder, {**identity, "count": count, "seed": seed, "version": __version__})
    hearings = []
    for begin in range(0, count, PART):
        path = folder / f"{begin:06d}.npz"
        if not path.is_file():
            looks = [hear_of(examples, witness, number, seed) for number in range(begin, min(begin + PART, count))]
            store(path, [look for look in looks if look is not None])
        hearings += restore(path)
        if tell:
            tell(min(begin + PART, count), count)
    return hearings


def claim(folder: Path, identity: Mapping[str, Any]) -> None:
    """Write down whose folder this is; raise when it is another's."""
    path, mine = folder / ABOUT, json.loads(json.dumps(identity))
    if path.is_file():
        try:
            theirs = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{path} cannot be read ({error!s:.100}); delete {folder}, and it is made again") from error
        if theirs != mine:
            raise InvalidInput(f"{folder} holds looks for another training; delete it, or name another file with --out")
        return
    with write_whole(path) as part:
        part.write_text(json.dumps(mine))


def hear_of(examples: Examples, witness: Witness, number: int, seed: int) -> Hearing | None:
    """One look, from one side or from two; None where nothing is found."""
    rng = np.random.default_rng((zlib.crc32(b"hearings"), seed, number))
    scene = open_scene(examples, number % len(examples))
    scene = mirror(scene) if rng.random() < 0.5 else scene
    photos, _ = take_photos(scene, int(rng.choice(VIEWS)), rng, domain=bool(rng.random() < DOMAIN))
    try:
        found = witness.propose([see(photo) for photo in photos])
    except InvalidInput as error:
        if error.kind != TWO_SCENES:
            raise
        return None
    return Hearing(np.array([photo.camera.eye for photo in photos]), found, scene.blocks, scene.fell) if len(found.odds) else None


def store(path: Path, hearings: list[Hearing]) -> None:
    """One file of numbers, there whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {"count": np.array(len(hearings))}
    for number, (eyes, found, blocks, fell) in enumerate(hearings):
        arrays |= {f"{number}.{EYES}": eyes, f"{number}.fell": fell}
        arrays |= {f"{number}.found.{name}": part for name, part in zip(FOUND, (*found.blocks, *found[1:]), strict=True)}
        arrays |= {f"{number}.true.{name}": part for name, part in zip(TRUE, blocks, strict=True)}
    with write_whole(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # none of the names is `allow_pickle`


def restore(path: Path) -> list[Hearing]:
    """What `store` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return [restore_one(arrays, str(number)) for number in range(min(int(arrays["count"]), PART))]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InvalidInput(f"{path} cannot be read ({error!s:.100}); delete it, and it is made again") from error


def restore_one(arrays: Any, number: str) -> Hearing:
    found = [arrays[f"{number}.found.{name}"] for name in FOUND]
    true = Proposals(*(arrays[f"{number}.true.{name}"] for name in TRUE))
    return Hearing(arrays[f"{number}.{EYES}"], Found(Proposals(*found[:3]), *found[3:]), true, arrays[f"{number}.fell"])
