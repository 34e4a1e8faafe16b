"""Debris made by MuJoCo: the adapter on small towers, and the file that is committed."""

import json
import platform
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

pytest.importorskip("mujoco")

from anastylosis.dataset import Plan, friction_levels, generate
from anastylosis.dataset.level import draw_config
from anastylosis.dataset.preset import learn_levels
from anastylosis.dataset.schema import EPISODES, arrow_schema
from anastylosis.dataset.split import Shares
from anastylosis.episode import run_episode
from anastylosis.episode.annotation import annotate
from anastylosis.episode.play import episode_seed
from anastylosis.errors import InvalidInput
from anastylosis.physics import default_config
from anastylosis.structure import Blocks, Floor, Structure, jenga_tower
from anastylosis.validation.penetration import overlapping_pair
from benchmarks.mujoco_debris.__main__ import make_debris
from benchmarks.mujoco_debris.compare import compare_debris, measure_quality, read_rows
from benchmarks.mujoco_debris.game import replay_in_mujoco, replay_in_ours
from benchmarks.mujoco_debris.source import Source
from benchmarks.mujoco_debris.table import COLUMNS, FACTS
from benchmarks.mujoco_debris.world import MujocoWorld

SIX_LAYERS = 53  # seed of a dataset whose first episode is a tower of 6 layers that falls at its second pull
STACKED = 74  # the same, of the rule "stack": the block comes out, goes on top, and then all falls
FLOAT32 = 1e-7  # relative precision of the file


def play(seed: int) -> tuple[dict[str, Any], Any]:
    """The first episode of the preset `learn` with this seed, and its settings."""
    config = draw_config(learn_levels()[0], episode_seed(seed, 0))
    return annotate(run_episode(config, episode_seed(seed, 0))), config


@pytest.fixture(scope="module")
def six_layers(tmp_path_factory) -> Path:
    """A dataset of one test episode."""
    folder = tmp_path_factory.mktemp("six") / "learn"
    for _ in generate(folder, Plan(levels=learn_levels(1)[:1], seed=SIX_LAYERS, shares=Shares(val=0, test=0.99))):
        pass
    return folder


@pytest.fixture(scope="module")
def made(six_layers, tmp_path_factory) -> tuple[Path, list[str]]:
    """The file that the adapter made of it, and what it told."""
    out, told = tmp_path_factory.mktemp("made") / "debris.parquet", []
    make_debris(Source(six_layers), out, 10, 1, told.append)
    return out, told


def test_a_fall_in_mujoco_is_a_row_of_the_table_of_episodes(made) -> None:
    table = pq.read_table(made[0])
    assert table.schema.equals(arrow_schema(COLUMNS))
    assert json.loads(table.schema.metadata[FACTS]) == {"episodes": 1, "pulled": 1, "outcomes": {"collapse": 1}}
    (row,) = table.to_pylist()
    assert (row["episode"], row["split"], row["layers"], row["dataset_seed"]) == ("learn_exp_0000", "test-mujoco", 6, SIX_LAYERS)
    assert row["at_rest"]
    assert row["engine"].startswith("MuJoCo ")
    check_debris(row)


def test_what_is_finished_is_not_made_again(six_layers, made) -> None:
    out, first = made
    again: list[str] = []
    before = out.read_bytes()
    make_debris(Source(six_layers), out, 10, 1, again.append)
    assert first[0] == "1 episodes, 1 of them to do"
    assert again[0] == "1 episodes, 0 of them to do"
    assert out.read_bytes() == before


def test_an_episode_that_the_dataset_lacks_is_played_to_the_same_bits(six_layers) -> None:
    stored = Source(six_layers)
    lacking = Source(six_layers)
    lacking.dataset.names.clear()
    assert lacking.find(0)[0]["fingerprint"] == stored.find(0)[0]["fingerprint"]


