"""Plans: what is drawn for an episode, which jobs are left, which split an episode is in."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from anastylosis.dataset import Plan, paper_levels
from anastylosis.dataset.level import Level, Player, draw_config, name_level, nearest_level
from anastylosis.dataset.plan import find_runs, plan_jobs
from anastylosis.dataset.preset import friction_levels, learn_levels, size_levels
from anastylosis.dataset.split import Shares, split_of
from anastylosis.dataset.store import ShardPlace
from anastylosis.episode.play import episode_seed
from anastylosis.errors import InvalidConfig
from anastylosis.structure import BLOCK_SIZE, SHOP_BLOCK_SIZE

SEEDS = [episode_seed(0, index) for index in range(2000)]
PLAN = Plan(levels=friction_levels([(0.25, 0.25), (0.4, 0.4)], 20, 5), shard=8)


def ranges(plan: Plan, stored: dict[str, set[int]]) -> list[tuple]:
    """(level, first, last, first, last, ..) of each job."""
    return [(job.level.name, *(end for run in job.runs for end in run)) for job in plan_jobs(plan, stored, "code")]


def test_jobs_cover_the_plan_once_and_levels_grow_together() -> None:
    assert ranges(PLAN, {}) == [
        ("low", 0, 7), ("nominal", 0, 7), ("low", 8, 15), ("nominal", 8, 15), ("low", 16, 19), ("nominal", 16, 19),
    ]  # fmt: skip


def test_jobs_are_what_the_store_lacks() -> None:
    stored = {"low": set(range(20)), "nominal": {*range(8), 10, 11}}
    assert ranges(PLAN, stored) == [("nominal", 8, 9, 12, 15), ("nominal", 16, 19)]
    assert ranges(PLAN, {"low": set(range(99)), "nominal": set(range(20))}) == []


def test_runs_have_no_gaps() -> None:
    assert find_runs([]) == []
    assert find_runs([3]) == [(3, 3)]
    assert find_runs([0, 1, 4, 6, 7]) == [(0, 1), (4, 4), (6, 7)]


def test_what_is_drawn_is_what_the_level_says() -> None:
    level = learn_levels()[0]
    drawn = [draw_config(level, seed) for seed in SEEDS]
    frictions = np.array([config.friction for config in drawn])
    heights = Counter(config.layers for config in drawn)
    players = Counter((config.policy, config.rule) for config in drawn)
    assert 0.2 <= frictions.min() < 0.21
    assert 0.69 < frictions.max() <= 0.7
    assert abs(frictions.mean() - 0.45) < 3 * 0.5 / np.sqrt(12 * len(SEEDS))
    assert set(heights) == set(range(6, 25))
    assert abs(heights[18] / len(SEEDS) - 0.5) < 3 * 0.5 / np.sqrt(len(SEEDS))
    assert set(players) == {("random", "take"), ("careful", "take"), ("random", "stack")}
    assert all(abs(count / len(SEEDS) - 1 / 3) < 3 * np.sqrt(2 / 9 / len(SEEDS)) for count in players.values())
    assert drawn == [draw_config(level, seed) for seed in SEEDS]


def test_one_choice_does_not_change_another() -> None:
    """A level with one height draws the same friction and player as one with many."""
    mix = learn_levels()[0]
    for seed in SEEDS[:20]:
        one, other = draw_config(mix, seed), draw_config(replace(mix, layers=((18, 1.0),)), seed)
        assert (one.friction, one.policy, one.rule) == (other.friction, other.policy, other.rule)


def test_the_paper_has_450_episodes_of_18_layers() -> None:
    levels = paper_levels()
    assert [(level.name, level.episodes, level.friction) for level in levels] == [
        ("low", 150, (0.25, 0.25)), ("nominal", 150, (0.4, 0.4)), ("high", 150, (0.6, 0.6)),
    ]  # fmt: skip
    assert {draw_config(level, 5).layers for level in levels} == {18}
    assert {draw_config(level, 5).policy for level in levels} == {"random"}


def test_tests_out_of_range_are_out_of_range() -> None:
    mix, *fresh = learn_levels()
    assert [(level.name, level.split) for level in fresh] == [
        (name, f"test-{name}") for name in ("tall", "slippery", "rough", "greedy", "shop")
    ]
    tall, slippery, rough, greedy, shop = (draw_config(level, 1) for level in fresh)
    usual = draw_config(mix, 1)
    assert (tall.layers, slippery.friction, rough.friction, greedy.policy) == (30, 0.15, 0.8, "greedy-side")
    assert (tall.friction, slippery.layers, rough.policy) == (usual.friction, 18, usual.policy)
    assert (usual.block_size, shop.block_size) == (BLOCK_SIZE, SHOP_BLOCK_SIZE)
    assert [level.episodes for level in learn_levels(50)] == [50] * 6


def test_blocks_of_any_size_are_drawn_by_the_seed_alone() -> None:
    (sizes,) = size_levels(20)
    (mix, *_) = learn_levels(20)
    drawn = [draw_config(sizes, seed) for seed in range(200)]
    usual = [draw_config(mix, seed) for seed in range(200)]
    assert [replace(one, block_size=BLOCK_SIZE) for one in drawn] == usual  # all else is as without
    length, width, height = np.array([one.block_size for one in drawn]).T
    assert height.min() >= 0.013
    assert height.max() <= 0.020
    assert (length / height).min() >= 4.2
    assert (length / height).max() <= 5.5
    assert (width / height).min() >= 1.4 * 0.95
    assert (width / height).max() <= 1.8
    assert (3 * width < 1.05 * length).all()  # a tower can be built of them
    assert len({one.block_size for one in drawn}) == 200
    assert [draw_config(sizes, seed) for seed in range(200)] == drawn


def test_tests_out_of_range_share_no_tower_with_training() -> None:
    """Where seeds are shared, so are blocks and the player's dice, and a model may have learned from the twin."""
    mix, *fresh = learn_levels()
    seeds = {episode_seed(0, index, mix.stream) for index in range(mix.episodes)}
    assert seeds.isdisjoint(episode_seed(0, index, level.stream) for level in fresh for index in range(level.episodes))
    assert {level.stream for level in paper_levels()} == {0}  # one tower at three frictions: pairs


