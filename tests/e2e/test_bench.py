"""`anastylosis bench`: what it prints and writes, and that a timing never comes without its proof."""

import csv
import json
import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from anastylosis.cli.bench import write_csv
from anastylosis.errors import AnastylosisError
from anastylosis.machine import install_line
from anastylosis.structure import jenga_tower
from anastylosis.validation import bench, peers
from anastylosis.validation.bench import Comparison, Row, compare_rows, run_bench
from anastylosis.validation.scene import SCENES, batch_scenes, kicked_scene, still_scene
from anastylosis.validation.statics import TASKS, time_statics

# What docs/explanation/benchmarks.md promises.
PROMISED = {"scene", "engine", "solver", "work_per_simulated_second", "drift_mm", "penetration_um", "hash"}


@pytest.fixture
def small_scenes(monkeypatch) -> None:
    """The scenes under their own names, but three layers for a moment."""
    tower = still_scene("tower_rest", jenga_tower(3), seconds=0.05)
    monkeypatch.setitem(SCENES, "tower_rest", lambda: tower)
    monkeypatch.setitem(bench.DRIFT_SECONDS, "tower_rest", 0.1)
    monkeypatch.setattr(bench, "BATCH_WORLDS", 3)


def make_row(**fields) -> Row:
    blank = dict.fromkeys(Row._fields, 0)
    row = {"scene": "tower_rest", "engine": "anastylosis", "solver": "block", "steps_per_second": 240, "threads": 1, "blocks": 54}
    return Row(**blank | row | {"work_per_simulated_second": 0.1, "cpu_per_simulated_second": 0.1, "hash": "c0ffee"} | fields)


def test_json_is_alone_on_stdout_and_the_tower_stands(call_main, capsys) -> None:
    assert call_main("bench --scene tower_rest --no-peers --repeats 1 --json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["scene"], row["engine"], row["solver"]) for row in rows] == [
        ("tower_rest", "anastylosis", "block"), ("tower_rest", "anastylosis", "pgs"),
    ]  # fmt: skip
    for row in rows:
        assert row.keys() >= PROMISED
        assert list(row) == list(Row._fields)
        assert row["work_min"] == row["work_per_simulated_second"] == row["work_max"] > 0
        assert row["collide_share"] + row["solve_share"] + row["other_share"] == pytest.approx(1)
        assert (row["blocks"], row["contacts"], row["displaced"]) == (54, 624, 0)  # 156 face pairs of 4 points
        int(row["hash"], 16)
    assert rows[0]["drift_mm"] <= 0.02
    assert rows[0]["penetration_um"] <= 5


def test_plain_output_ends_with_the_comparisons(call_main, capsys, small_scenes) -> None:
    assert call_main("bench --scene tower_rest --no-peers --repeats 1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t")[:3] == ["scene", "engine", "solver"]
    assert lines[3] == "name\tvalue\ttarget\tmet"
    assert lines[4].startswith("tower_rest: times faster than the paper's code\t")


def test_statics_are_timed_with_the_hash_of_what_they_found() -> None:
    said: list[str] = []
    once, twice = time_statics(1, said.append), time_statics(2, said.append)
    assert [row.task for row in once] == list(TASKS)
    assert said[:3] == [f"statics: {task}" for task in TASKS]
    assert [row.hash for row in once] == [row.hash for row in twice]
    for row in twice:
        assert 0 < row.seconds_min <= row.seconds <= row.seconds_max
        assert (row.cpu_seconds > 0, row.repeats) == (True, 2)


