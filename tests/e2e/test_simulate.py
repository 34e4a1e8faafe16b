"""`anastylosis simulate`: episodes on disk, resumed, and what is refused. No rounds, so all is quick."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from anastylosis import episode


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


def test_what_is_there_is_not_played_again(simulate, tmp_path: Path, monkeypatch) -> None:
    simulate(tmp_path, "--episodes 2")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "nominal_exp_0001.json").unlink()
    seeds: list[int] = []
    run = episode.run_episode
    monkeypatch.setattr(episode, "run_episode", lambda config, seed: seeds.append(seed) or run(config, seed))
    code, out, _ = simulate(tmp_path, "--episodes 3")
    assert code == 0
    assert len(out.splitlines()) == 4
    assert len(seeds) == 2  # the one that was lost, and the new one
    assert {name: (tmp_path / name).read_bytes() for name in before if name.endswith("json")} == {
        name: content for name, content in before.items() if name.endswith("json")
    }


@pytest.mark.parametrize("other", ["--seed 1", "--policy careful", "--rule stack", "--vary", "--preset paper"])
def test_a_folder_has_one_setting_a_level(simulate, tmp_path: Path, other: str) -> None:
    assert simulate(tmp_path, "--episodes 1 --friction low")[0] == 0
    code, out, err = simulate(tmp_path, f"--episodes 1 --friction low {other}")
    assert (code, out) == (2, "")
    assert "holds 'low' episodes made with another version, seed or setting; name another folder" in err
    assert simulate(tmp_path, f"--episodes 1 --friction high {other}")[0] == 0  # another level may differ


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--layers 0", "layers is 0"),
        ("--layers 1", "layers is 1"),
        ("--layers 2", "layers is 2 and protected_layers 2, so no block may be taken"),
        ("--friction slippery", "--friction has 'slippery'; use low, nominal, high or numbers"),
        ("--friction low,", "--friction has ''"),
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