def test_splits_are_by_seed_and_shared_by_levels() -> None:
    low, nominal = PLAN.levels
    shares = Shares(val=0.1, test=0.2)
    splits = [split_of(low, seed, shares) for seed in SEEDS]
    assert splits == [split_of(nominal, seed, shares) for seed in SEEDS]
    counts = Counter(splits)
    for name, share in (("train", 0.7), ("val", 0.1), ("test", 0.2)):
        assert abs(counts[name] / len(SEEDS) - share) < 3 * np.sqrt(share * (1 - share) / len(SEEDS))
    assert split_of(replace(low, split="test-tall"), SEEDS[0], shares) == "test-tall"


def test_a_larger_test_share_keeps_what_was_in_test() -> None:
    low = PLAN.levels[0]
    small, large = ({seed for seed in SEEDS if split_of(low, seed, Shares(test=share)) == "test"} for share in (0.1, 0.3))
    assert small < large


@pytest.mark.parametrize(
    ("friction", "name"), [((0.25, 0.25), "low"), ((0.33, 0.33), "mu0.33"), ((0.2, 0.7), "mu0.2-0.7"), ((1e-5, 1e-5), "mu1e-05")]
)
def test_levels_have_names_that_files_may_have(friction: tuple[float, float], name: str) -> None:
    assert name_level(friction) == name
    assert Level(name=name, episodes=1, friction=friction).name == name


