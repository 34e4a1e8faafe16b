"""Annotation: an episode as one JSON document, with everything the paper's has and what we measure beside it.

SI units throughout. Names that the paper's document has are the paper's: `slot` is a block's place in its layer, and
`removed_block` the one that was pulled, whatever came of it.
"""

import dataclasses
from typing import Any

import numpy as np

from anastylosis import __version__
from anastylosis.episode.record import Episode, Labels, Poses, Round, Statics

SCHEMA = 1  # raised when a field changes its name or meaning


def annotate(episode: Episode) -> dict[str, Any]:
    """Describe the whole episode but its frames, in types that JSON has; what is NaN or infinite is None."""
    document = {
        "schema": SCHEMA,
        "version": __version__,
        "seed": episode.seed,
        "config": dataclasses.asdict(episode.config),
        "fingerprint": episode.fingerprint(),
        "blocks": list(episode.structure.ids),
        "sizes": episode.structure.blocks.size,
        "masses": episode.structure.blocks.mass,
        "frictions": episode.structure.blocks.friction,
        "restitution": episode.structure.floor.restitution,
        "ending": episode.ending,
        "collapsed": episode.collapsed,
        "collapse_time": episode.collapse_time,
        "seconds": episode.seconds,
        "at_rest": episode.at_rest,
        "kinetic_energy": episode.energy,
        "rounds": [annotate_round(played) for played in episode.rounds],
        "labels": annotate_labels(episode.labels),
    }
    plain: dict[str, Any] = to_plain(document)
    return plain


def annotate_round(played: Round) -> dict[str, Any]:
    """Describe one round, flat."""
    displacement, energy, angle = played.conditions
    return {
        "round": played.number,
        "removed_block": played.pull.block,
        "layer": played.course,
        "slot": played.place,
        "axis": played.pull.axis,
        "sign": played.pull.sign,
        "outcome": played.outcome,
        "ziglar_type": played.move.kind,
        "ziglar_risk": played.move.risk,
        "ziglar_torque": played.move.torque,
        "ziglar_force": played.move.force,
        "ziglar_torque_moment": played.move.torque_moment,
        "ziglar_upper_holds": played.move.upper_holds,
        "ziglar_angular_acceleration": played.move.angular_acceleration,
        "force_loaded": played.move.force_loaded,
        "force_limit": played.force_limit,
        "force_peak": played.extraction.peak_force,
        "work": played.extraction.work,
        "path": played.extraction.path,
        "forces": played.extraction.forces,
        "neighbour_displacement": played.extraction.neighbour_displacement,
        **annotate_statics("before", played.before),
        **annotate_statics("after", played.after),
        "active_blocks": played.active_blocks,
        "start_time": played.start_time,
        "end_time": played.end_time,
        "at_rest": played.at_rest,
        "kinetic_energy": played.energy,
        "kinetic_energy_peak": played.peak_energy,
        "displacement_peak": played.peak_displacement,
        "angle_peak": played.peak_angle,
        "collapse_displacement": displacement,
        "collapse_energy": energy,
        "collapse_angle": angle,
        **annotate_poses(played.poses),
    }


def annotate_statics(when: str, statics: Statics) -> dict[str, Any]:
    """Describe the closed forms of the tower before the pull, or after it."""
    return {
        f"analytic_stable_{when}": statics.stable,
        f"margin_{when}": statics.margin,
        f"interface_margin_{when}": statics.interface_margin,
        f"weakest_layer_{when}": statics.weakest_course,
        f"centre_of_mass_{when}": statics.centre_of_mass,
    }


def annotate_poses(poses: Poses) -> dict[str, Any]:
    """Describe the poses of all blocks; None for those that are gone."""
    positions, quaternions = poses.seen
    return {"positions": positions, "quaternions": quaternions}


def annotate_labels(labels: Labels) -> dict[str, Any]:
    """Describe the labels, with the poses of where blocks stood and where they lie."""
    plain = {field.name: getattr(labels, field.name) for field in dataclasses.fields(labels)}
    plain["stood"], plain["lies"] = annotate_poses(labels.stood), annotate_poses(labels.lies)
    plain["displacement"] = labels.displacement
    return plain


def to_plain(value: Any) -> Any:
    """Return `value` in the types that JSON has. A row that is not a number (a block that is gone) becomes None as a whole."""
    if isinstance(value, dict):
        return {name: to_plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and value.ndim == 1 and np.isnan(value).all():
            return None
        return [to_plain(item) for item in value]
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
