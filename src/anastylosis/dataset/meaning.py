"""Check what the cells of a shard mean: numbers that are numbers, settings that are settings, and as many items as blocks."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anastylosis.mechanics import KINDS, RISKS
from anastylosis.structure import BLOCKS_MAX, LAYERS_MAX

OUTCOMES = ("out", "stuck", "collapse")
WORDS = {"outcome": OUTCOMES, "ziglar_type": KINDS, "ziglar_risk": RISKS}  # of rounds
NEEDED = {  # columns that say something in every row
    "episodes": (
        "seed", "split", "layers", "policy", "rule", "config", "fingerprint", "blocks", "sizes", "masses", "frictions", "ending",
        "collapsed", "friction", "removed_count", "removed", "standing", "torque_moves", "blocks_on_floor", "course", "place",
        "stood_positions", "stood_quaternions", "lies_positions", "lies_quaternions",
    ),
    "rounds": ("round", "layer", "force_peak", "kinetic_energy_peak", "displacement_peak", "angle_peak", *WORDS),
}  # fmt: skip
POSITIVE = {  # columns with numbers that are not below 0
    "episodes": ("friction", "layers", "removed_count", "torque_moves", "blocks_on_floor"),
    "rounds": ("layer", "force_peak", "kinetic_energy_peak", "displacement_peak", "angle_peak"),
}
PER_BLOCK = {  # lists with an item a block, and how many numbers an item has; 0: it is no list
    "sizes": 3, "masses": 0, "frictions": 0, "course": 0, "place": 0, "standing": 0,
    "stood_positions": 3, "stood_quaternions": 4, "lies_positions": 3, "lies_quaternions": 4,
}  # fmt: skip
MAY_BE_GONE = ("stood_positions", "stood_quaternions", "lies_positions", "lies_quaternions")


def find_odd_cells(table: str, rows: pa.Table) -> Iterator[str]:
    """Yield what is wrong with whole columns of `episodes` or `rounds`."""
    for name in rows.column_names:
        if not all_finite(rows.column(name)):
            yield f"{name} has NaN or infinity"
    for name in NEEDED[table]:
        if rows.column(name).null_count:
            yield f"{name} is missing in {rows.column(name).null_count:,} of {len(rows):,} rows"
    for name in POSITIVE[table]:
        if pc.any(pc.less(rows.column(name), 0)).as_py():
            yield f"{name} is not everywhere 0 or more"
    for name, known in WORDS.items() if table == "rounds" else ():
        for word in sorted(set(rows.column(name).unique().to_pylist()) - {None, *known}):
            yield f"{name} is {word[:40]!r}, not one of {', '.join(known)}"


def all_finite(column: pa.ChunkedArray) -> bool:
    """Return whether the reals of a column, in lists or not, are finite."""
    for chunk in column.chunks:
        while pa.types.is_list(chunk.type):
            chunk = chunk.flatten()
        if pa.types.is_floating(chunk.type) and pc.all(pc.is_finite(chunk)).as_py() is False:
            return False
    return True


def find_odd_episode(row: Mapping[str, Any]) -> str:
    """Return what is wrong with one row of `episodes`, "" if nothing is. What is missing in it is said elsewhere."""
    if any(row[name] is None for name in NEEDED["episodes"]):
        return ""
    blocks = len(row["blocks"])
    if not 1 <= row["layers"] <= LAYERS_MAX or not 1 <= blocks <= BLOCKS_MAX:
        return f"it has {row['layers']:,} layers and {blocks:,} blocks; a tower has up to {LAYERS_MAX:,} and {BLOCKS_MAX:,}"
    if None in row["blocks"] or len(set(row["blocks"])) < blocks:
        return "its blocks have no ids that are all different"
    for name, width in PER_BLOCK.items():
        if not is_per_block(row[name], blocks, width, gone=name in MAY_BE_GONE):
            return f"{name} does not hold {f'{width} numbers' if width else 'one item'} a block"
    for when in ("stood", "lies"):
        if [each is None for each in row[f"{when}_positions"]] != [each is None for each in row[f"{when}_quaternions"]]:
            return f"{when}_positions and {when}_quaternions are not of the same blocks"
    if None in row["removed"]:
        return "removed does not hold one item a slot"
    if min(map(min, row["sizes"])) <= 0 or min(row["masses"]) <= 0:
        return "sizes and masses are not everywhere above 0"
    return find_odd_settings(row["config"])


def is_per_block(items: Sequence[Any], blocks: int, width: int, *, gone: bool) -> bool:
    """Return whether there is an item a block, of so many numbers; `gone`: some blocks may have none."""
    there = [item for item in items if item is not None]
    if len(items) != blocks or (len(there) < blocks and not gone):
        return False
    return not width or all(len(item) == width and None not in item for item in there)


def find_odd_settings(config: str) -> str:
    """Return what is wrong with the settings of an episode, "" if nothing is."""
    try:
        return "" if isinstance(json.loads(config), dict) else "config is no JSON object"
    except (ValueError, RecursionError) as error:
        return f"config cannot be read: {' '.join(str(error).split())[:100]}"
