"""Generation: the same bits however it is done and however often it is stopped; what is refused; what a full disk leaves."""

import fcntl
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset import Dataset, Plan, generate, shard, verify
from anastylosis.dataset.level import draw_config
from anastylosis.dataset.manifest import read_manifest
from anastylosis.dataset.preset import friction_levels
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.split import Shares
from anastylosis.episode import learning_variation, run_episode
from anastylosis.episode.annotation import annotate
from anastylosis.episode.config import default_episode
from anastylosis.episode.play import episode_seed
from anastylosis.errors import FolderBusy, InvalidInput
from anastylosis.executors import run_pool
from anastylosis.report import export_csv, export_surveys
from anastylosis.survey import Noise

QUICK = default_episode(rounds=1, variation=learning_variation())
PLAN = Plan(levels=friction_levels([(0.25, 0.25), (0.3, 0.6)], 5, 3, config=QUICK), shard=2)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.parquet")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    list(generate(folder, PLAN))
    return folder


def test_an_episode_comes_back_as_it_was_played(made: Path) -> None:
    level, index = PLAN.levels[1], 3
    seed = episode_seed(PLAN.seed, index)
    episode = run_episode(draw_config(level, seed), seed)
    document, frames = Dataset(made).episode("mu0.3-0.6_exp_0003")
    assert document == json.loads(json.dumps(annotate(episode)))
    for stored, played in zip(frames, episode.frames, strict=True):
        assert stored.dtype == played.dtype
        assert np.array_equal(stored, played)


def test_rows_are_in_order_and_names_are_theirs(made: Path) -> None:
    dataset = Dataset(made)
    names = [f"{level}_exp_000{index}" for level in ("low", "mu0.3-0.6") for index in range(5)]
    assert dataset.names == names
    rows = dataset.read("episodes", ["episode", "level", "index", "split", "seed", "layers"]).to_pylist()
    assert [row["episode"] for row in rows] == names
    assert [row["seed"] for row in rows[:5]] == [episode_seed(0, index) for index in range(5)]
    assert {row["layers"] for row in rows} == {3}
    assert dataset.read("rounds", ["episode"]).column(0).to_pylist() == names  # one round each


def test_a_pool_makes_the_same_files(made: Path, tmp_path: Path) -> None:
    *_, last = generate(tmp_path, PLAN, partial(run_pool, workers=2))
    assert (last.total, last.kept, last.played) == (10, 0, 10)
    assert last.seconds > 0
    assert contents(tmp_path) == contents(made)
    assert (tmp_path / "manifest.json").read_bytes() == (made / "manifest.json").read_bytes()


def test_the_manifest_has_the_hash_of_every_file(made: Path) -> None:
    files = Dataset(made).manifest.files
    assert set(files) == set(contents(made))
    assert len(files) == 3 * 2 * 3


def test_it_goes_on_where_it_stopped(made: Path, tmp_path: Path) -> None:
    running = generate(tmp_path, PLAN)
    assert [progress.played for progress in islice(running, 3)] == [0, 2, 4]
    running.close()
    assert len(Dataset(tmp_path).names) == 4
    assert [progress.played for progress in generate(tmp_path, PLAN)] == [0, 2, 4, 5, 6]
    assert contents(tmp_path) == contents(made)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    first = generate(tmp_path, PLAN)
    next(first)
    with pytest.raises(FolderBusy, match="another process writes to"):
        next(generate(tmp_path, PLAN))
    first.close()
    next(generate(tmp_path, PLAN))


