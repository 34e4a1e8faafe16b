"""`anastylosis simulate`: episodes on disk, resumed, and what is refused. No rounds, so all is quick."""

import json
from functools import partial
from pathlib import Path

import pytest

from anastylosis.cli.simulate import SimulationPreset
from anastylosis.dataset import Dataset, level_list, paper_levels, shard
from anastylosis.dataset.level_list import list_levels
from anastylosis.dataset.preset import learn_levels

GOES_ON = "what is finished is kept, and the same command goes on"


@pytest.fixture
def simulate(call_main, capsys, monkeypatch):
    """`anastylosis simulate FOLDER ...`; gives the exit code, stdout and stderr. Games end before the first pull."""
    for name in ("default_episode", "paper_episode"):
        monkeypatch.setattr(level_list, name, partial(getattr(level_list, name), rounds=0))

    def call(folder: Path, words: str = "") -> tuple[int, str, str]:
        code = call_main(f"simulate {folder} --workers 1 --layers 3 {words}")
        return code, *capsys.readouterr()

    return call


def test_each_level_is_a_row_and_its_episodes_are_in_three_tables(simulate, tmp_path: Path) -> None:
    code, out, err = simulate(tmp_path / "new", "--episodes 2 --friction low,0.5")
    assert code == 0
    assert [line.split("\t") for line in out.splitlines()] == [
        ["level", "episodes", "collapsed", "rounds_mean"],
        ["low", "2", "0", "0.00"],
        ["mu0.5", "2", "0", "0.00"],
    ]
    assert "4 episodes, 0 collapsed" in err
    dataset = Dataset(tmp_path / "new")
    assert dataset.names == [f"{level}_exp_000{index}" for level in ("low", "mu0.5") for index in (0, 1)]
    document, frames = dataset.episode("mu0.5_exp_0001")
    assert (document["config"]["friction"], document["config"]["layers"], document["ending"]) == (0.5, 3, "round_limit")
    assert frames.position.shape[1:] == (9, 3)


def test_json_is_alone_on_stdout(simulate, tmp_path: Path) -> None:
    code, out, _ = simulate(tmp_path, "--json")
    assert code == 0
    document = json.loads(out)
    assert (document["episodes"], document["collapsed"]) == (1, 0)
    assert document["seconds"] > document["work_seconds"] > 0
    assert document.keys() == {"episodes", "played", "collapsed", "seconds", "work_seconds", "levels"}


def test_what_is_there_is_not_played_again(simulate, tmp_path: Path, monkeypatch) -> None:
    simulate(tmp_path, "--episodes 2 --friction low,high")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    for path in tmp_path.glob("*/low_*"):
        path.unlink()
    seeds: list[int] = []
    run = shard.run_episode
    monkeypatch.setattr(shard, "run_episode", lambda config, seed: seeds.append(seed) or run(config, seed))
    code, out, err = simulate(tmp_path, "--episodes 2 --friction low,high")
    assert code == 0
    assert err.splitlines()[-1].startswith("4 episodes (2 were there), 0 collapsed, ")
    assert err.splitlines()[-1].endswith(f" s, in {tmp_path}")
    assert len(out.splitlines()) == 3
    assert len(seeds) == 2  # those that were lost
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")} == before


def test_more_episodes_go_beside_those_that_are_there(simulate, tmp_path: Path) -> None:
    simulate(tmp_path, "--episodes 2")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    assert simulate(tmp_path, "--episodes 12")[2].splitlines()[-1].startswith("12 episodes (2 were there)")
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(path.name for path in (tmp_path / "episodes").iterdir()) == [
        f"nominal_{first:06d}-{last:06d}.parquet" for first, last in ((0, 1), (2, 7), (8, 11))
    ]
    _, out, err = simulate(tmp_path, "--episodes 3")
    assert err.splitlines()[-1].startswith("3 episodes (3 were there)")
    assert out.splitlines()[1:] == ["nominal\t3\t0\t0.00"]  # what is told is what was asked for
    assert len(Dataset(tmp_path).names) == 12  # fewer are asked for: nothing is lost
    assert Dataset(tmp_path).manifest.episodes == {"nominal": 12}


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ("--layers 4", "layers [[3, 1.0]], not [[4, 1.0]]"),
        ("--policy careful", "players [{'policy': 'random'"),
        ("--rule stack", "players [{'policy': 'random', 'rule': 'take'"),
        ("--vary", "variation.restitution [0.1, 0.1], not [0.05, 0.3]"),
        ("--solver paper", "settle_start 5.0, not 0.29"),
    ],
)
def test_a_folder_has_one_setting_a_level(simulate, tmp_path: Path, other: str, difference: str) -> None:
    assert simulate(tmp_path, "--episodes 1 --friction low")[0] == 0
    code, out, err = simulate(tmp_path, f"--episodes 1 --friction low {other}")
    assert (code, out) == (2, "")
    assert f"holds 'low' episodes with {difference}" in err
    assert "; name another folder" in err
    assert simulate(tmp_path, f"--episodes 1 --friction high {other}")[0] == 0  # another level may differ


