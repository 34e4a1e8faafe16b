"""`anastylosis render` as a user meets it: files, resume, worker counts, mistakes."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anastylosis.dataset import Plan, generate
from anastylosis.dataset.preset import friction_levels


def run(*words: str) -> subprocess.CompletedProcess[str]:
    code = "from anastylosis.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    for _ in generate(folder, Plan(levels=friction_levels([(0.4, 0.4)], 3, layers=4), seed=1)):
        pass
    return folder


@pytest.fixture
def render(call_main, capsys):
    """`anastylosis render ...` in this process; gives the exit code, stdout and stderr."""

    def call(*words: object) -> tuple[int, str, str]:
        code = call_main(" ".join(map(str, ("render", *words))))
        return code, *capsys.readouterr()

    return call


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*.png"))}


def test_pictures_are_the_same_with_any_number_of_workers(render, dataset: Path, tmp_path: Path) -> None:
    assert render(dataset, "--out", tmp_path / "1", "--size 64 --workers 1")[0] == 0
    done = run("render", str(dataset), "--out", str(tmp_path / "2"), "--size", "64", "--workers", "2")
    assert done.returncode == 0, done.stderr
    one, two = hashes(tmp_path / "1"), hashes(tmp_path / "2")
    assert list(one) == [f"nominal_exp_{index:04d}_final.png" for index in range(3)]
    assert one == two


def test_what_is_there_is_left_alone(render, dataset: Path, tmp_path: Path) -> None:
    words = (dataset, "--out", tmp_path, "--size 64 --json --workers 1")
    assert json.loads(render(*words)[1])["drawn"] == 3
    (tmp_path / "frames" / "nominal_exp_0001_final.png").unlink()
    (tmp_path / "frames" / "nominal_exp_0002_final.png").write_bytes(b"mine")
    done = json.loads(render(*words)[1])
    assert (done["drawn"], len(done["files"])) == (1, 3)
    assert (tmp_path / "frames" / "nominal_exp_0002_final.png").read_bytes() == b"mine"


def test_films(render, dataset: Path, tmp_path: Path) -> None:
    code, _, err = render(dataset, "--out", tmp_path, "--size 240 --videos --workers 1")
    assert code == 0, err
    assert sorted(path.name for path in (tmp_path / "videos").glob("*.mp4")) == [
        f"nominal_exp_{index:04d}.mp4" for index in range(3)
    ]
    assert "drawing 6 of 6" in err
    assert err.endswith(f"6 drawn, 0 kept, in {tmp_path}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nowhere", "nowhere is not a folder"),
        (".", "is not a dataset"),
        ("DATASET --look shiny", "choose one of wood, stone, paper"),
        ("DATASET --size 5", "size"),
        ("DATASET --size 301 --videos", "take 300 or 302"),
        ("DATASET --size 64 --videos", "the words of a film need 240 pixels or more"),
    ],
)
def test_mistakes(render, dataset: Path, tmp_path: Path, monkeypatch, words: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = render(words.replace("DATASET", str(dataset)))
    assert code == 2
    assert message in err
    assert "Traceback" not in err


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks the system for a process's children")
@pytest.mark.parametrize("delay", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_at_any_time_in_one_word(dataset: Path, tmp_path: Path, delay: float, times: int) -> None:
    """While workers start, while they import, while they draw; also of a person who presses twice."""
    code = "from anastylosis.cli import main; main()"
    words = ("render", str(dataset), "--out", str(tmp_path), "--videos", "--workers", "2")
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text():
            time.sleep(0.01)
        time.sleep(delay)
        for _ in range(times):
            os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "interrupted" in errors
    assert not list(tmp_path.rglob("*.mp4"))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_broken_episode_is_named_and_the_others_are_drawn(render, tmp_path: Path, workers: str) -> None:
    games = tmp_path / "games"
    for _ in generate(games, Plan(levels=friction_levels([(0.25, 0.25), (0.4, 0.4)], 1, layers=4))):
        pass
    (broken,) = (games / "trajectories").glob("low*")
    broken.write_bytes(b"not a table")
    words = (games, "--size 64 --workers", workers)
    code, _, err = render(*words)
    assert code == 1
    *_, count, trouble = err.splitlines()
    assert count == f"1 drawn, 0 kept, 1 failed, in {games}"
    assert re.match(rf"anastylosis: low_exp_0000 cannot be drawn: {re.escape(str(broken))} .*simulate again", trouble)
    assert "Traceback" not in err
    code, out, _ = render(*words, "--json")
    assert code == 1
    document = json.loads(out)
    assert (document["drawn"], document["kept"], document["failed"]) == (0, 1, ["low_exp_0000"])
    assert [Path(file).name for file in document["files"]] == ["nominal_exp_0000_final.png"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_leaves_what_is_finished_and_nothing_else(dataset: Path, tmp_path: Path, workers: str) -> None:
    words = ["render", str(dataset), "--out", str(tmp_path), "--size", "400", "--videos", "--workers", workers]
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from anastylosis.cli import main; main()"
    with subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True) as render:
        assert render.stderr is not None
        told = [render.stderr.readline() for _ in range(3)]  # the pictures; the first film takes seconds
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("videos/.*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        render.send_signal(signal.SIGINT)
        rest = render.stderr.read()
    assert render.returncode == 130, told
    assert rest.splitlines() == ["3 of 6 files are there; the same command goes on", "anastylosis: interrupted"]
    assert [path.name for path in tmp_path.iterdir()] == ["frames"]
    assert sorted(path.name for path in (tmp_path / "frames").iterdir()) == ["drawn.jsonl", *sorted(hashes(tmp_path))]
