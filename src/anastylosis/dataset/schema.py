"""The three tables of a dataset, their columns, types and units. One row an episode, a round, a frame.

SI units. Lists have one item a block, in the order of `blocks`; what is gone is null.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

__all__ = ["EPISODES", "FRAMES", "KEYS", "LABELS", "ROUNDS", "SCHEMA", "TABLES", "TableColumn", "arrow_schema", "table_schema"]

SCHEMA = 2  # of the tables; raised when a column changes its name or meaning. 1 was JSON and NPZ files

TEXT, WHOLE, REAL, TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()
REALS, WHOLES, TRUTHS = pa.list_(REAL), pa.list_(WHOLE), pa.list_(TRUTH)
VECTORS = pa.list_(REALS)
SHORT_REALS = pa.list_(pa.float32())


class TableColumn(NamedTuple):
    """One column: its type, its unit where it has one, its meaning."""

    type: pa.DataType
    unit: str
    meaning: str


KEYS = {
    "episode": TableColumn(TEXT, "", "name, `{level}_exp_{index}`"),
    "level": TableColumn(TEXT, "", "the group it was drawn in"),
    "index": TableColumn(WHOLE, "", "number within its level"),
    "split": TableColumn(TEXT, "", "train, val, test, or a test of its own"),
}

LABELS = {
    "friction": TableColumn(REAL, "", "coefficient, before blocks are made to differ"),
    "removed_count": TableColumn(WHOLE, "", "blocks taken away before the fatal pull, or before the end where nothing fell"),
    "removed": TableColumn(TRUTHS, "", "slots that were empty just before the fatal pull"),
    "imbalance": TableColumn(REAL, "m", "minus the balance margin just before the fatal pull"),
    "interface_imbalance": TableColumn(REAL, "m", "the same at the weakest of all interfaces"),
    "offset": TableColumn(REAL, "m", "centre of mass from the middle of the ground polygon, horizontally"),
    "torque_moves": TableColumn(WHOLE, "", "moves of the kind side_xaxis, the fatal one included"),
    "standing": TableColumn(TRUTHS, "", "blocks in the tower just before the fatal pull"),
    "fatal_block": TableColumn(TEXT, "", "the block at whose pull the tower fell"),
    "failure_course": TableColumn(WHOLE, "", "the lowest layer that gave way; -1: none"),
    "direction": TableColumn(REAL, "rad", "of the fall, from world x"),
    "blocks_on_floor": TableColumn(WHOLE, "", "that did not lie there before"),
    "stood_positions": TableColumn(VECTORS, "m", "centres just before the fatal pull"),
    "stood_quaternions": TableColumn(VECTORS, "", "orientations then, wxyz"),
    "lies_positions": TableColumn(VECTORS, "m", "centres at the end"),
    "lies_quaternions": TableColumn(VECTORS, "", "orientations at the end, wxyz"),
    "course": TableColumn(WHOLES, "", "layer of the slot a block stood in"),
    "place": TableColumn(WHOLES, "", "place of that slot in its layer, 0..2"),
    "displacement": TableColumn(VECTORS, "m", "from where each block stood to where it lies"),
}

EPISODES = KEYS | {
    "seed": TableColumn(pa.uint64(), "", "of the episode"),
    "layers": TableColumn(WHOLE, "", "height of the tower"),
    "policy": TableColumn(TEXT, "", "who played"),
    "rule": TableColumn(TEXT, "", "take: blocks are taken away; stack: they go on top"),
    "schema": TableColumn(WHOLE, "", "version of the annotation"),
    "version": TableColumn(TEXT, "", "of Anastylosis"),
    "config": TableColumn(TEXT, "", "all settings, as JSON"),
    "fingerprint": TableColumn(TEXT, "", "hash of everything that moved, to the last bit"),
    "blocks": TableColumn(pa.list_(TEXT), "", "ids"),
    "sizes": TableColumn(VECTORS, "m", "length, width, height"),
    "masses": TableColumn(REALS, "kg", "of the blocks"),
    "frictions": TableColumn(REALS, "", "of the blocks"),
    "restitution": TableColumn(REAL, "", "of blocks and floor"),
    "ending": TableColumn(TEXT, "", "collapse, no_move or round_limit"),
    "collapsed": TableColumn(TRUTH, "", "the tower fell"),
    "collapse_time": TableColumn(REAL, "s", "when the criterion first held"),
    "seconds": TableColumn(REAL, "s", "simulated time"),
    "at_rest": TableColumn(TRUTH, "", "the end is at rest, not cut short"),
    "kinetic_energy": TableColumn(REAL, "J", "at the end"),
    "round_count": TableColumn(WHOLE, "", "pulls"),
} | LABELS  # fmt: skip

ROUNDS = KEYS | {
    "round": TableColumn(WHOLE, "", "number, from 0"),
    "removed_block": TableColumn(TEXT, "", "the block that was pulled, whatever came of it"),
    "layer": TableColumn(WHOLE, "", "where it stood"),
    "slot": TableColumn(WHOLE, "", "its place in that layer, 0..2"),
    "axis": TableColumn(TEXT, "", "of the pull: x across the block, y along it"),
    "sign": TableColumn(WHOLE, "", "way along that axis"),
    "outcome": TableColumn(TEXT, "", "out, stuck or collapse"),
    "ziglar_type": TableColumn(TEXT, "", "kind of move: center_xaxis, side_yaxis or side_xaxis"),
    "ziglar_risk": TableColumn(TEXT, "", "low, medium or high"),
    "ziglar_torque": TableColumn(TRUTH, "", "the move brings a torque"),
    "ziglar_force": TableColumn(REAL, "N", "threshold of the paper, 3 mu m g or the torque's"),
    "ziglar_torque_moment": TableColumn(REAL, "N m", "of friction about the block's centre"),
    "ziglar_upper_holds": TableColumn(TRUTH, "", "the blocks above are not carried along"),
    "ziglar_angular_acceleration": TableColumn(REAL, "rad/s2", "of the block"),
    "force_loaded": TableColumn(REAL, "N", "threshold with the load that rests on the block"),
    "force_limit": TableColumn(REAL, "N", "largest force of the hand"),
    "force_peak": TableColumn(REAL, "N", "largest force that the hand felt"),
    "work": TableColumn(REAL, "J", "of the hand"),
    "path": TableColumn(pa.list_(SHORT_REALS), "m", "centre of the block in the hand, every step"),
    "forces": TableColumn(SHORT_REALS, "N", "of the hand, at these steps"),
    "neighbour_displacement": TableColumn(REAL, "m", "largest of a block that was not pulled, while it was pulled"),
} | {
    f"{name}_{when}": column
    for when in ("before", "after")
    for name, column in {
        "analytic_stable": TableColumn(TRUTH, "", f"the margin is positive, {when} the pull"),
        "margin": TableColumn(REAL, "m", f"of the centre of mass over the ground polygon, {when} the pull"),
        "interface_margin": TableColumn(REAL, "m", f"smallest of all interfaces, {when} the pull"),
        "weakest_layer": TableColumn(WHOLE, "", f"the layer on whose underside that is, {when} the pull"),
        "centre_of_mass": TableColumn(REALS, "m", f"of the tower, {when} the pull"),
    }.items()
} | {
    "active_blocks": TableColumn(WHOLE, "", "in the world at the end of the round"),
    "start_time": TableColumn(REAL, "s", "of the round"),
    "end_time": TableColumn(REAL, "s", "when all was at rest again, or the wait was over"),
    "at_rest": TableColumn(TRUTH, "", "the wait was not cut short"),
    "kinetic_energy": TableColumn(REAL, "J", "at the end of the round"),
    "kinetic_energy_peak": TableColumn(REAL, "J", "largest in the round"),
    "displacement_peak": TableColumn(REAL, "m", "largest of any block that was not in the hand"),
    "angle_peak": TableColumn(REAL, "rad", "largest of the same"),
    "collapse_displacement": TableColumn(TRUTH, "", "displacement was beyond its threshold"),
    "collapse_energy": TableColumn(TRUTH, "", "energy was beyond its threshold"),
    "collapse_angle": TableColumn(TRUTH, "", "angle was beyond its threshold"),
    "positions": TableColumn(VECTORS, "m", "centres at the end of the round"),
    "quaternions": TableColumn(VECTORS, "", "orientations then, wxyz"),
}  # fmt: skip

FRAMES = {
    "episode": KEYS["episode"],
    "frame": TableColumn(pa.int32(), "", "number, from 0"),
    "time": TableColumn(pa.float32(), "s", "since the tower was built"),
    "position": TableColumn(SHORT_REALS, "m", "x, y, z of each block, one after the other"),
    "orientation": TableColumn(SHORT_REALS, "", "w, x, y, z of each block, one after the other"),
    "present": TableColumn(TRUTHS, "", "False: taken away"),
}

TABLES: Mapping[str, Mapping[str, TableColumn]] = {"trajectories": FRAMES, "rounds": ROUNDS, "episodes": EPISODES}


def table_schema(table: str, columns: Sequence[str] | None = None) -> pa.Schema:
    """Return the Arrow schema of `episodes`, `rounds` or `trajectories`, or of these columns of it."""
    known = TABLES[table]
    return arrow_schema({name: known[name] for name in columns or known})


def arrow_schema(columns: Mapping[str, TableColumn]) -> pa.Schema:
    """Return the Arrow schema of a table; unit and meaning travel with every column."""
    fields = [
        pa.field(name, column.type, metadata={"unit": column.unit, "meaning": column.meaning}) for name, column in columns.items()
    ]
    return pa.schema(fields, metadata={"anastylosis_schema": str(SCHEMA)})
