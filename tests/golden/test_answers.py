"""Answers of the commands to fixed inputs, number by number: a change that nobody meant shows here.

On the kind of processor on which they were written, numbers are the same to the last bit. Elsewhere nets sum in another order,
and numbers agree closely. After a change that was meant, write the new answers and say why in the commit:

    ANASTYLOSIS_UPDATE_GOLDEN=1 .venv/bin/pytest tests/golden
"""

import json
import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ANSWERS = Path(__file__).with_name("answers.json")
INPUTS = Path(__file__).with_name("inputs")
PACKAGE = Path(__file__).parents[2] / "src/anastylosis/examples"
TOLERANCE = 1e-4  # relative, on another kind of processor
SLOT = re.compile(r"L\d\d_\d")
# What a document says of the run and not of the heap: words, files, versions, hashes.
LEFT_OUT = {
    "files",
    "seconds",
    "version",
    "code",
    "model",
    "models",
    "inputs",
    "options",
    "limits",
    "warnings",
    "card",
    "library",
}

LINES = {
    "predict debris": f"predict {PACKAGE}/debris.png --friction nominal",
    "predict tower-18": f"predict {INPUTS}/tower-18-a.png",
    "predict tower-12": f"predict {INPUTS}/tower-12-a.png --layers 12",
    "survey debris": f"survey {PACKAGE}/debris.png --out OUT.csv",
    "survey two pictures": f"survey {INPUTS}/tower-18-a.png {INPUTS}/tower-18-b.png --out OUT.csv",
    "survey tower-12": f"survey {INPUTS}/tower-12-a.png --out OUT.csv",
    "assign demo": f"assign {PACKAGE}/survey.csv --layers 18 --out OUT.csv",
    "assign tower-18": f"assign {INPUTS}/tower-18-exact.csv --complete --layers 18 --out OUT.csv",
    "assign tower-12": f"assign {INPUTS}/tower-12-field.csv --friction 0.55 --out OUT.csv",
    "assign tower-6": f"assign {INPUTS}/tower-6-exact.csv --out OUT.csv",
    "reconstruct debris": f"reconstruct {PACKAGE}/debris.png --layers 18 --hypotheses 3 --no-films --workers 1 --out OUT",
    "reconstruct two pictures": (
        f"reconstruct {INPUTS}/tower-18-a.png {INPUTS}/tower-18-b.png --layers 18 --hypotheses 2 --no-films --workers 1 --out OUT"
    ),
    "reconstruct demo": f"reconstruct {PACKAGE}/survey.csv --hypotheses 3 --no-films --workers 1 --out OUT",
    "reconstruct tower-12": (
        f"reconstruct {INPUTS}/tower-12-field.csv --layers 12 --friction 0.5..0.6 --hypotheses 4 --seed 3 --no-films "
        "--workers 1 --out OUT"
    ),
    "reconstruct tower-6": (
        f"reconstruct {INPUTS}/tower-6-exact.csv --layers 6 --complete --hypotheses 4 --no-films --workers 1 --out OUT"
    ),
}


def find_processor() -> str:
    """The name of the processor, which decides how nets sum."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def list_numbers(document: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Numbers, truths and slots of a document, each with its path."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key not in LEFT_OUT:
                yield from list_numbers(value, f"{name}.{key}")
    elif isinstance(document, list):
        for row, value in enumerate(document):
            yield from list_numbers(value, f"{name}.{row}")
    elif isinstance(document, bool | int | float) or (isinstance(document, str) and SLOT.fullmatch(document)):
        yield name, document


def read_cells(line: str) -> list[str | float]:
    """The cells of a CSV line, numbers as numbers."""
    cells: list[str | float] = []
    for cell in line.split(","):
        try:
            cells.append(float(cell))
        except ValueError:
            cells.append(cell)
    return cells


@pytest.mark.parametrize("name", LINES)
def test_answers_are_those_of_before(name: str, call_main, capsys, tmp_path: Path) -> None:
    assert call_main(f"{LINES[name].replace('OUT', str(tmp_path / 'out'))} --json") == 0
    answer = dict(list_numbers(json.loads(capsys.readouterr().out)))
    for table in tmp_path.glob("*.csv"):
        answer |= dict(list_numbers([read_cells(line) for line in table.read_text(encoding="utf-8").splitlines()], table.suffix))
    assert len(answer) > 20
    golden = json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}
    if os.environ.get("ANASTYLOSIS_UPDATE_GOLDEN"):
        golden |= {"processor": find_processor(), name: answer}
        lines = [f"{json.dumps(key)}: {json.dumps(golden[key], separators=(',', ':'))}" for key in sorted(golden)]
        ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    before = golden[name]
    assert answer.keys() == before.keys()
    exact = golden["processor"] == find_processor()
    for path, value in answer.items():
        close = exact or not isinstance(value, float)
        assert value == (before[path] if close else pytest.approx(before[path], rel=TOLERANCE, abs=TOLERANCE)), path
