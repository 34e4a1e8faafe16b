"""Answers of the commands to fixed inputs, number by number: a change that nobody meant shows here.

`answers.json` has the numbers, `bits.json` a hash of them for each kind of processor on which they were written. On such a
processor the numbers are the same to the last bit. Elsewhere nets sum in another order: their numbers agree closely, a quaternion
may have the other sign, and falls that start from these numbers end otherwise, so those are not compared. After a change that
was meant, write the new answers, in one process, and say why in the commit:

    ANASTYLOSIS_UPDATE_GOLDEN=1 .venv/bin/pytest tests/golden
"""

import csv
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ANSWERS = Path(__file__).with_name("answers.json")
BITS = Path(__file__).with_name("bits.json")
INPUTS = Path(__file__).with_name("inputs")
PACKAGE = Path(__file__).parents[2] / "src/anastylosis/examples"
TOLERANCE = 1e-3  # on another kind of processor
SLOT = re.compile(r"L\d\d_\d")
QUATERNION = re.compile(r"(.*\.orientation_wxyz\.|\.csv\.\d+\.q)[0-3wxyz]")
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
    "unlikeness",  # of the picture that the net is shown; tests/models/test_unlikeness.py
    "unlike",
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


def name_processor() -> str:
    """The name of the processor and what it can do, which decides how nets sum."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    told = {name.strip(): value.strip() for name, value in told.items()}
    wide = sorted(flag for flag in told.get("flags", "").split() if flag.startswith(("avx", "fma")))
    names = [told.get(name, "") for name in ("model name", "cpu family", "model")]
    return " ".join([*names, *wide]) if names[0] else platform.machine()


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


def read_table(text: str) -> list[dict[str, Any]]:
    """The lines of a CSV file under its header, numbers as numbers."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [{name: read_cell(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]


def read_cell(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell


def hash_answer(answer: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()


def orient(answer: dict[str, Any]) -> dict[str, Any]:
    """Give every quaternion the sign that makes its largest part positive."""
    groups: dict[str, list[str]] = {}
    for path in answer:
        if match := QUATERNION.fullmatch(path):
            groups.setdefault(match[1], []).append(path)
    oriented = dict(answer)
    for paths in groups.values():
        if answer[max(paths, key=lambda path: abs(answer[path]))] < 0:
            oriented |= {path: -answer[path] for path in paths}
    return oriented


def keep_net(answer: dict[str, Any]) -> dict[str, Any]:
    """Leave out what comes of falls."""
    if ".hypotheses.0.rank" not in answer:
        return answer
    return {path: value for path, value in answer.items() if path.startswith(".prediction.")}


def find_difference(answer: dict[str, Any], before: dict[str, Any]) -> str | None:
    """The first number that a net gives otherwise than before; None: all are as on another processor."""
    now, before = keep_net(orient(answer)), keep_net(orient(before))
    if now.keys() != before.keys():
        return "other numbers are given"
    for path, value in now.items():
        same = pytest.approx(before[path], rel=TOLERANCE, abs=TOLERANCE) if isinstance(value, float) else before[path]
        if value != same:
            return f"{path}: {value}, before {before[path]}"
    return None


def read_document(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_document(path: Path, document: dict[str, Any]) -> None:
    """One line an answer, so that a change shows which answers it is of."""
    lines = [f"{json.dumps(key)}: {json.dumps(document[key], separators=(',', ':'))}" for key in sorted(document)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


@pytest.mark.parametrize("name", LINES)
def test_answers_are_those_of_before(name: str, tmp_path: Path) -> None:
    # In a process of its own, and with one thread in BLAS: with more of them eigenvectors get other signs.
    words = LINES[name].replace("OUT", str(tmp_path / "out")).split()
    call, alone = [sys.executable, "-m", "anastylosis", *words, "--json"], os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(call, capture_output=True, text=True, check=False, env=alone)
    assert ran.returncode == 0, ran.stderr
    answer = dict(list_numbers(json.loads(ran.stdout)))
    for table in tmp_path.glob("*.csv"):
        answer |= dict(list_numbers(read_table(table.read_text(encoding="utf-8")), table.suffix))
    assert len(answer) > 20
    answers, bits, processor = read_document(ANSWERS), read_document(BITS), name_processor()
    if os.environ.get("ANASTYLOSIS_UPDATE_GOLDEN"):
        if find_difference(answer, answers.get(name, {})):  # what other processors gave is no longer so
            bits = {other: {key: value for key, value in told.items() if key != name} for other, told in bits.items()}
        answers[name], bits[processor] = answer, bits.get(processor, {}) | {name: hash_answer(answer)}
        write_document(ANSWERS, answers)
        write_document(BITS, bits)
    assert find_difference(answer, answers[name]) is None
    if name in bits.get(processor, {}):
        other = [path for path in answer if answer[path] != answers[name].get(path)]
        assert hash_answer(answer) == bits[processor][name], f"close, but not the same bits: {other[:20]}"