def test_a_folder_has_one_seed(simulate, tmp_path: Path) -> None:
    simulate(tmp_path)
    assert f"{tmp_path} was made with seed 0, not 1; use that, or name another folder" in simulate(tmp_path, "--seed 1")[2]


def test_a_folder_of_another_schema_is_refused(simulate, tmp_path: Path) -> None:
    simulate(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text()) | {"schema": 1}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    code, out, err = simulate(tmp_path)
    assert (code, out) == (2, "")
    assert "has schema 1, and this version reads 2; simulate again into another folder" in err


def test_a_file_is_no_folder(simulate, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("a file")
    assert simulate(tmp_path / "README.md") == (2, "", f"anastylosis: {tmp_path}/README.md is a file; name a folder\n")
    code, _, err = simulate(tmp_path / "README.md" / "games")
    assert (code, err) == (1, f"anastylosis: cannot write to {tmp_path}/README.md/games: not a directory\n")


def test_a_folder_that_may_not_be_written_to(simulate, tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "manifest.json.part")

    monkeypatch.setattr("anastylosis.dataset.store.write_manifest", refuse)
    assert simulate(tmp_path) == (1, "", f"anastylosis: cannot write to {tmp_path}: permission denied; {GOES_ON}\n")


def test_an_interrupted_run_says_what_is_there_and_goes_on(simulate, tmp_path: Path, monkeypatch) -> None:
    run, seeds = shard.run_episode, []

    def stop_in_second_shard(config, seed):
        seeds.append(seed)
        if len(seeds) == 10:
            raise KeyboardInterrupt
        return run(config, seed)

    with monkeypatch.context() as patch:
        patch.setattr(shard, "run_episode", stop_in_second_shard)
        code, out, err = simulate(tmp_path, "--episodes 12")
    assert (code, out) == (130, "")
    assert f"8 of 12 episodes are in {tmp_path}; the same command goes on\n" in err
    assert "12 episodes (8 were there)" in simulate(tmp_path, "--episodes 12")[2]


def test_an_interrupted_run_counts_what_it_was_asked_for(simulate, tmp_path: Path, monkeypatch) -> None:
    simulate(tmp_path, "--episodes 2 --friction low")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shard, "run_episode", stop)
    assert f"0 of 1 episode are in {tmp_path}" in simulate(tmp_path, "--friction high")[2]
    assert f"1 of 2 episodes is in {tmp_path}" in simulate(tmp_path, "--friction low,high")[2]


def test_one_episode_is_one(simulate, tmp_path: Path) -> None:
    assert simulate(tmp_path)[2].splitlines()[-1].startswith("1 episode, 0 collapsed")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--layers 0", "layers is 0"),
        ("--layers 1", "layers is 1"),
        ("--layers 2", "layers is 2 and protected_layers 2, so no block may be taken"),
        ("--friction slippery", "--friction has 'slippery'; use low, nominal, high, numbers or ranges"),
        ("--friction low,", "--friction has ''"),
        ("--friction 0.4,nominal", "--friction has 0.4 twice, as '0.4' and 'nominal'; name each once"),
        ("--friction low,low", "--friction has 0.25 twice"),
        ("--friction 0.2..", "--friction has '0.2..'"),
        ("--friction 0.2..0.3..0.4", "--friction has '0.2..0.3..0.4'"),
        ("--friction 0.7..0.2", "--friction has '0.7..0.2'; the smaller number comes first"),
        ("--friction -0.1", "friction is -0.1"),
        ("--friction nan", "friction is nan"),
        ("--policy reckless", "no policy is named 'reckless'"),
        ("--rule burn", "rule is 'burn'"),
        ("--preset learn", "--preset learn takes --episodes and --seed alone"),
        ("--solver fast", "--solver is 'fast'; choose ours or paper"),
        ("--scheduler tcp://127.0.0.1:1", "--scheduler is for --engine dask"),
        ("--episodes 0", "--episodes is '0'; give a whole number, 1 or more"),
        ("--seed -1", "--seed is '-1'; give a whole number, 0 to 4294967295"),
    ],
)
def test_wrong_words_leave_no_trace(simulate, tmp_path: Path, words: str, message: str) -> None:
    code, out, err = simulate(tmp_path / "new", words)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("content", ['{"name": "an app"}', "[]", "words", '{"schema": 2}', '{"schema": 2, "files": 3}'])
