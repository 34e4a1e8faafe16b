"""The command line as a user meets it: words, exit codes, streams."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from anastylosis import errors
from anastylosis.gpu.driver import Gpu
from anastylosis.machine import install_line

HEAVY = ("numba", "viser", "torch", "mujoco", "scipy", "matplotlib", "anastylosis.physics")


def run(*words: str, code: str = "from anastylosis.cli import main; main()") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "simulate",
        "verify",
        "summary",
        "dashboard",
        "render",
        "predict",
        "target",
        "serve",
        "export",
        "train",
        "evaluate",
        "validate",
        "bench",
        "doctor",
    ],
)
def test_help(call_main, capsys, command: str) -> None:
    assert call_main(f"{command} --help") == 0
    out, err = capsys.readouterr()
    assert "Usage: anastylosis" in out
    assert not set("{}") & set(out)  # `DATASET`, not `{DATASET}`
    assert "bool" not in out.lower()  # a flag takes no value
    assert err == ""


def test_help_tells_in_whole_sentences_what_each_command_does() -> None:
    commands = run("--help").stdout.split("Commands:")[1].strip().splitlines()
    assert len(commands) >= 3
    assert [line for line in commands if not re.search(r"[^.]\.$", line)] == []  # none cut off with "..."


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "anastylosis")


@pytest.mark.parametrize(
    "words", [("--help",), ("validate", "--help"), ("export", "--help"), ("serve", "--help"), ("doctor",), ("doctor", "--json")]
)
def test_light_commands_load_no_heavy_module(words: tuple[str, ...]) -> None:
    code = f"""
import atexit, sys
atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr))
from anastylosis.cli import main
main()
"""
    done = run(*words, code=code)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "[]"


def test_doctor_json_is_alone_on_stdout() -> None:
    done = run("doctor", "--json")
    report = json.loads(done.stdout)
    assert report["machine"]["cores"] >= 1
    assert {"kernel_cache", "kernels_compiled", "cuda_gpus", "memory_gb", "python"} <= report["machine"].keys()
    assert {"numpy", "numba", "typer", "rich"} <= {row["name"] for row in report["packages"]}
    for row in report["extras"]:
        assert row["installed"] == (row["missing"] is None) == (row["install"] is None)
        assert row["installed"] or row["install"] == install_line(row["name"])
    assert {"simulate --device cuda", "render_worlds, in Python", "train"} == {row["path"] for row in report["gpu"]["paths"]}
    assert all(row["on"] == (row["missing"] is None) for row in report["gpu"]["paths"])
    assert len(report["gpu"]["devices"]) == report["machine"]["cuda_gpus"]
    assert {"train", "web", "cluster", "bench", "dev"} <= {row["name"] for row in report["extras"]}


def test_doctor_shows_every_gpu(call_main, monkeypatch, capsys) -> None:
    monkeypatch.setattr("anastylosis.gpu.driver.list_gpus", lambda: [Gpu("NVIDIA A100", 40 * 10**9, (8, 0))])
    assert call_main("doctor") == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "NVIDIA A100" in line)
    assert row.split("\t")[1:] == ["40", "8.0"]


def test_doctor_says_how_to_get_what_is_missing(call_main, monkeypatch, capsys) -> None:
    monkeypatch.setattr("anastylosis.cli.doctor.find_version", lambda package: None)
    assert call_main("doctor") == 0
    assert install_line("train") in capsys.readouterr().out


@pytest.mark.parametrize("words", ["nonsense", "doctor --nonsense", "bench --repeats 0", "bench --repeats many", ""])
def test_wrong_words_are_exit_code_2(call_main, capsys, words: str) -> None:
    assert call_main(words) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_missing_out_directory_is_refused_before_the_work(tmp_path: Path) -> None:
    done = run("bench", "--out", str(tmp_path / "nowhere" / "rows.csv"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "make it first" in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidStructure("size of block 3 is 0:\n it must be above 0"), 2),
        (errors.MissingExtra("mujoco", "bench"), 1),
        (PermissionError(13, "Permission denied", "rows.csv"), 1),
    ],
)
def test_errors_are_one_line_on_stderr(call_main, monkeypatch, capsys, error: Exception, code: int) -> None:
    def fail() -> dict:
        raise error

    monkeypatch.setattr("anastylosis.cli.doctor.describe_machine", fail)
    assert call_main("doctor --json") == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("anastylosis: ")
    assert err.count("\n") == 1


def test_interrupt_is_130_and_short(call_main, monkeypatch, capsys) -> None:
    def interrupt() -> dict:
        raise KeyboardInterrupt

    monkeypatch.setattr("anastylosis.cli.doctor.describe_machine", interrupt)
    assert call_main("doctor") == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip() == "anastylosis: interrupted"


class Check(NamedTuple):
    name: str
    expected: float
    measured: float
    error: float
    tolerance: float
    unit: str
    passed: bool


@pytest.mark.parametrize("passed", [True, False])
def test_validate_prints_the_promised_json(call_main, monkeypatch, capsys, passed: bool) -> None:
    asked = {}

    def run_checks(**options) -> list[Check]:
        options.pop("progress")("free fall")
        asked.update(options)
        return [Check("free fall", 1.0, 1.0, 0.0, 1e-6, "m", True), Check("bounce", 1.0, 2.0, 1.0, 0.1, "m", passed)]

    monkeypatch.setattr("anastylosis.validation.run_checks", run_checks)
    assert call_main("validate --quick --only b --json") == (0 if passed else 1)
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["passed"] is passed
    assert set(document["checks"][0]) == {"name", "expected", "measured", "error", "tolerance", "unit", "passed"}
    assert asked == {"quick": True, "only": "b"}
    assert "free fall" in err


def test_validate_in_plain_lines(call_main, monkeypatch, capsys) -> None:
    monkeypatch.setattr("anastylosis.validation.run_checks", lambda **_: [Check("fall", 1.0, 1.0, 0.0, 1e-6, "m", True)])
    assert call_main("validate") == 0
    assert capsys.readouterr().out.splitlines()[1] == "fall\t1\t1\t0\t1e-06\tm\tpass"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("reconstruct heap.csv --out o --layers eighteen", "--layers is 'eighteen'; give a whole number"),
        ("reconstruct heap.csv --out o --hypotheses -3", "--hypotheses is '-3'; give a whole number, 0 to 10000"),
        ("reconstruct heap.csv --out o --heading north", "--heading is 'north'; give a number"),
        ("reconstruct heap.csv --out o --seed 1.5", "--seed is '1.5'; give a whole number, 0 to 4294967295"),
        ("simulate d --preset nope", "--preset is 'nope'; give default, paper, demo, learn or sizes"),
        ("serve --language fr", "--language is 'fr'; give en or es"),
        ("serve --port web", "--port is 'web'; give a whole number, 0 to 65535"),
    ],
)
def test_values_that_cannot_be_are_refused_in_one_plain_sentence(call_main, capsys, words: str, says: str) -> None:
    assert call_main(words) == 2
    assert capsys.readouterr().err == f"anastylosis: {says}\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [("reconstruct heap.csv", "Missing option '--out'"), ("reconstruct --out o", "Missing argument"), ("target --out", "--out")],
)
def test_what_is_missing_is_named(call_main, capsys, words: str, says: str) -> None:
    assert call_main(words) == 2
    assert says in capsys.readouterr().err