def test_a_dataset_of_another_kind_is_refused(tmp_path) -> None:
    for _ in generate(tmp_path / "plain", Plan(levels=friction_levels([(0.4, 0.4)], 1, layers=4))):
        pass
    with pytest.raises(InvalidInput, match="does not hold the preset `learn`"):
        Source(tmp_path / "plain")


def test_a_block_that_goes_on_top_does_so_in_mujoco_too() -> None:
    document, config = play(STACKED)
    fall = replay_in_mujoco(document, config)
    row = fall.game.tower.index(document["labels"]["fatal_block"])
    assert config.rule == "stack"
    assert fall.played.extraction.outcome == "out"
    assert fall.labels.lies.present[row]
    assert fall.game.course[row] > document["labels"]["course"][row]


def test_our_engine_replays_its_own_fall() -> None:
    document, config = play(SIX_LAYERS)
    fall = replay_in_ours(document, config, 0.0, np.random.default_rng(0))
    assert fall.outcome == "collapse"
    assert fall.settle_drift < 1e-4  # not the same fall: forces at rest are found anew, and in a tower they are not unique


def test_friction_of_a_pair_is_the_geometric_mean() -> None:
    """A block on a slope of tan(angle) slides if sqrt(mu_a mu_b) is less, and stays if it is more: gravity is tilted instead."""
    for floor, slides in (
        (0.9, False),
        (0.1, True),
    ):  # with 0.4 of the block: 0.6 and 0.2; MuJoCo's own rule, the larger: 0.9, 0.4
        block = Blocks(
            size=np.array([(0.08, 0.08, 0.02)]), mass=np.array([0.02]), friction=np.array([0.4]), restitution=np.zeros(1)
        )
        still = Structure(
            blocks=block, ids=("a",), course=np.zeros(1, int), position=np.array([(0, 0, 0.01)]),
            orientation=np.array([(1.0, 0, 0, 0)]), floor=Floor(friction=floor),
        )  # fmt: skip
        world = MujocoWorld(still, np.ones(1, bool), default_config())
        world.apply_force("a", (0.3 * 0.02 * 9.81, 0, 0))  # friction of 0.3 would just hold it
        world.run(0.5)
        moved = world.state.position[0, 0, 0]
        # a = 9.81 (0.3 - 0.2), x = a t^2 / 2 = 0.123 m
        assert moved == pytest.approx(0.123, rel=0.05) if slides else moved < 1e-3


def test_the_hand_in_mujoco_reaches_its_speed_against_friction() -> None:
    tower = jenga_tower(1)
    world = MujocoWorld(tower, np.ones(3, bool), default_config())
    world.run(0.1)
    world.pull("L00_1", (1.0, 0, 0), 0.2, 1.0, acceleration=2.0)
    frames = world.run(0.3)
    speed = np.diff(frames.position[-21:, 0, 1, 0]).mean() * 240
    assert speed == pytest.approx(0.2, rel=0.02)
    assert frames.servo_force[-20:, 0, 1].mean() == pytest.approx(0.4 * 0.0196 * 9.81, rel=0.05)  # mu m g
    world.pull("L00_1", (1.0, 0, 0), 0.2, 0.05, acceleration=2.0)  # less than friction takes
    world.run(0.5)
    assert abs(world.state.velocity[0, 1, 0]) < 1e-3


def check_debris(row: dict[str, Any]) -> None:
    """Poses that debris can have: where it says, of unit length, above the floor, hardly in each other, not far away."""
    for poses in ("stood", "lies", "ours_lies"):
        there = [each is not None for each in row[f"{poses}_positions"]]
        position = np.array([each for each in row[f"{poses}_positions"] if each is not None])
        orientation = np.array([each for each in row[f"{poses}_quaternions"] if each is not None])
        size = np.array(row["sizes"])[there]
        assert np.allclose(np.linalg.norm(orientation, axis=1), 1, rtol=0, atol=1e-6)
        assert np.abs(position[:, :2]).max() < 3.0
        assert (position[:, 2] > size.min(axis=1) / 2 - 1e-3).all()
        assert overlapping_pair(position, orientation, size)[0] < 5e-3
        assert poses != "stood" or there == row["standing"]
    for way, start, end in zip(row["displacement"], row["stood_positions"], row["lies_positions"], strict=True):
        assert (way is None) == (start is None or end is None)
        assert way is None or np.allclose(way, np.subtract(end, start), rtol=0, atol=1e-6)


