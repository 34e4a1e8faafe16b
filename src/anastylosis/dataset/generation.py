"""Generate: make what a dataset lacks."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from anastylosis.dataset.manifest import plan_manifest
from anastylosis.dataset.plan import Job, Plan, plan_jobs
from anastylosis.dataset.reader import Dataset
from anastylosis.dataset.shard import Shard, code_fingerprint, make_shard, play_episode
from anastylosis.dataset.store import Place, Writer, open_writer
from anastylosis.dataset.tables import name_episode
from anastylosis.errors import InvalidInput
from anastylosis.executors import run_serial

__all__ = ["Executor", "Progress", "generate"]

Executor = Callable[[Callable[[Job], Shard], Iterable[Job]], Iterator[tuple[Job, Shard]]]


class Progress(NamedTuple):
    """How far a dataset is."""

    total: int  # episodes of the plan
    kept: int  # that were there at the start
    played: int  # since then
    collapsed: int  # of these
    seconds: float  # of work in these, all workers together


def generate(folder: Path | str, plan: Plan, execute: Executor = run_serial) -> Iterator[Progress]:
    """Play the episodes that `folder` lacks, and write them; tells how far it is at the start and after every shard.

    Whatever ends this, what is finished stays, and the same call goes on. Episodes are the same bits with any executor.
    """
    folder = Path(folder)
    code = code_fingerprint()
    with open_writer(folder, plan_manifest(plan, code)) as writer:
        if writer.manifest.code != code:
            replay(writer, plan, code)
        stored = writer.stored()
        kept = sum(index < level.episodes for level in plan.levels for index in stored.get(level.name, ()))
        progress = Progress(plan.episodes, kept, 0, 0, 0.0)
        yield progress
        with closing(execute(make_shard, plan_jobs(plan, stored, code))) as results:  # type: ignore[type-var]
            for job, shard in results:
                writer.write_shard(Place(job.level.name, job.first, job.last), shard.files)
                progress = progress._replace(
                    played=progress.played + len(job.indices),
                    collapsed=progress.collapsed + shard.collapsed,
                    seconds=progress.seconds + shard.seconds,
                )
                yield progress


def replay(writer: Writer, plan: Plan, code: str) -> None:
    """The code has changed since the dataset was begun: go on only if an episode of each level, played again, is the same."""
    dataset = Dataset(writer.folder)
    for level in plan.levels:
        there = min(writer.stored().get(level.name, ()), default=None)
        if there is None:
            continue
        name = name_episode(level.name, there)
        job = Job(level=level, first=there, last=there, seed=plan.seed, shares=plan.shares, code=code)
        if play_episode(job, there).fingerprint() != dataset.document(name)["fingerprint"]:
            raise InvalidInput(
                f"{writer.folder} was made by other code, under which {name} went differently; "
                "go on with that version, or name another folder"
            )
    writer.manifest = replace(writer.manifest, code=code)
