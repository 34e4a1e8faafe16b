"""`anastylosis simulate`: episodes on disk, resumed, and what is refused. No rounds, so all is quick."""

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from anastylosis import __version__, episode


@pytest.fixture
def simulate(call_main, capsys, monkeypatch):
    """`anastylosis simulate FOLDER ...`; gives the exit code, stdout and stderr. Games end before the first pull."""
    for name in ("default_episode", "paper_episode"):
        monkeypatch.setattr(episode, name, partial(getattr(episode, name), rounds=0))

    def call(folder: Path, words: str = "") -> tuple[int, str, str]:
        code = call_main(f"simulate {folder} --layers 3 {words}")
        return code, *capsys.readouterr()

    return call


def test_each_episode_is_two_files_and_a_row(simulate, tmp_path: Path) -> None:
    code, out, err = simulate(tmp_path / "new", "--episodes 2 --friction low,0.5")
    assert code == 0
    names = [f"{level}_exp_000{index}" for level in ("low", "mu0.5") for index in (0, 1)]
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == names
    assert "4 episodes, 0 collapsed" in err
    assert out.splitlines()[0].split("\t")[-2] == "simulated_seconds"
    assert re.fullmatch(r"\d+\.\d\d", out.splitlines()[1].split("\t")[-2])
    files = {path.name for path in (tmp_path / "new").iterdir()}
    assert files == {"manifest.json", *(f"{name}.{kind}" for name in names for kind in ("json", "npz"))}
    notes = json.loads((tmp_path / "new" / "mu0.5_exp_0001.json").read_text())
    assert (notes["config"]["friction"], notes["config"]["layers"], notes["ending"]) == (0.5, 3, "round_limit")
    with np.load(tmp_path / "new" / "low_exp_0000.npz") as frames:
        assert frames["position"].shape[1:] == (9, 3)


def test_json_is_alone_on_stdout(simulate, tmp_path: Path) -> None:
    code, out, _ = simulate(tmp_path, "--json")
    assert code == 0
    document = json.loads(out)
    assert (document["episodes"], document["collapsed"]) == (1, 0)
    assert document["seconds"] > 0
    assert document.keys() == {"episodes", "played", "collapsed", "seconds"}


def test_what_is_there_is_not_played_again(simulate, tmp_path: Path, monkeypatch) -> None:
    simulate(tmp_path, "--episodes 2")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "nominal_exp_0001.json").unlink()
    seeds: list[int] = []
    run = episode.run_episode
    monkeypatch.setattr(episode, "run_episode", lambda config, seed: seeds.append(seed) or run(config, seed))
    code, out, err = simulate(tmp_path, "--episodes 3")
    assert code == 0
    assert err.splitlines()[-1].startswith("3 episodes (1 was there), 0 collapsed, ")
    assert err.splitlines()[-1].endswith(f" s, in {tmp_path}")
    assert len(out.splitlines()) == 4
    assert len(seeds) == 2  # the one that was lost, and the new one
    assert {name: (tmp_path / name).read_bytes() for name in before if name.endswith("json")} == {
        name: content for name, content in before.items() if name.endswith("json")
    }


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ("--seed 1", "seed 0, not 1"),
        ("--layers 4", "layers 3, not 4"),
        ("--policy careful", "policy random, not careful"),
        ("--rule stack", "rule take, not stack"),
        ("--vary", "variation.restitution [0.1, 0.1], not [0.05, 0.3]"),
        ("--preset paper", "settle_start 5.0, not 0.29"),
    ],
)
def test_a_folder_has_one_setting_a_level(simulate, tmp_path: Path, other: str, difference: str) -> None:
    assert simulate(tmp_path, "--episodes 1 --friction low")[0] == 0
    code, out, err = simulate(tmp_path, f"--episodes 1 --friction low {other}")
    assert (code, out) == (2, "")
    assert f"holds 'low' episodes with {difference}" in err
    assert "; name another folder" in err
    assert simulate(tmp_path, f"--episodes 1 --friction high {other}")[0] == 0  # another level may differ


