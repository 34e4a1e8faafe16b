"""Schema: the three tables of a dataset, their columns, types and units. One row an episode, a round, a frame.

SI units. Lists have one item a block, in the order of `blocks`; what is gone is null.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

__all__ = ["EPISODES", "FRAMES", "KEYS", "LABELS", "ROUNDS", "SCHEMA", "TABLES", "Column", "arrow_schema"]

SCHEMA = 2  # of the tables; raised when a column changes its name or meaning. 1 was JSON and NPZ files

TEXT, WHOLE, REAL, TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()
REALS, WHOLES, TRUTHS = pa.list_(REAL), pa.list_(WHOLE), pa.list_(TRUTH)
VECTORS = pa.list_(REALS)
SHORT_REALS = pa.list_(pa.float32())


class Column(NamedTuple):
    """One column: its type, its unit where it has one, and what it says."""

    type: pa.DataType
    unit: str
    meaning: str


KEYS = {
    "episode": Column(TEXT, "", "name, `{level}_exp_{index}`"),
    "level": Column(TEXT, "", "the group it was drawn in"),
    "index": Column(WHOLE, "", "number within its level"),
    "split": Column(TEXT, "", "train, val, test, or a test of its own"),
}

LABELS = {
    "friction": Column(REAL, "", "coefficient, before blocks are made to differ"),
    "removed_count": Column(WHOLE, "", "blocks taken away before the fatal pull, or before the end where nothing fell"),
    "removed": Column(TRUTHS, "", "slots that were empty just before the fatal pull"),
    "imbalance": Column(REAL, "m", "minus the balance margin just before the fatal pull"),
    "interface_imbalance": Column(REAL, "m", "the same at the weakest of all interfaces"),
    "offset": Column(REAL, "m", "centre of mass from the middle of the ground polygon, horizontally"),
    "torque_moves": Column(WHOLE, "", "moves of the kind side_xaxis, the fatal one included"),
    "standing": Column(TRUTHS, "", "blocks in the tower just before the fatal pull"),
    "fatal_block": Column(TEXT, "", "the block at whose pull the tower fell"),
    "failure_course": Column(WHOLE, "", "the lowest layer that gave way; -1: none"),
    "direction": Column(REAL, "rad", "of the fall, from world x"),
    "blocks_on_floor": Column(WHOLE, "", "that did not lie there before"),
    "stood_positions": Column(VECTORS, "m", "centres just before the fatal pull"),
    "stood_quaternions": Column(VECTORS, "", "orientations then, wxyz"),
    "lies_positions": Column(VECTORS, "m", "centres at the end"),
    "lies_quaternions": Column(VECTORS, "", "orientations at the end, wxyz"),
    "course": Column(WHOLES, "", "layer of the slot a block stood in"),
    "place": Column(WHOLES, "", "place of that slot in its layer, 0..2"),
    "displacement": Column(VECTORS, "m", "from where each block stood to where it lies"),
}

EPISODES = KEYS | {
    "seed": Column(pa.uint64(), "", "of the episode"),
    "layers": Column(WHOLE, "", "height of the tower"),
    "policy": Column(TEXT, "", "who played"),
    "rule": Column(TEXT, "", "take: blocks are taken away; stack: they go on top"),
    "schema": Column(WHOLE, "", "version of the annotation"),
    "version": Column(TEXT, "", "of Anastylosis"),
    "config": Column(TEXT, "", "all settings, as JSON"),
    "fingerprint": Column(TEXT, "", "hash of everything that moved, to the last bit"),
    "blocks": Column(pa.list_(TEXT), "", "ids"),
    "sizes": Column(VECTORS, "m", "length, width, height"),
    "masses": Column(REALS, "kg", "of the blocks"),
    "frictions": Column(REALS, "", "of the blocks"),
    "restitution": Column(REAL, "", "of blocks and floor"),
    "ending": Column(TEXT, "", "collapse, no_move or round_limit"),
    "collapsed": Column(TRUTH, "", "the tower fell"),
    "collapse_time": Column(REAL, "s", "when the criterion first held"),
    "seconds": Column(REAL, "s", "simulated time"),
    "at_rest": Column(TRUTH, "", "the end is at rest, not cut short"),
    "kinetic_energy": Column(REAL, "J", "at the end"),
    "round_count": Column(WHOLE, "", "pulls"),
} | LABELS  # fmt: skip

ROUNDS = KEYS | {
    "round": Column(WHOLE, "", "number, from 0"),
    "removed_block": Column(TEXT, "", "the block that was pulled, whatever came of it"),
    "layer": Column(WHOLE, "", "where it stood"),
    "slot": Column(WHOLE, "", "its place in that layer, 0..2"),
    "axis": Column(TEXT, "", "of the pull: x across the block, y along it"),
    "sign": Column(WHOLE, "", "way along that axis"),
    "outcome": Column(TEXT, "", "out, stuck or collapse"),
    "ziglar_type": Column(TEXT, "", "kind of move: center_xaxis, side_yaxis or side_xaxis"),
    "ziglar_risk": Column(TEXT, "", "low, medium or high"),
    "ziglar_torque": Column(TRUTH, "", "the move brings a torque"),
    "ziglar_force": Column(REAL, "N", "threshold of the paper, 3 mu m g or the torque's"),
    "ziglar_torque_moment": Column(REAL, "N m", "of friction about the block's centre"),
    "ziglar_upper_holds": Column(TRUTH, "", "the blocks above are not carried along"),
    "ziglar_angular_acceleration": Column(REAL, "rad/s2", "of the block"),
    "force_loaded": Column(REAL, "N", "threshold with the load that rests on the block"),
    "force_limit": Column(REAL, "N", "largest force of the hand"),
    "force_peak": Column(REAL, "N", "largest force that the hand felt"),
    "work": Column(REAL, "J", "of the hand"),
    "path": Column(pa.list_(SHORT_REALS), "m", "centre of the block in the hand, every step"),
    "forces": Column(SHORT_REALS, "N", "of the hand, at these steps"),
    "neighbour_displacement": Column(REAL, "m", "largest of a block that was not pulled, while it was pulled"),
} | {
    f"{name}_{when}": column
    for when in ("before", "after")
    for name, column in {
        "analytic_stable": Column(TRUTH, "", f"the margin is positive, {when} the pull"),
        "margin": Column(REAL, "m", f"of the centre of mass over the ground polygon, {when} the pull"),
        "interface_margin": Column(REAL, "m", f"smallest of all interfaces, {when} the pull"),
        "weakest_layer": Column(WHOLE, "", f"the layer on whose underside that is, {when} the pull"),
        "centre_of_mass": Column(REALS, "m", f"of the tower, {when} the pull"),
    }.items()
} | {
    "active_blocks": Column(WHOLE, "", "in the world at the end of the round"),
    "start_time": Column(REAL, "s", "of the round"),
    "end_time": Column(REAL, "s", "when all was at rest again, or the wait was over"),
    "at_rest": Column(TRUTH, "", "the wait was not cut short"),
    "kinetic_energy": Column(REAL, "J", "at the end of the round"),
    "kinetic_energy_peak": Column(REAL, "J", "largest in the round"),
    "displacement_peak": Column(REAL, "m", "largest of any block that was not in the hand"),
    "angle_peak": Column(REAL, "rad", "largest of the same"),
    "collapse_displacement": Column(TRUTH, "", "displacement was beyond its threshold"),
    "collapse_energy": Column(TRUTH, "", "energy was beyond its threshold"),
    "collapse_angle": Column(TRUTH, "", "angle was beyond its threshold"),
    "positions": Column(VECTORS, "m", "centres at the end of the round"),
    "quaternions": Column(VECTORS, "", "orientations then, wxyz"),
}  # fmt: skip

FRAMES = {
    "episode": KEYS["episode"],
    "frame": Column(pa.int32(), "", "number, from 0"),
    "time": Column(pa.float32(), "s", "since the tower was built"),
    "position": Column(SHORT_REALS, "m", "x, y, z of each block, one after the other"),
    "orientation": Column(SHORT_REALS, "", "w, x, y, z of each block, one after the other"),
    "present": Column(TRUTHS, "", "False: taken away"),
}

TABLES: Mapping[str, Mapping[str, Column]] = {"trajectories": FRAMES, "rounds": ROUNDS, "episodes": EPISODES}


def arrow_schema(columns: Mapping[str, Column]) -> pa.Schema:
    """The Arrow schema of a table; unit and meaning travel with every column."""
    fields = [
        pa.field(name, column.type, metadata={"unit": column.unit, "meaning": column.meaning}) for name, column in columns.items()
    ]
    return pa.schema(fields, metadata={"anastylosis_schema": str(SCHEMA)})