@pytest.fixture(scope="module")
def rows(project) -> list[dict[str, Any]]:
    return read_rows(project / "benchmarks" / "mujoco_debris.parquet")


def test_the_file_has_the_columns_of_the_dataset_and_its_own(project) -> None:
    schema = pq.read_schema(project / "benchmarks" / "mujoco_debris.parquet")
    assert schema.equals(arrow_schema(COLUMNS))
    assert [schema.field(name).type for name in EPISODES] == [column.type for column in EPISODES.values()]
    assert (project / "benchmarks" / "mujoco_debris.parquet").stat().st_size <= 2_000_000


def test_the_file_holds_falls_of_test_episodes(project, rows) -> None:
    facts = json.loads(pq.read_schema(project / "benchmarks" / "mujoco_debris.parquet").metadata[FACTS])
    assert len(rows) == facts["outcomes"]["collapse"] >= 200
    assert sum(facts["outcomes"].values()) == facts["pulled"] <= facts["episodes"]
    assert len({row["episode"] for row in rows}) == len({row["seed"] for row in rows}) == len(rows)
    assert {row["split"] for row in rows} == {"test-mujoco"}
    assert {row["level"] for row in rows} == {"learn"}
    for row in rows:
        assert row["seed"] == episode_seed(row["dataset_seed"], row["index"])
        assert row["seed"] / 2**64 < Shares().test
        assert row["fatal_block"] in row["blocks"]
        assert row["collapsed"]
        assert 0 <= row["failure_course"] < row["layers"] + 10


def test_the_debris_in_the_file_can_lie_as_it_does(rows) -> None:
    for row in rows:
        check_debris(row)


def test_a_tower_of_the_file_is_the_one_that_our_engine_played(rows) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("bits are promised for one kind of processor, and the file was made on x86_64")
    for row in sorted(rows, key=lambda row: (row["layers"], row["round_count"]))[:2]:
        episode = run_episode(draw_config(learn_levels()[0], row["seed"]), row["seed"])
        assert episode.fingerprint() == row["fingerprint"], (
            "other physics now: make the file anew, docs/explanation/mujoco-debris.md says how"
        )
        labels = annotate(episode)["labels"]
        for name in ("positions", "quaternions"):
            for found, kept in zip(labels["stood"][name], row[f"stood_{name}"], strict=True):
                assert (found is None) == (kept is None)
                assert found is None or np.allclose(found, kept, rtol=FLOAT32, atol=FLOAT32)
            for found, kept in zip(labels["lies"][name], row[f"ours_lies_{name}"], strict=True):
                assert found is None or np.allclose(found, kept, rtol=FLOAT32, atol=FLOAT32)


def test_a_comparison_of_equal_debris_finds_no_difference(rows) -> None:
    ours = ("failure_course", "direction", "blocks_on_floor", "lies_positions", "lies_quaternions")
    same = [row | {name: row[f"ours_{name}"] for name in ours} for row in rows[:3]]
    found = compare_debris(same)
    assert found["spread_mm"] == found["ours_spread_mm"] > 0
    assert found["apart_mm"] == found["direction_median_deg"] == found["on_floor_difference"] == 0
    assert found["same_failure_course"] == 1


def test_the_page_shows_the_numbers_of_the_file(project, rows) -> None:
    numbers = json.loads((project / "benchmarks" / "mujoco_debris.json").read_text(encoding="utf-8"))
    assert numbers["mujoco"] == compare_debris(rows)
    assert numbers["quality"] == measure_quality(rows)
    tool = SimpleNamespace(**runpy.run_path(str(project / "tools" / "write_mujoco_table.py")))
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page == tool.render_page(page), "run `python tools/write_mujoco_table.py`"
