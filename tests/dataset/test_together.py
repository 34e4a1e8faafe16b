"""Episodes in lockstep: the same shards as one after the other. On the CPU here; on a GPU where there is one."""

from functools import partial
from pathlib import Path

import pytest

from anastylosis.dataset import Plan, generate
from anastylosis.dataset.plan import Job, plan_jobs
from anastylosis.dataset.preset import friction_levels
from anastylosis.dataset.shard import ON_CUDA, code_fingerprint, make_shard, play_episode
from anastylosis.dataset.together import play_together, run_together, split_jobs
from anastylosis.episode import default_episode
from anastylosis.errors import InvalidInput
from anastylosis.gpu import reason_without_gpu

PLAN = Plan(levels=friction_levels([(0.25, 0.25), (0.6, 0.6)], 2, layers=4, config=default_episode(rounds=1)), shard=1)


def list_jobs(code: str = "") -> list[Job]:
    return list(plan_jobs(PLAN, {}, code or code_fingerprint()))


def test_together_is_as_one_by_one() -> None:
    jobs = list_jobs()
    together = dict(run_together(make_shard, jobs, device="cpu", worlds=3))
    assert list(together) == jobs
    for job in jobs:
        assert together[job].files == make_shard(job).files


def test_jobs_are_split_by_the_worlds_there_is_room_for() -> None:
    jobs = list_jobs()
    assert [len(batch) for batch in split_jobs(jobs, 3)] == [3, 1]
    assert [len(batch) for batch in split_jobs(jobs, 1)] == [1, 1, 1, 1]


def test_an_episode_that_fails_ends_the_others(monkeypatch) -> None:
    def fail(job: Job, index: int, simulate) -> None:
        if (job.level.name, index) == ("high", 1):
            raise InvalidInput("this one")
        play_episode(job, index, simulate)

    monkeypatch.setattr("anastylosis.dataset.together.play_episode", fail)
    with pytest.raises(InvalidInput, match="this one"):
        play_together([(job, job.first) for job in list_jobs()], "cpu")


def test_a_dataset_of_another_device_goes_on_only_if_its_episodes_are_the_same(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(
        "anastylosis.dataset.generation.run_together", lambda do, jobs, device: run_together(do, jobs, device="cpu")
    )
    few = Plan(levels=PLAN.levels[:1], shard=1)
    list(generate(tmp_path, few, device="cuda"))
    assert ON_CUDA in (tmp_path / "manifest.json").read_text()
    list(generate(tmp_path, few))  # played again on the CPU, it is the same
    assert ON_CUDA not in (tmp_path / "manifest.json").read_text()
    other = partial(play_episode, simulate=None)
    monkeypatch.setattr("anastylosis.dataset.together.play_episode", lambda job, index, simulate: other(job, index + 1))
    with pytest.raises(InvalidInput, match="went differently"):
        list(generate(tmp_path, few, device="cuda"))


@pytest.mark.gpu
@pytest.mark.skipif(reason_without_gpu() is not None, reason=f"no GPU to test on: {reason_without_gpu()}")
def test_a_gpu_plays_the_episodes_of_the_cpu() -> None:
    for job, shard in run_together(make_shard, list_jobs(), device="cuda"):
        assert shard.files == make_shard(job).files
