"""Play the episodes that a dataset lacks, and write them."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from anastylosis.dataset.manifest import plan_manifest
from anastylosis.dataset.plan import Job, Plan, plan_jobs
from anastylosis.dataset.reader import Dataset
from anastylosis.dataset.shard import ON_CUDA, Shard, code_fingerprint, first_fingerprint, make_shard
from anastylosis.dataset.store import ShardPlace, Writer, open_writer
from anastylosis.dataset.tables import name_episode
from anastylosis.dataset.together import run_together
from anastylosis.errors import InvalidInput
from anastylosis.executors import run_serial

Executor = Callable[[Callable[[Job], Shard], Iterable[Job]], Iterator[tuple[Job, Shard]]]


class GenerationProgress(NamedTuple):
    """Progress of a dataset that is being made."""

    total: int  # episodes of the plan
    kept: int  # that were there at the start
    played: int  # since then
    collapsed: int  # of these
    seconds: float  # of work in these, all workers together


def generate(
    folder: Path | str, plan: Plan, execute: Executor = run_serial, *, device: str = "cpu"
) -> Generator[GenerationProgress, None, None]:
    """Play the episodes that `folder` lacks, and write them; yield the progress at the start and after every shard.

    Whatever ends this, what is finished stays, and the same call goes on. Episodes are the same bits with any executor. On
    another `device` than the one a dataset was begun on it goes on only if an episode of each level is the same there.
    """
    folder = Path(folder)
    code = code_fingerprint() + (ON_CUDA if device == "cuda" else "")
    again: Callable[..., Iterator[tuple[Job, str]]] = run_serial
    if device == "cuda":
        execute = again = partial(run_together, device=device)
    with open_writer(folder, plan_manifest(plan, code)) as writer:
        if writer.manifest.code != code:
            replay(writer, plan, code, again)
        stored = writer.stored()
        kept = sum(plan.wants(level, index) for level in plan.levels for index in stored.get(level.name, ()))
        progress = GenerationProgress(plan.episodes, kept, 0, 0, 0.0)
        yield progress
        with closing(execute(make_shard, plan_jobs(plan, stored, code))) as results:  # type: ignore[type-var]
            for job, shard in results:
                writer.write_shard(ShardPlace(job.level.name, job.runs), shard.files)
                progress = progress._replace(
                    played=progress.played + len(job.indices),
                    collapsed=progress.collapsed + shard.collapsed,
                    seconds=progress.seconds + shard.seconds,
                )
                yield progress


def replay(writer: Writer, plan: Plan, code: str, execute: Callable[..., Iterator[tuple[Job, str]]]) -> None:
    """Play an episode of each level again where the code has changed; raise if one is different.

    Levels that are there and not in the plan cannot be played: the dataset keeps its old code until a plan has them too.
    """
    stored, levels = writer.stored(), {level.name: level for level in plan.levels}
    firsts = [(levels[name], min(stored[name])) for name in stored if name in levels]
    jobs = [Job(level=level, runs=((there, there),), seed=plan.seed, shares=plan.shares, code=code) for level, there in firsts]
    for job, fingerprint in execute(first_fingerprint, jobs):
        name = name_episode(job.level.name, job.first)
        if fingerprint != Dataset(writer.folder).document(name)["fingerprint"]:
            raise InvalidInput(
                f"{writer.folder} was made by other code, under which {name} went differently; "
                "go on with that version, or name another folder"
            )
    if stored.keys() <= levels.keys():
        writer.manifest = replace(writer.manifest, code=code)