def test_the_nearest_level_of_a_friction() -> None:
    assert [nearest_level(friction) for friction in (0.1, 0.32, 0.33, 0.49, 0.51, 2.0)] == [
        "low", "low", "nominal", "nominal", "high", "high",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "../low"}, "a level is named '../low'"),
        ({"name": ""}, "a level is named ''"),
        ({"episodes": 0}, "episodes is 0"),
        ({"friction": (0.5, 0.4)}, "the smaller number first"),
        ({"friction": (0.0, 0.4)}, "friction is 0.0"),
        ({"layers": ()}, "empty"),
        ({"layers": ((18, 0.0),)}, "weight"),
        ({"layers": ((2, 1.0),)}, "protected_layers"),
        ({"players": (Player(policy="reckless"),)}, "no policy is named 'reckless'"),
    ],
)
def test_levels_that_cannot_be_played_are_refused(change: dict, message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        replace(PLAN.levels[0], **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"seed": -1}, "seed is -1"), ({"seed": 2**32}, "seed is"), ({"shard": 0}, "shard is"), ({"levels": ()}, "levels are none"),
     ({"levels": PLAN.levels[:1] * 2}, "levels are low, low"), ({"seed": True}, "seed is True")],
)  # fmt: skip
def test_plans_that_cannot_be_are_refused(change: dict, message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        replace(PLAN, **change)


@pytest.mark.parametrize("shares", [{"val": -0.1}, {"test": 1.0}, {"val": 0.5, "test": 0.5}, {"val": float("nan")}])
def test_shares_leave_some_for_training(shares: dict) -> None:
    with pytest.raises(InvalidConfig, match="leave some for training"):
        Shares(**shares)


def test_a_plan_may_want_some_splits_alone() -> None:
    """Which split an episode is in is known before it is played, so the others need not be."""
    levels = learn_levels(400)
    plan = Plan(levels=levels, splits=("val", "test"))
    jobs = list(plan_jobs(plan, {}, "code"))
    played = [split_of(job.level, episode_seed(0, index), plan.shares) for job in jobs for index in job.indices]
    assert {job.level.name for job in jobs} == {"learn"}
    assert set(played) == {"val", "test"}
    assert plan.episodes == len(played) == sum(split_of(levels[0], seed, plan.shares) != "train" for seed in SEEDS[:400])
    tall = Plan(levels=levels, splits=("test-tall",))
    assert tall.episodes == 200
    assert {job.level.name for job in plan_jobs(tall, {}, "code")} == {"tall"}


def test_shards_of_some_splits_hold_as_many_episodes_as_others() -> None:
    plan = Plan(levels=learn_levels(400), splits=("val", "test", "test-tall"))
    sizes = [(job.level.name, len(job.indices)) for job in plan_jobs(plan, {}, "code")]
    for name in ("learn", "tall"):
        *full, last = [size for level, size in sizes if level == name]
        assert set(full) == {plan.shard}
        assert 1 <= last <= plan.shard


def test_a_run_of_some_splits_goes_on_with_the_same_shards() -> None:
    plan = Plan(levels=learn_levels(400), splits=("val", "test"))
    jobs = list(plan_jobs(plan, {}, "code"))
    done = {index for job in jobs[:3] for index in job.indices}
    assert list(plan_jobs(plan, {"learn": done}, "code")) == jobs[3:]
    more = list(plan_jobs(replace(plan, levels=learn_levels(800)), {}, "code"))
    assert more[: len(jobs) - 1] == [replace(job, level=more[0].level) for job in jobs[:-1]]  # all but a last one that was short


def test_what_other_splits_left_is_played_eight_at_a_time() -> None:
    part, whole = (Plan(levels=learn_levels(400)[:1], splits=splits) for splits in (("test",), ()))
    stored = {"learn": {index for job in plan_jobs(part, {}, "code") for index in job.indices}}
    rest = list(plan_jobs(whole, stored, "code"))
    assert sorted([*stored["learn"], *(index for job in rest for index in job.indices)]) == list(range(400))
    assert all(job.first // 8 == job.indices[-1] // 8 for job in rest)  # within the shards of a run of everything
    assert len(rest) == 400 // 8


def test_a_shard_has_no_more_stretches_than_the_name_of_a_file_can_tell() -> None:
    plan = Plan(levels=friction_levels([(0.4, 0.4)], 100, 5), shard=100)
    jobs = list(plan_jobs(plan, {"nominal": set(range(0, 100, 2))}, "code"))
    assert [len(job.runs) for job in jobs] == [12, 12, 12, 12, 2]
    assert max(len(ShardPlace("nominal", job.runs).path("trajectories")) for job in jobs) < 220


def test_a_job_says_which_episodes_it_has() -> None:
    (job,) = plan_jobs(Plan(levels=PLAN.levels[:1], shard=20), {"low": {0, 1, 2, 4, *range(6, 19)}}, "code")
    assert str(job) == "episodes 3, 5, 19 of 'low'"
    assert str(next(iter(plan_jobs(PLAN, {}, "code")))) == "episodes 0 to 7 of 'low'"
    (last,) = plan_jobs(Plan(levels=PLAN.levels[:1]), {"low": set(range(19))}, "code")
    assert str(last) == "episode 19 of 'low'"


def test_a_split_that_nothing_is_in_is_refused() -> None:
    with pytest.raises(InvalidConfig, match="there is no split 'tset'; choose among train, val, test"):
        Plan(levels=paper_levels(20), splits=("train", "tset"))
    with pytest.raises(InvalidConfig, match="no episode of the plan is in test"):
        Plan(levels=paper_levels(1), splits=("test",))