def test_a_folder_of_something_else_is_refused(simulate, tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    code, out, err = simulate(tmp_path)
    assert (code, out) == (2, "")
    assert "manifest.json is not a manifest of ours" in err
    assert "Traceback" not in err


def test_episodes_do_not_depend_on_how_many_there_are(simulate, tmp_path: Path) -> None:
    for folder, count in (("one", 1), ("two", 2)):
        simulate(tmp_path / folder, f"--episodes {count} --vary")
    first, second = (Dataset(tmp_path / folder).document("nominal_exp_0000") for folder in ("one", "two"))
    assert first == second


def test_a_range_of_friction_is_drawn_from(simulate, tmp_path: Path) -> None:
    simulate(tmp_path, "--episodes 5 --friction 0.2..0.7")
    drawn = Dataset(tmp_path).read("episodes", ["friction"]).column("friction").to_pylist()
    assert len(set(drawn)) == 5
    assert all(0.2 <= friction <= 0.7 for friction in drawn)


def test_the_presets_are_those_of_the_library() -> None:
    levels = {preset: list_levels(preset) for preset in SimulationPreset}
    assert levels[SimulationPreset.paper] == paper_levels()
    assert levels[SimulationPreset.learn] == learn_levels()
    assert [(level.name, level.episodes, level.layers) for level in levels[SimulationPreset.demo]] == [
        (name, 20, ((6, 1.0),)) for name in ("low", "nominal", "high")
    ]


def test_progress_of_a_second_run_tells_of_the_new_ones(simulate, tmp_path: Path) -> None:
    assert "1 of 1 episodes, 0 collapsed\n" in simulate(tmp_path)[2]
    assert "9 of 9 episodes, 0 of 8 new ones collapsed\n" in simulate(tmp_path, "--episodes 9")[2]


@pytest.mark.parametrize("command", ["summary {}", "dashboard {} --out {}/page.png"])
def test_what_is_not_whole_is_told(simulate, call_main, capsys, tmp_path: Path, command: str) -> None:
    simulate(tmp_path, "--episodes 12")
    assert call_main(command.format(tmp_path, tmp_path)) == 0
    assert "are there" not in capsys.readouterr().err
    next((tmp_path / "rounds").glob("*-000007.parquet")).unlink()
    assert call_main(command.format(tmp_path, tmp_path)) == 0
    assert "4 of 12 episodes are there; `anastylosis simulate` goes on" in capsys.readouterr().err


def test_a_gpu_that_is_not_there(call_main, capsys, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("anastylosis.gpu.driver.open_driver", lambda: None)
    assert call_main(f"simulate {tmp_path / 'new'} --device cuda") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "no NVIDIA driver answers" in err
    assert "--device cpu" in err
    assert not (tmp_path / "new").exists()


def test_auto_takes_the_cpu_and_says_why(simulate, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("anastylosis.gpu.driver.open_driver", lambda: None)
    code, _, err = simulate(tmp_path / "new", "--device auto")
    assert code == 0
    assert err.startswith("on the CPU: no NVIDIA driver answers")


def test_workers_are_not_for_a_gpu(simulate, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")  # nothing is missing
    code, _, err = simulate(tmp_path / "new", "--device cuda")  # with --workers 1
    assert code == 2
    assert "--workers and --engine are for --device cpu" in err
