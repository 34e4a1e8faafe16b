"""An episode on disk: its annotation as JSON, its frames as NumPy arrays without pickle."""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.episode.annotation import SCHEMA, annotate
from anastylosis.episode.record import Episode
from anastylosis.episode.recorder import EpisodeFrames
from anastylosis.errors import InvalidInput
from anastylosis.whole_file import write_whole

__all__ = ["is_written", "read_annotation", "read_episode", "read_manifest", "write_episode", "write_manifest"]

MANIFEST = "manifest.json"
POSES_MAX = 1_000_000  # frames x blocks that are read unless more is asked for: 32 MB, 10 minutes of 54 blocks
BYTES_MAX = 10**9  # of a file that is read at all
# What broken archives raise; OSError for a seek to nowhere.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, NotImplementedError, RuntimeError, OSError)


def read_manifest(folder: Path) -> dict[str, Any]:
    """How the episodes of a folder were made, level by level; empty for a folder without any."""
    path = folder / MANIFEST
    if not path.exists():
        return {}
    manifest = read_document(path)
    if not all(isinstance(level, dict) and level.keys() >= {"version", "seed", "config"} for level in manifest.values()):
        raise InvalidInput(f"{path} is not a manifest of episodes; name another folder")
    return manifest


def read_annotation(folder: Path, name: str) -> dict[str, Any]:
    """What `write_episode` wrote of an episode, without its frames."""
    path = folder / f"{name}.json"
    document = read_document(path)
    if document.get("schema") != SCHEMA:
        raise InvalidInput(f"{path} is not an episode of schema {SCHEMA}; delete it, or name another folder")
    return document


def read_episode(folder: Path | str, name: str, *, most: int = POSES_MAX) -> tuple[dict[str, Any], EpisodeFrames]:
    """What `write_episode` wrote: the annotation, and the frames, with the shapes and types that the annotation promises.

    Refuses files that are not ours, broken ones, and more than `most` frames x blocks before it makes room for them.
    """
    folder = Path(folder)
    for path in (folder / f"{name}.json", folder / f"{name}.npz"):
        if not path.is_file():
            raise InvalidInput(f"{path} is not there; an episode is two files, NAME.json and NAME.npz")
        if path.stat().st_size > BYTES_MAX:
            raise InvalidInput(f"{path} has {path.stat().st_size:,} bytes; no more than {BYTES_MAX:,} are read")
    document = read_annotation(folder, name)
    if not isinstance(document.get("blocks"), list):
        raise InvalidInput(f"{folder / name}.json names no blocks; delete it, or name another folder")
    return document, read_frames(folder / f"{name}.npz", len(document["blocks"]), most)


def read_frames(path: Path, blocks: int, most: int) -> EpisodeFrames:
    """The frames in a file, which must be those of so many blocks."""
    try:
        headers = read_headers(path)
        count = headers["time"][0][0] if headers.get("time", ((), None))[0] else 0
        wanted = {
            "time": ((count,), np.dtype(np.float32)),
            "position": ((count, blocks, 3), np.dtype(np.float32)),
            "orientation": ((count, blocks, 4), np.dtype(np.float32)),
            "present": ((count, blocks), np.dtype(np.bool_)),
        }
        if headers != wanted or count == 0:
            raise InvalidInput(f"{path} does not hold the frames of {blocks} blocks that its JSON promises; delete both")
        if count * blocks > most:
            raise InvalidInput(f"{path} has {count:,} frames of {blocks:,} blocks; to read it, pass most={count * blocks}")
        with np.load(path, allow_pickle=False) as arrays:
            frames = EpisodeFrames(*(arrays[name] for name in EpisodeFrames._fields))
    except (InvalidInput, PermissionError):
        raise
    except BROKEN as error:
        raise InvalidInput(f"{path} is not a file of frames of ours, or is broken ({error}); delete it") from error
    if not all(np.isfinite(array).all() for array in frames):
        raise InvalidInput(f"{path} has frames that are not finite; delete it")
    return frames


def read_headers(path: Path) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Shape and type of each array in a file, without reading the arrays: a small file may claim to be a huge one."""
    headers = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            with archive.open(member) as stream:
                if np.lib.format.read_magic(stream) != (1, 0):
                    raise ValueError(f"{member} is not an array of version 1.0")
                shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
            headers[member.removesuffix(".npy")] = (shape, dtype)
    return headers


def read_document(path: Path) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        document = json.loads(path.read_text())
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise InvalidInput(f"{path} is not a JSON document of ours; delete it, or name another folder")
    return document


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Note how the episodes of a folder are made."""
    folder.mkdir(parents=True, exist_ok=True)
    with write_whole(folder / MANIFEST) as part:
        part.write_text(json.dumps(manifest, indent=2))


def write_episode(episode: Episode, folder: Path, name: str) -> None:
    """Write `name.npz` (frames), then `name.json`; a file is there whole or not at all, and the JSON comes last."""
    with write_whole(folder / f"{name}.npz") as part, part.open("wb") as file:
        np.savez_compressed(file, **episode.frames._asdict())
    with write_whole(folder / f"{name}.json") as part:
        part.write_text(json.dumps(annotate(episode), allow_nan=False))


def is_written(folder: Path, name: str) -> bool:
    """True when all of an episode is on disk."""
    return all((folder / f"{name}.{kind}").exists() for kind in ("npz", "json"))
