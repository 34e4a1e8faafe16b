"""Surveys as JSON: `{"format": 1, "units": "m", "ground": {"origin": [...], "heading": 0}, "blocks": [{"id": ...}, ...]}`."""

import json
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.survey.cells import Table
from anastylosis.survey.csv_file import COLUMNS_MAX, LABEL_MAX, STONES_MAX
from anastylosis.survey.declaration import KEYS
from anastylosis.text_file import clean_text, load_json

FORMAT = 1  # raised when a name changes its meaning
GROUND = ("origin", "heading")


def parse_json(text: str) -> Table:
    """Parse a JSON file into cells. Blocks are numbered from 1."""
    document = load_json(text)
    if not isinstance(document, dict) or not isinstance(document.get("blocks"), list):
        raise InvalidInput(
            'it is no survey; one looks like {"format": 1, "blocks": [{"id": "A1", ...}, ...]}', kind="survey_json"
        )
    if document.get("format") != FORMAT or document["format"] is True:
        raise InvalidInput(
            f"its format is {str(document.get('format'))[:40]!r}, and this version reads {FORMAT}", kind="survey_json"
        )
    ground = document.get("ground", {})
    if not isinstance(ground, dict):
        raise InvalidInput(f"ground is {str(ground)[:40]!r}; it has an origin [x, y, z] and a heading")
    head = {key: document[key] for key in KEYS if key in document and key not in GROUND}
    head |= {key: ground[key] for key in GROUND if key in ground}
    known = {*KEYS, "format", "blocks", "ground"} - set(GROUND)
    unknown = [f"ground.{key}" for key in ground if key not in GROUND] + [key for key in document if key not in known]
    warnings = tuple(f"{clean_text(key, 'key', LABEL_MAX)!r} is not known here and was passed over" for key in unknown)
    labels, rows = read_blocks(document["blocks"])
    return Table(
        {key: ("ground" if key in GROUND else "head", value) for key, value in head.items()}, labels, rows, warnings=warnings
    )


def read_blocks(blocks: list[Any]) -> tuple[tuple[str, ...], list[tuple[str, list[Any]]]]:
    """Read the names that blocks use, and a row for each block; None where a block lacks a name."""
    if not blocks:
        raise InvalidInput("blocks is empty; a survey needs one stone at least", kind="survey_empty")
    if len(blocks) > STONES_MAX:
        raise InvalidInput(f"it has {len(blocks):,} blocks; at most {STONES_MAX:,} are read", kind="survey_many")
    labels: dict[str, None] = {}
    for number, block in enumerate(blocks, 1):
        if not isinstance(block, dict):
            raise InvalidInput(
                f'block {number}: it is {str(block)[:40]!r}; a block looks like {{"id": "A1", "length": 0.081, ...}}',
                kind="survey_json",
            )
        labels |= dict.fromkeys(block)
        if len(labels) > COLUMNS_MAX:
            raise InvalidInput(f"block {number}: more than {COLUMNS_MAX} different names are used; a survey has 14")
    for label in labels:
        clean_text(label, "a name", LABEL_MAX)
    return tuple(labels), [(f"block {number}", [block.get(label) for label in labels]) for number, block in enumerate(blocks, 1)]


def format_json(table: Table) -> str:
    """Format a table as the text of a JSON file, a line a block."""
    head = {key: value for key, (_, value) in table.head.items()}
    top = {"format": FORMAT} | {key: value for key, value in head.items() if key not in GROUND}
    lines = [f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in top.items()]
    lines.append(f'"ground": {json.dumps({key: head[key] for key in GROUND}, allow_nan=False)}')
    blocks = [json.dumps(dict(zip(table.labels, cells, strict=True)), allow_nan=False) for _, cells in table.rows]
    return "{\n  " + ",\n  ".join(lines) + ',\n  "blocks": [\n    ' + ",\n    ".join(blocks) + "\n  ]\n}\n"
