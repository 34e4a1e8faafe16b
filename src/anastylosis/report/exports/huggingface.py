"""A dataset for Hugging Face: a folder that `datasets.load_dataset` opens, and that can be uploaded as it is.

    README.md                           the card, with the head that says where the splits are and what the columns hold
    data/train-00000-of-00012.parquet   one row an episode, pictures as PNG; the other splits alike

Shards are written to `.data.part`, which becomes `data` when all are there: a stopped export goes on where it was.
"""

import hashlib
import io
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image

from anastylosis import __version__
from anastylosis.dataset import Dataset, Sample
from anastylosis.errors import InvalidInput
from anastylosis.executors import run_pool, run_serial
from anastylosis.rendering import make_look, still_camera
from anastylosis.report.exports.huggingface_card import CARD, OURS, SplitSize, describe_export
from anastylosis.report.exports.progress import ExportProgress, ExportSettings
from anastylosis.whole_file import delete_abandoned, write_whole

DATA, PART = "data", ".data.part"
ROWS = 100  # episodes a shard: about 30 MB of pictures of 512 pixels
GROUP = 25  # episodes a row group: what is read at a time where the whole file is not
EDITION = 1  # raised when the same episodes and settings give other files
DEPTH_UNIT = 2e-4  # [m] of one step of a depth picture, as in TUM RGB-D: 16 bits reach 13.1 m
IDENTITY = b"anastylosis"  # of the metadata of a file: a hash of what it was made of
ORDER = ("train", "val", "test")  # then tests of their own
SPLIT_NAMES = {"val": "validation"}

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
TEXT, REAL, WHOLE, TRUTH = pa.string(), pa.float64(), pa.int64(), pa.bool_()
VECTOR = pa.list_(REAL)
CAMERA = pa.struct(
    [("eye", VECTOR), ("target", VECTOR), ("up", VECTOR), ("field_of_view", REAL), ("width", WHOLE), ("height", WHOLE)]
)


class ExportColumn(NamedTuple):
    """One column of an export: its type and its meaning."""

    type: pa.DataType
    meaning: str


COLUMNS = {
    "name": ExportColumn(TEXT, "name of the episode"),
    "level": ExportColumn(TEXT, "group of episodes that were drawn alike"),
    "seed": ExportColumn(pa.uint64(), "seed of the episode; the split follows from it"),
    "rgb": ExportColumn(IMAGE, "the blocks as they lie at the end"),
    "block_ids": ExportColumn(IMAGE, "16-bit: 1 + the row of the block that each pixel shows; 0: the floor"),
    "depth": ExportColumn(IMAGE, "16-bit: distance along the viewing axis in steps of 0.2 mm (divide by 5000 for m); 0: none"),
    "camera": ExportColumn(
        CAMERA,
        "pinhole camera: where it is, what it looks at, what is up [m]; vertical field of view [rad]",
    ),
    "size": ExportColumn(pa.list_(VECTOR), "length, width and height of each block [m]"),
    "poses_before": ExportColumn(
        pa.list_(VECTOR), "x, y, z [m] and quaternion w, x, y, z of each block just before the fatal pull; null: it was gone"
    ),
    "poses_after": ExportColumn(pa.list_(VECTOR), "poses at the end, when all is at rest"),
    "slots": ExportColumn(
        pa.list_(WHOLE), "slot in which each block stood before the fatal pull, 3 * layer + place; -1: it was gone"
    ),
    "standing": ExportColumn(pa.list_(TRUTH), "for each slot of the tower as it was built: filled just before the fatal pull"),
    "layers": ExportColumn(WHOLE, "height of the tower as it was built"),
    "friction": ExportColumn(REAL, "coefficient, before blocks are made to differ"),
    "policy": ExportColumn(TEXT, "who played"),
    "rule": ExportColumn(TEXT, "take: blocks are taken away; stack: they go on top"),
    "ending": ExportColumn(TEXT, "collapse, no_move or round_limit"),
    "collapsed": ExportColumn(TRUTH, "the tower fell"),
    "removed_count": ExportColumn(WHOLE, "slots that were empty just before the fatal pull"),
    "imbalance": ExportColumn(REAL, "minus the balance margin just before the fatal pull [m]"),
    "interface_imbalance": ExportColumn(REAL, "imbalance at the weakest of all interfaces [m]"),
    "offset": ExportColumn(REAL, "horizontal distance of the centre of mass from the middle of the ground polygon [m]"),
    "torque_risk": ExportColumn(WHOLE, "moves of the kind side_xaxis, the fatal one included"),
    "failure_layer": ExportColumn(WHOLE, "the lowest layer that gave way; -1: none"),
    "fatal_block": ExportColumn(TEXT, "the block at whose pull the tower fell"),
    "direction": ExportColumn(REAL, "heading of the fall, from world x [rad]"),
    "blocks_on_floor": ExportColumn(WHOLE, "blocks on the floor that did not lie there before"),
}  # fmt: skip