def test_statics_alone_or_after_scenes(call_main, capsys, small_scenes) -> None:
    assert call_main("bench --scene statics --repeats 1 --json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["rows"], [row["task"] for row in said["statics"]]) == ([], list(TASKS))
    assert call_main("bench --scene tower_rest --scene statics --no-peers --repeats 1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("scene\t")
    assert [line.split("\t")[0] for line in lines[-4:]] == ["task", *TASKS]
    assert call_main("bench --scene tower_rest --no-peers --repeats 1 --json") == 0
    assert json.loads(capsys.readouterr().out)["statics"] == []


def test_unknown_scene_is_exit_code_2_before_any_work(call_main, monkeypatch, capsys) -> None:
    monkeypatch.setattr(bench, "warm_up", lambda: pytest.fail("worked before it looked at the words"))
    assert call_main("bench --scene tower_rest --scene nonsense --json") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "'nonsense'" in err
    assert "batch_64" in err  # what may be chosen


def test_csv_has_every_field_and_the_versions(call_main, capsys, tmp_path: Path, small_scenes) -> None:
    out = tmp_path / "rows.csv"
    out.write_text("old")
    assert call_main(f"bench --scene tower_rest --no-peers --repeats 2 --json --out {out}") == 0
    with out.open(newline="", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    printed = json.loads(capsys.readouterr().out)["rows"]
    assert list(written[0]) == [*Row._fields, "anastylosis", "numba", "python"]
    assert [row["hash"] for row in written] == [row["hash"] for row in printed]
    assert [float(row["work_per_simulated_second"]) for row in written] == [row["work_per_simulated_second"] for row in printed]
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]  # no draft left behind


def test_csv_is_written_whole_or_not_at_all(monkeypatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "rows.csv"
    out.write_text("old")
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_csv([make_row()._asdict()], out)
    assert out.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.skipif(find_spec("mujoco") is None, reason="mujoco is not installed")
def test_an_installed_peer_has_a_row_with_its_drift_and_hash(monkeypatch, small_scenes) -> None:
    monkeypatch.setattr(peers, "PEERS", ("mujoco_peer",))
    rows = run_bench(scenes=["tower_rest"], peers=True, repeats=2, progress=lambda _: None)
    row = next(row for row in rows if row.engine == "MuJoCo")
    assert (row.solver, row.steps_per_second, row.threads, row.repeats) == ("Newton", 720, 1, 2)
    assert row.work_per_simulated_second > 0
    assert 0 < row.drift_mm < 0.5
    assert row.hash != "varies"
    assert (row.contacts, row.solve_share) == (None, None)


def test_missing_peers_are_absent_and_named_once(call_main, monkeypatch, capsys, small_scenes) -> None:
    monkeypatch.setattr("anastylosis.validation.peers.mujoco_peer.is_available", lambda: False)
    monkeypatch.setattr(peers, "PEERS", ("mujoco_peer",))
    assert call_main("bench --scene tower_rest --repeats 1 --json") == 0
    out, err = capsys.readouterr()
    assert {row["engine"] for row in json.loads(out)["rows"]} == {"anastylosis"}
    assert err.count(f"without MuJoCo; to run them too: {install_line('bench')}") == 1


def test_a_peer_that_cannot_be_loaded_is_left_out(monkeypatch, small_scenes) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr("anastylosis.validation.peers.mujoco_peer.is_available", lambda: True)
    monkeypatch.setattr("anastylosis.validation.peers.mujoco_peer.simulate", fail)
    monkeypatch.setattr(bench.metadata, "version", lambda package: "1")
    monkeypatch.setattr(peers, "PEERS", ("mujoco_peer",))
    said: list[str] = []
    rows = run_bench(scenes=["tower_rest"], peers=True, repeats=1, progress=said.append)
    assert {row.engine for row in rows} == {"anastylosis"}
    assert any("libGL.so.1" in line for line in said)


def test_a_batch_ends_in_the_same_bits_with_one_thread_and_two(small_scenes) -> None:
    one, two = run_bench(scenes=["batch_64"], peers=True, repeats=1, progress=lambda _: None)
    assert (one.threads, two.threads, one.worlds) == (1, 2, 3)
    assert one.hash == two.hash
    assert one.drift_mm is None


def test_penetration_of_a_collapse_is_looked_for_in_every_frame() -> None:
    scene = kicked_scene("x", jenga_tower(2), layer=0, speed=0.1, rng=np.random.default_rng(0))
    position = np.stack([scene.structure.position] * 3)
    position[1, :, 2] -= 0.001  # 1 mm into the floor, half-way
    orientation = np.stack([scene.structure.orientation] * 3)
    seen = bench.look(scene, position, orientation)
    assert seen.penetration == pytest.approx(0.001)
    assert seen.drift is None
    still = still_scene("y", scene.structure, seconds=1.0)
    assert bench.look(still, position, orientation).penetration < 1e-9


def test_different_hashes_of_repeats_are_an_error_that_names_them(monkeypatch, small_scenes) -> None:
    hashes = iter(["aaaa", "bbbb", "cccc", "dddd"])
    monkeypatch.setattr("anastylosis.physics.simulation.Simulation.state_hash", lambda self: next(hashes))
    with pytest.raises(AnastylosisError, match=r"tower_rest with solver block ended in 2 different states \(aaaa, cccc\)"):
        run_bench(scenes=["tower_rest"], peers=False, repeats=2, progress=lambda _: None)


def test_comparisons_are_the_ratios_asked_for() -> None:
    rows = [
        make_row(),
        make_row(solver="pgs", work_per_simulated_second=9.0),
        make_row(engine="Rapier", work_per_simulated_second=0.2),
        make_row(engine="PhysX", work_per_simulated_second=0.4),
        make_row(engine="PhysX", work_per_simulated_second=0.01, steps_per_second=720),  # not at 1/240: does not count
        make_row(scene="field_2000", work_per_simulated_second=7.4, blocks=2000),
        make_row(scene="batch_64", work_per_simulated_second=0.1),
        make_row(scene="batch_64", work_per_simulated_second=0.05, threads=2),
    ]
    fastest, paper, field, batch = compare_rows(rows)
    assert fastest == Comparison("tower_rest: time / that of the fastest peer at 1/240 s (Rapier)", 0.5, "<= 0.85", True)
    assert (paper.value, paper.met) == (pytest.approx(1240), True)
    assert (field.value, field.met) == (pytest.approx(7.4 / 2000 * 54 / 0.1), False)
    assert (batch.value, batch.met) == (2.0, True)
    assert compare_rows([]) == []


def test_busy_machine_is_said(call_main, monkeypatch, capsys) -> None:
    monkeypatch.setattr("anastylosis.validation.benchmark.run_bench", lambda *_: [make_row(cpu_per_simulated_second=0.05)])
    assert call_main("bench --scene tower_rest --no-peers --json") == 0
    assert "the machine was busy: a run took 2.00 times" in capsys.readouterr().err


def test_batch_scenes_differ_and_do_not_depend_on_their_number() -> None:
    few, many = batch_scenes(2), batch_scenes(64)
    assert {len(scene.structure) for scene in many} == {52}
    assert len({float(scene.structure.blocks.friction[0]) for scene in many}) == 64
    assert all(math.isclose(a.velocity.sum(), b.velocity.sum()) for a, b in zip(few, many, strict=False))
