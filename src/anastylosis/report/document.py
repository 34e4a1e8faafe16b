"""Parts of an episode's annotation that pictures and films show, checked: a file on disk may say anything."""

from collections.abc import Mapping
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.report.film import OUTCOMES, WAYS

# What a value has to be: a type (float: any number), a list of what each item has to be, a dict of fields.
ROUND = {
    "round": int, "removed_block": str, "axis": str, "outcome": str,
    "start_time": float, "forces": [float], "force_loaded": float,
}  # fmt: skip
DOCUMENT = {
    "seed": int,
    "config": {"layers": int, "friction": float, "record_every": int, "engine": {"timestep": float}},
    "blocks": [str],
    "sizes": [[float]],
    "collapsed": bool,
    "seconds": float,
    "rounds": [ROUND],
    "labels": {"failure_course": int, "blocks_on_floor": int},
}
NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
LARGEST = {int: 2**128, float: 1e9}  # seeds have up to 128 bits; no quantity in SI units is near the other


def check_document(document: Mapping[str, Any]) -> None:
    """Refuse an annotation that cannot be drawn, naming the field."""
    check_value(document, DOCUMENT, "the annotation")
    blocks, sizes, config = document["blocks"], document["sizes"], document["config"]
    if not blocks or len(set(blocks)) < len(blocks):
        raise InvalidInput("blocks are none, or two have one name")
    if len(sizes) != len(blocks) or any(len(size) != 3 for size in sizes):
        raise InvalidInput(f"sizes are not three numbers for each of {len(blocks)} blocks")
    if min(map(min, sizes)) <= 0:
        raise InvalidInput(f"the smallest of the sizes is {min(map(min, sizes))} m; it must be above 0")
    if config["record_every"] * config["engine"]["timestep"] <= 0:
        raise InvalidInput("config.record_every times config.engine.timestep, the time between frames, is not above 0")
    if document["seconds"] < 0:
        raise InvalidInput(f"seconds is {document['seconds']}; it must be 0 or more")
    if document["collapsed"]:
        check_value(document.get("collapse_time"), float, "collapse_time")
    for played in document["rounds"]:
        for name, known in (("removed_block", blocks), ("axis", WAYS), ("outcome", OUTCOMES)):
            if played[name] not in known:
                raise InvalidInput(f"{name} of a round is {played[name]!r}, not one of {', '.join(known)}")


def check_value(value: Any, wanted: Any, where: str) -> None:
    """Refuse a value that is not what is wanted."""
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            raise InvalidInput(f"{where} is not a document")
        for name, inner in wanted.items():
            if name not in value:
                raise InvalidInput(f"{name} is missing in {where}")
            check_value(value[name], inner, name if wanted is DOCUMENT else f"{where}.{name}")
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            raise InvalidInput(f"{where} is not a list")
        for index, item in enumerate(value):
            check_value(item, wanted[0], f"{where}[{index}]")
    elif type(value) is not wanted and not (wanted is float and type(value) is int):
        raise InvalidInput(f"{where} is not {NAMES[wanted]}")
    elif wanted in LARGEST and not abs(value) <= LARGEST[wanted]:  # NaN, too
        raise InvalidInput(f"{where} is not {NAMES[wanted]} within {LARGEST[wanted]:g}")