class ShardPlan(NamedTuple):
    """One file to be written."""

    split: str
    number: int
    files: int  # of its split
    names: tuple[str, ...]  # of its episodes
    identity: str

    @property
    def file(self) -> str:
        return f"{self.split}-{self.number:05d}-of-{self.files:05d}.parquet"


def export_huggingface(folder: Path | str, out: Path, settings: ExportSettings | None = None) -> Iterator[ExportProgress]:
    """Write the shards that are missing, then the card; yield the progress.

    Files of the same episodes and settings are kept; those of others are refused. Any number of workers gives the same bits.
    """
    settings = settings or ExportSettings()
    make_look(settings.look, 0)  # refuses what is no look
    dataset = Dataset(folder)
    plans = plan_shards(dataset, settings)
    check_card(out / CARD)
    finished = (out / DATA).is_dir()
    target = out / (DATA if finished else PART)
    missing = find_missing(target, plans)
    if finished and missing:
        raise InvalidInput(f"{target / missing[0].file} is missing; delete {target}, or name another folder")
    total, written = len(dataset), 0
    lacking = sum(len(plan.names) for plan in missing)
    yield ExportProgress(total - lacking, total, 0)
    target.mkdir(parents=True, exist_ok=True)
    delete_abandoned(target)
    do = partial(write_shard, dataset, settings, target)
    done = run_serial(do, missing) if settings.workers == 1 else run_pool(do, missing, workers=settings.workers)
    for plan, _ in done:
        written += len(plan.names)
        yield ExportProgress(total - lacking + written, total, written)
    meanings = {name: column.meaning for name, column in COLUMNS.items()}
    text = describe_export(dataset, list_features(), meanings, count_splits(target, plans), settings)
    with write_whole(out / CARD) as part:
        part.write_text(text, encoding="utf-8")
    if not finished:
        target.rename(out / DATA)


def plan_shards(dataset: Dataset, settings: ExportSettings) -> list[ShardPlan]:
    """List the files of every split, each with a hash of all that decides what is in it."""
    rows = dataset.read("episodes", ("episode", "split", "fingerprint")).to_pylist()
    prints = {row["episode"]: row["fingerprint"] for row in rows}
    splits: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: ORDER.index(row["split"]) if row["split"] in ORDER else len(ORDER)):  # stable
        splits.setdefault(name_split(row["split"]), []).append(row["episode"])
    plans = []
    for split, names in splits.items():
        parts = [tuple(names[first : first + ROWS]) for first in range(0, len(names), ROWS)]
        for number, part in enumerate(parts):
            content = [EDITION, __version__, settings.size, settings.look, [(name, prints[name]) for name in part]]
            identity = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:24]
            plans.append(ShardPlan(split, number, len(parts), part, identity))
    return plans


def name_split(split: str) -> str:
    """Return the name of a split as Hugging Face has it: letters, digits and underscores, `validation` for `val`."""
    return SPLIT_NAMES.get(split, re.sub(r"\W", "_", split))


def check_card(path: Path) -> None:
    """Raise if there is a README that an export has not written."""
    if path.is_file() and OURS not in path.read_text(encoding="utf-8", errors="replace"):
        raise InvalidInput(f"{path} is not of an export; move it elsewhere, or name another folder")


def find_missing(target: Path, plans: list[ShardPlan]) -> list[ShardPlan]:
    """Return the files that are not there; refuse files of other episodes or settings."""
    wanted = {plan.file: plan for plan in plans}
    there = sorted(path for path in target.glob("*") if not path.name.startswith(".")) if target.is_dir() else []
    for path in there:
        if path.name not in wanted or read_identity(path) != wanted[path.name].identity:
            raise InvalidInput(
                f"{path} is of another dataset, or was drawn with other settings; delete {target}, or name another folder"
            )
    found = {path.name for path in there}
    return [plan for plan in plans if plan.file not in found]