def test_a_folder_of_another_version_is_refused(simulate, tmp_path: Path) -> None:
    simulate(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["nominal"]["version"] = "0.0.1"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert f"holds 'nominal' episodes with version 0.0.1, not {__version__}; name" in simulate(tmp_path)[2]


def test_a_file_is_no_folder(simulate, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("a file")
    assert simulate(tmp_path / "README.md") == (2, "", f"anastylosis: {tmp_path}/README.md is a file; name a folder\n")
    code, _, err = simulate(tmp_path / "README.md" / "games")
    assert (code, err) == (1, f"anastylosis: cannot write to {tmp_path}/README.md/games: not a directory\n")


def test_a_folder_that_may_not_be_written_to(simulate, tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "manifest.json.part")

    monkeypatch.setattr("anastylosis.episode.files.write_manifest", refuse)
    assert simulate(tmp_path) == (1, "", f"anastylosis: cannot write to {tmp_path}: permission denied\n")


def test_an_interrupted_run_says_what_is_there_and_goes_on(simulate, tmp_path: Path, monkeypatch) -> None:
    run, seeds = episode.run_episode, []

    def stop_at_third(config, seed):
        seeds.append(seed)
        if len(seeds) == 3:
            raise KeyboardInterrupt
        return run(config, seed)

    with monkeypatch.context() as patch:
        patch.setattr(episode, "run_episode", stop_at_third)
        code, out, err = simulate(tmp_path, "--episodes 4")
    assert (code, out) == (130, "")
    assert f"2 of 4 episodes are in {tmp_path}; the same command goes on\n" in err
    assert "4 episodes (2 were there)" in simulate(tmp_path, "--episodes 4")[2]


def test_one_episode_is_one(simulate, tmp_path: Path) -> None:
    assert simulate(tmp_path)[2].splitlines()[-1].startswith("1 episode, 0 collapsed")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--layers 0", "layers is 0"),
        ("--layers 1", "layers is 1"),
        ("--layers 2", "layers is 2 and protected_layers 2, so no block may be taken"),
        ("--friction slippery", "--friction has 'slippery'; use low, nominal, high or numbers"),
        ("--friction low,", "--friction has ''"),
        ("--friction 0.4,nominal", "--friction has 0.4 twice, as '0.4' and 'nominal'; name each once"),
        ("--friction low,low", "--friction has 0.25 twice"),
        ("--friction -0.1", "friction is -0.1"),
        ("--friction nan", "friction is nan"),
        ("--policy reckless", "no policy is named 'reckless'"),
        ("--rule burn", "rule is 'burn'"),
        ("--episodes 0", "Invalid value for '--episodes'"),
        ("--seed -1", "Invalid value for '--seed'"),
    ],
)
def test_wrong_words_leave_no_trace(simulate, tmp_path: Path, words: str, message: str) -> None:
    code, out, err = simulate(tmp_path / "new", words)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["manifest.json", "nominal_exp_0000.json"])
def test_a_folder_of_something_else_is_refused(simulate, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}" if name != "manifest.json" else '{"name": "an app"}')
    (tmp_path / "nominal_exp_0000.npz").touch()
    code, out, err = simulate(tmp_path)
    assert (code, out) == (2, "")
    assert f"{name} is not a" in err
    assert "Traceback" not in err


def test_episodes_do_not_depend_on_how_many_there_are(simulate, tmp_path: Path) -> None:
    for folder, count in (("one", 1), ("two", 2)):
        simulate(tmp_path / folder, f"--episodes {count} --vary")
    first, second = ((tmp_path / folder / "nominal_exp_0000.json").read_text() for folder in ("one", "two"))
    assert first == second


def test_the_table_fits_a_terminal(simulate, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    out = simulate(tmp_path)[1]
    assert "nominal_exp_0000" in out
    assert "simulated s" in out
    assert "…" not in out
