"""Turn an episode into rows of tables, and rows into the episode's annotation and frames."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anastylosis.dataset.schema import EPISODES, FRAMES, KEYS, LABELS, ROUNDS, arrow_schema
from anastylosis.episode import Episode, EpisodeFrames
from anastylosis.errors import InvalidInput

POSES = ("stood", "lies")
SPREAD = ("layers", "policy", "rule")  # settings that are columns too


def tabulate(episode: Episode, *, level: str, index: int, split: str) -> dict[str, pa.Table]:
    """Return the rows of one episode in each table."""
    document, name = episode.as_document(), name_episode(level, index)
    keys = {"episode": name, "level": level, "index": index, "split": split}
    labels = dict(document["labels"])
    for when in POSES:
        labels |= {f"{when}_{name}": value for name, value in labels.pop(when).items()}
    config = document["config"]
    row = keys | document | labels | {name: config[name] for name in SPREAD}
    row |= {"config": json.dumps(config), "round_count": len(document["rounds"])}
    rounds = [keys | played for played in document["rounds"]]
    return {
        "episodes": pa.Table.from_pylist([row], arrow_schema(EPISODES)),
        "rounds": pa.Table.from_pylist(rounds, arrow_schema(ROUNDS)),
        "trajectories": tabulate_frames(episode.frames, name),
    }


def name_episode(level: str, index: int) -> str:
    """Name the files of an episode. Paper §13."""
    return f"{level}_exp_{index:04d}"


def level_of(name: str) -> str:
    """Return the level in the name of an episode."""
    return name.rpartition("_exp_")[0]


def tabulate_frames(frames: EpisodeFrames, name: str) -> pa.Table:
    """Return the table of frames: one row a frame."""
    count = len(frames.time)
    lists = [make_lists(array.reshape(count, -1)) for array in (frames.position, frames.orientation, frames.present)]
    columns = [pa.array([name] * count), pa.array(np.arange(count, dtype=np.int32)), pa.array(frames.time), *lists]
    return pa.Table.from_arrays(columns, schema=arrow_schema(FRAMES))


def make_lists(array: NDArray[Any]) -> pa.Array:
    """Return (N, K) numbers as N lists of K."""
    rows, width = array.shape
    return pa.ListArray.from_arrays(np.arange(0, rows * width + 1, width, dtype=np.int32), pa.array(array.ravel()))


def build_document(row: Mapping[str, Any], rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the annotation of an episode, as `Episode.as_document` returned it, from its row and those of its rounds."""
    labels = {name: row[name] for name in LABELS}
    for when in POSES:
        labels[when] = {name: labels.pop(f"{when}_{name}") for name in ("positions", "quaternions")}
    try:
        config = json.loads(row["config"])
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the settings of {row['episode']} are not JSON") from error
    beside = {*KEYS, *LABELS, *SPREAD, "round_count"}
    document = {name: row[name] for name in EPISODES if name not in beside}
    ordered = sorted(rounds, key=lambda played: played["round"])
    played = [{name: each[name] for name in ROUNDS if name not in KEYS} for each in ordered]
    return document | {"config": config, "rounds": played, "labels": labels}


def build_frames(table: pa.Table, blocks: int) -> EpisodeFrames:
    """Return the frames of an episode of so many blocks, from its rows; refuse rows of another number."""
    count = len(table)
    arrays = {name: table.column(name).combine_chunks() for name in ("position", "orientation", "present")}
    widths = {"position": 3 * blocks, "orientation": 4 * blocks, "present": blocks}
    flat = {}
    for name, array in arrays.items():
        offsets = array.offsets.to_numpy()
        if array.null_count or array.flatten().null_count or not np.array_equal(np.diff(offsets), np.full(count, widths[name])):
            raise InvalidInput(f"its frames are not those of {blocks} blocks")
        flat[name] = array.flatten().to_numpy(zero_copy_only=False)
    frames = EpisodeFrames(
        time=table.column("time").to_numpy(),
        position=flat["position"].reshape(count, blocks, 3),
        orientation=flat["orientation"].reshape(count, blocks, 4),
        present=flat["present"].reshape(count, blocks),
    )
    if not all(np.isfinite(array).all() for array in frames):
        raise InvalidInput("its frames are not all finite")
    return frames
