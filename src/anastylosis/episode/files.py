"""An episode on disk: its annotation as JSON, its frames as NumPy arrays without pickle."""

import json
import zipfile
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


def read_episode(folder: Path, name: str) -> tuple[dict[str, Any], EpisodeFrames]:
    """The annotation and the frames of an episode."""
    document, path = read_annotation(folder, name), folder / f"{name}.npz"
    try:
        with np.load(path, allow_pickle=False) as arrays:
            frames = EpisodeFrames(*(arrays[field] for field in EpisodeFrames._fields))
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"{path} does not hold the frames of an episode; delete it, and simulate again") from error
    count, blocks = len(frames.time), len(document["blocks"])
    wanted = [(count,), (count, blocks, 3), (count, blocks, 4), (count, blocks)]
    if count == 0 or [array.shape for array in frames] != wanted:
        raise InvalidInput(f"{path} holds frames of another episode; delete it, and simulate again")
    return document, frames


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