def read_identity(path: Path) -> str | None:
    """Return the hash that a file of an export carries; None of any other file."""
    try:
        found = (pq.read_schema(path).metadata or {}).get(IDENTITY)
    except (pa.ArrowException, OSError, ValueError):
        return None
    return found.decode(errors="replace") if found else None


def count_splits(target: Path, plans: list[ShardPlan]) -> list[SplitSize]:
    """Return the size of each split, from its finished files."""
    sizes = []
    for split in dict.fromkeys(plan.split for plan in plans):
        paths = [target / plan.file for plan in plans if plan.split == split]
        heads = [pq.read_metadata(path) for path in paths]
        unpacked = sum(head.row_group(group).total_byte_size for head in heads for group in range(head.num_row_groups))
        packed = sum(path.stat().st_size for path in paths)
        sizes.append(SplitSize(split, sum(head.num_rows for head in heads), unpacked, packed))
    return sizes


def write_shard(dataset: Dataset, settings: ExportSettings, target: Path, plan: ShardPlan) -> None:
    """Draw the episodes of a shard and write its file, whole or not at all."""
    rows = [build_row(dataset[name], settings) for name in plan.names]
    metadata = {b"huggingface": json.dumps({"info": {"features": list_features()}}).encode(), IDENTITY: plan.identity.encode()}
    schema = pa.schema([(name, column.type) for name, column in COLUMNS.items()], metadata=metadata)
    with write_whole(target / plan.file) as part:
        pq.write_table(pa.Table.from_pylist(rows, schema), part, row_group_size=GROUP, compression="zstd")


def build_row(sample: Sample, settings: ExportSettings) -> dict[str, Any]:
    """Draw one episode, and gather what is told about it."""
    camera = still_camera(settings.size)
    image = sample.draw(camera=camera, look=settings.look)
    assert image.ids is not None
    assert image.depth is not None
    pictures: dict[str, NDArray[Any]] = {"rgb": image.rgb, "block_ids": encode_ids(image.ids), "depth": encode_depth(image.depth)}
    columns = {
        "name": sample.name,
        "level": sample.row["level"],
        "seed": sample.seed,
        "camera": {name: getattr(camera, name) for name in CAMERA.names},
        "size": sample.size.tolist(),
        "poses_before": list_poses(sample.poses_before),
        "poses_after": list_poses(sample.poses_after),
        "slots": sample.slots.tolist(),
        "standing": sample.standing.tolist(),
    }
    png = {name: {"bytes": encode_png(picture), "path": f"{sample.name}_{name}.png"} for name, picture in pictures.items()}
    return columns | png | sample.labels


def encode_ids(ids: NDArray[np.int32]) -> NDArray[np.uint16]:
    """Return 1 + the row of the block of each pixel; 0 where there is none."""
    return (ids + 1).astype(np.uint16)


def encode_depth(depth: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return depth in steps of `DEPTH_UNIT`; 0 where there is nothing, or it is farther than 16 bits reach."""
    steps = np.rint(depth.astype(np.float64) / DEPTH_UNIT)
    return np.where(steps <= np.iinfo(np.uint16).max, steps, 0).astype(np.uint16)


def encode_png(picture: NDArray[Any]) -> bytes:
    """Return the PNG file of a picture of bytes (H, W, 3), or of 16-bit numbers (H, W)."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, format="PNG", compress_level=6)
    return file.getvalue()


def list_poses(poses: NDArray[np.float64]) -> list[list[float] | None]:
    """Return poses as lists; None for blocks that are gone."""
    return [pose if np.isfinite(pose[0]) else None for pose in poses.tolist()]


def list_features() -> dict[str, Any]:
    """Return the features of all columns, as Hugging Face writes them to Parquet files."""
    return {name: describe_feature(column.type) for name, column in COLUMNS.items()}


def describe_feature(kind: pa.DataType) -> dict[str, Any]:
    """Return the feature of an Arrow type."""
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": describe_feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        return {field.name: describe_feature(field.type) for field in kind}
    return {"dtype": {"double": "float64"}.get(str(kind), str(kind)), "_type": "Value"}
