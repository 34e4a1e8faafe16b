"""Ledger: how each picture and film of a folder was drawn, one JSON line each. The last line on a file holds."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

LEDGER = "drawn.jsonl"


def read_ledger(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the settings of each file by its name. Foreign lines, such as one torn by a power cut, are skipped."""
    path, settings = folder / LEDGER, {}
    for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
        with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            entry = json.loads(line)
            settings[entry.pop("file")] = entry
    return settings


def note_drawing(target: Path, settings: dict[str, Any]) -> None:
    """Note how a file was drawn, now that it is there."""
    with (target.parent / LEDGER).open("a") as ledger:  # one short write at the end: lines of two processes do not mix
        ledger.write(json.dumps({"file": target.name} | settings) + "\n")


def forget_drawing(target: Path) -> None:
    """Forget how a file was drawn, before it is drawn anew: until that is noted, nobody knows."""
    if target.exists():
        note_drawing(target, {})
