"""`anastylosis summary` and `anastylosis dashboard` as a user meets them."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anastylosis.cli.simulate import list_rows
from anastylosis.dataset import Dataset, Plan
from anastylosis.dataset.preset import friction_levels
from anastylosis.report.summary import LevelRow, MoveRow, summarise

FIXED = (
    "level", "friction", "episodes", "collapsed", "rounds_mean", "force_min_mN", "force_torque_mN", "torque_moves_percent",
)  # fmt: skip


def run(*words: str, code: str = "from anastylosis.cli import main; main()") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=120)


def test_json_is_alone_on_stdout_and_nothing_draws(two_levels: Path) -> None:
    code = "from anastylosis.cli import app; app(standalone_mode=False); import sys; sys.exit('matplotlib' in sys.modules)"
    done = run("summary", str(two_levels), "--json", code=code)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert [(row["level"], row["friction"], row["episodes"]) for row in document["levels"]] == [
        ("low", 0.25, 3),
        ("nominal", 0.4, 3),
    ]
    for row in document["levels"]:
        assert set(FIXED) <= row.keys() == set(LevelRow._fields)
        assert row["rounds_low"] <= row["rounds_mean"] <= row["rounds_high"]
        assert row["collapsed_low_percent"] <= 100 * row["collapsed"] / row["episodes"] <= row["collapsed_high_percent"]
    assert document["levels"][0]["force_min_mN"] == pytest.approx(144.2, abs=0.05)
    assert all(row.keys() == set(MoveRow._fields) for row in document["moves"])
    kinds = ["center_xaxis", "side_yaxis", "side_xaxis", "all"]
    assert [(row["level"], row["kind"]) for row in document["moves"]] == [
        (level, kind) for level in ("low", "nominal") for kind in kinds
    ]


def test_simulate_says_the_same_of_rounds(two_levels: Path) -> None:
    dataset = Dataset(two_levels)
    plan = Plan(levels=friction_levels([(0.25, 0.25), (0.4, 0.4)], 3, layers=5))
    said = [(row["level"], row["episodes"], row["collapsed"], row["rounds_mean"]) for row in list_rows(dataset, plan)]
    assert said == [(row.level, row.episodes, row.collapsed, row.rounds_mean) for row in summarise(dataset).levels]


def test_plain_tables_elsewhere(two_levels: Path, call_main, capsys) -> None:
    assert call_main(f"summary {two_levels}") == 0
    levels, moves = (part.splitlines() for part in capsys.readouterr().out.split("\n\n"))
    assert levels[0].split("\t") == list(LevelRow._fields)
    assert moves[0].split("\t") == list(MoveRow._fields)
    assert (len(levels), len(moves)) == (3, 9)
    assert {len(line.split("\t")) for line in levels} == {len(LevelRow._fields)}


def test_a_table_that_fits_a_terminal(two_levels: Path, call_main, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert call_main(f"summary {two_levels}") == 0
    out = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert {"μ", "fell", "rounds", "F_min", "F_τ", "felt", "torque", "stuck"} <= set(out.split())
    assert "144.2" in out
    assert "307.6" in out


def test_dashboard_writes_the_picture_alone(two_levels: Path, tmp_path: Path, call_main, capsys) -> None:
    assert call_main(f"dashboard {two_levels} --out {tmp_path}/page.png --json") == 0
    assert json.loads(capsys.readouterr().out) == {"files": {"dashboard": f"{tmp_path}/page.png"}}
    assert [path.name for path in tmp_path.iterdir()] == ["page.png"]
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    assert "matplotlib.pyplot" not in sys.modules


@pytest.mark.parametrize("command", ["summary DATASET", "dashboard DATASET --out page.png"])
@pytest.mark.parametrize("folder", ["nowhere", "empty", "begun"])
def test_what_is_no_dataset_is_refused(
    command: str, folder: str, two_levels: Path, tmp_path: Path, call_main, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "manifest.json").write_bytes((two_levels / "manifest.json").read_bytes())
    assert call_main(command.replace("DATASET", folder)) == 2
    message = capsys.readouterr().err
    assert ("holds no episodes" if folder == "begun" else "is not a dataset") in message
    assert message.count("\n") == 1
    assert not (tmp_path / "page.png").exists()


@pytest.mark.parametrize(
    ("out", "code", "message"),
    [
        ("page.pdf", 2, "name a file that ends in .png or .svg"),
        ("nowhere/page.png", 2, "nowhere is not a folder; make it first"),
        ("folder.png", 2, "folder.png"),
    ],
)
def test_a_picture_that_cannot_be_written(
    two_levels: Path, tmp_path: Path, call_main, capsys, monkeypatch, out: str, code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    assert call_main(f"dashboard {two_levels} --out {out}") == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(two_levels: Path, tmp_path: Path, call_main, capsys) -> None:
    tmp_path.chmod(0o500)
    assert call_main(f"dashboard {two_levels} --out {tmp_path}/page.png") == 1
    assert "Permission denied" in capsys.readouterr().err


def test_a_disk_that_is_full(two_levels: Path, tmp_path: Path, call_main, capsys, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "page.png")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    (tmp_path / "page.png").write_bytes(b"the old one")
    assert call_main(f"dashboard {two_levels} --out {tmp_path}/page.png") == 1
    assert "No space left" in capsys.readouterr().err
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("page.png", b"the old one")]


def test_a_broken_shard_is_named(two_levels: Path, tmp_path: Path, call_main, capsys) -> None:
    for path in two_levels.rglob("*"):
        if path.is_file():
            target = tmp_path / path.relative_to(two_levels)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    broken = next((tmp_path / "rounds").iterdir())
    broken.write_bytes(broken.read_bytes()[:100])
    assert call_main(f"summary {tmp_path}") == 2
    error = capsys.readouterr().err
    assert broken.name in error
    assert "Traceback" not in error


def test_numbers_that_are_not_known_are_null(tmp_path: Path, call_main, capsys) -> None:
    from anastylosis.dataset import generate
    from anastylosis.episode import default_episode

    levels = friction_levels([(0.4, 0.4)], 1, layers=3, config=default_episode(rounds=0))
    for _ in generate(tmp_path / "quiet", Plan(levels=levels)):
        pass
    assert call_main(f"summary {tmp_path}/quiet --json") == 0
    (row,) = json.loads(capsys.readouterr().out)["levels"]
    assert (row["collapsed"], row["rounds_mean"], row["force_felt_mN"], row["torque_moves_percent"]) == (0, 0, None, None)
    assert math.isclose(row["force_min_mN"], 230.7312)
    assert call_main(f"dashboard {tmp_path}/quiet --out {tmp_path}/quiet.svg") == 0