def test_the_lock_is_the_systems(tmp_path: Path) -> None:
    """Held by another process and gone with it, killed or not: no stale lock is ever left."""
    hold = f"import fcntl; f = open({str(tmp_path / '.lock')!r}, 'w'); fcntl.flock(f, fcntl.LOCK_EX); print(); input()"
    other = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with other:
        other.stdout.readline()
        with pytest.raises(FolderBusy):
            next(generate(tmp_path, PLAN))
        other.kill()
    assert next(generate(tmp_path, PLAN)).total == 10
    with (tmp_path / ".lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_other_code_goes_on_only_with_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("anastylosis.dataset.generation.code_fingerprint", lambda: "before")
        patch.setattr("anastylosis.dataset.shard.code_fingerprint", lambda: "before")
        list(islice(generate(tmp_path, PLAN), 3))
    assert Dataset(tmp_path).manifest.code == "before"
    changed = Plan(levels=PLAN.levels, shard=2)
    with monkeypatch.context() as patch:
        patch.setattr(shard, "run_episode", lambda config, seed: run_episode(config, seed + 1))
        with pytest.raises(InvalidInput, match="was made by other code, under which low_exp_0000 went differently"):
            list(generate(tmp_path, changed))
    *_, last = generate(tmp_path, changed)
    assert last.played == 6
    assert Dataset(tmp_path).manifest.code == shard.code_fingerprint()


@pytest.fixture
def begun_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """A dataset of the first level that other code began, stopped after so many shards."""

    def begin(shards: int) -> Path:
        with monkeypatch.context() as patch:
            patch.setattr("anastylosis.dataset.generation.code_fingerprint", lambda: "before")
            patch.setattr("anastylosis.dataset.shard.code_fingerprint", lambda: "before")
            running = generate(tmp_path, replace(PLAN, levels=PLAN.levels[:1]))
            list(islice(running, 1 + shards))
            running.close()
        return tmp_path

    return begin


def test_other_code_goes_on_where_nothing_was_finished(begun_before: Callable[[int], Path]) -> None:
    folder = begun_before(0)
    assert next(generate(folder, PLAN)).total == 10
    assert read_manifest(folder).code == shard.code_fingerprint()


def test_levels_that_are_not_played_again_keep_the_old_code(begun_before: Callable[[int], Path]) -> None:
    """Or a later call would go on with them under other code, unchecked."""
    folder = begun_before(1)
    next(generate(folder, replace(PLAN, levels=PLAN.levels[1:])))
    assert read_manifest(folder).code == "before"
    next(generate(folder, PLAN))
    assert read_manifest(folder).code == shard.code_fingerprint()


def test_a_worker_with_other_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anastylosis.dataset.generation.code_fingerprint", lambda: "here")
    with pytest.raises(InvalidInput, match="a worker runs other code"):
        list(generate(tmp_path, PLAN))


FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from dataset.test_generation import PLAN
from anastylosis.dataset import generate
running = generate(Path({folder!r}), PLAN)
for _ in range(3):
    next(running)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    next(running)
except OSError as error:
    print(error.strerror)
"""


def test_a_disk_that_takes_no_more_loses_nothing(made: Path, tmp_path: Path) -> None:
    """The system refuses to write more than 4 kB a file after two shards: those stay, and a later call goes on."""
    code = FULL.format(tests=str(Path(__file__).parents[1]), folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "File too large" in done.stdout, done.stderr
    there = contents(tmp_path)
    assert len(there) == 2 * len(TABLES)
    assert all(contents(made)[path] == content for path, content in there.items())
    assert not [path for path in tmp_path.rglob("*") if "part" in path.suffix]
    list(generate(tmp_path, PLAN))
    assert contents(tmp_path) == contents(made)


SPLITS = replace(PLAN, levels=PLAN.levels[:1], shares=Shares(val=0.3, test=0.3), shard=3)


@pytest.fixture(scope="module")
def in_parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Twelve episodes at one go, and two splits before the rest."""
    plan = replace(SPLITS, levels=(replace(SPLITS.levels[0], episodes=12),))
    whole, parts = (tmp_path_factory.mktemp(name) for name in ("whole", "parts"))
    list(generate(whole, plan))
    some = replace(plan, splits=("val", "test"))
    running = generate(parts, some)
    list(islice(running, 2))
    running.close()  # and goes on
    list(generate(parts, some))
    return whole, parts


def test_some_splits_come_in_shards_of_the_usual_number(in_parts: tuple[Path, Path]) -> None:
    whole, parts = in_parts
    shards = [len(place.indices) for place in Dataset(parts).places]
    assert sum(shards) == sum(row != "train" for row in Dataset(whole).read("episodes", ["split"]).column(0).to_pylist())
    assert set(shards[:-1]) == {3}
    assert len(contents(parts)) == len(shards) * len(TABLES)
    assert set(Dataset(parts).read("episodes", ["split"]).column(0).to_pylist()) == {"val", "test"}
    *_, unfinished = [str(finding) for checked in verify(parts) for finding in checked.findings]
    assert unfinished == f"manifest.json: {sum(shards)} of 12 episodes of 'low' are there; `anastylosis simulate` goes on"


def test_a_dataset_made_split_by_split_says_the_same_as_one_made_at_one_go(in_parts: tuple[Path, Path], tmp_path: Path) -> None:
    whole, parts = in_parts
    folder = shutil.copytree(parts, tmp_path / "games")
    *_, last = generate(folder, replace(SPLITS, levels=(replace(SPLITS.levels[0], episodes=12),)))
    assert last.kept + last.played == last.total == 12
    assert [finding for checked in verify(folder) for finding in checked.findings] == []
    one, other = Dataset(whole), Dataset(folder)
    assert one.names == other.names
    for table in TABLES:
        assert one.read(table).equals(other.read(table))
    assert one.read("rounds", ["force_peak"]).equals(other.read("rounds", ["force_peak"]))
    for name in one.names:
        (document, frames), (again, moved) = one.episode(name), other.episode(name)
        assert document == again
        assert all(np.array_equal(part, same) for part, same in zip(frames, moved, strict=True))
    for dataset, out in ((whole, tmp_path / "one"), (folder, tmp_path / "other")):
        export_csv(dataset, out)
        list(export_surveys(dataset, out, Noise()))
    written = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.csv")]
    assert {path.name for path in written} >= {"rounds.csv", "episodes.csv", "truth.csv"}
    assert all((tmp_path / "one" / path).read_bytes() == (tmp_path / "other" / path).read_bytes() for path in written)


@pytest.mark.parametrize("words", ["low_exp_0009", "low_exp_x", "low", "", "../low_exp_0000"])
def test_an_episode_that_is_not_there(made: Path, words: str) -> None:
    with pytest.raises(InvalidInput, match=r"has no episode .*; they are named like low_exp_0000"):
        Dataset(made).document(words)


def test_tables_and_columns_that_are_not_there(made: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no table 'people'; choose one of trajectories, rounds, episodes"):
        Dataset(made).read("people")
    with pytest.raises(InvalidInput, match="rounds has no column colour, weight"):
        Dataset(made).read("rounds", ["weight", "colour"])


def test_levels_may_come_and_grow_but_not_change(made: Path, tmp_path: Path) -> None:
    list(generate(tmp_path, replace(PLAN, levels=PLAN.levels[:1])))
    list(generate(tmp_path, PLAN))
    assert contents(tmp_path) == contents(made)
    other = replace(PLAN.levels[0], config=replace(QUICK, pull_speed=0.1))
    with pytest.raises(InvalidInput, match=r"holds 'low' episodes with pull_speed 0\.2, not 0\.1; name another folder"):
        list(generate(tmp_path, replace(PLAN, levels=(other,))))
    with pytest.raises(InvalidInput, match="was made with shard 2, not 3"):
        list(generate(tmp_path, replace(PLAN, shard=3)))
