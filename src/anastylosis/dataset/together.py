"""Play the episodes of many shards in lockstep on one device, instead of one after the other in many processes."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import partial
from itertools import groupby
from typing import TypeVar

from anastylosis.dataset.level import draw_config
from anastylosis.dataset.plan import Job
from anastylosis.dataset.shard import play_episode
from anastylosis.episode import Episode, episode_seed
from anastylosis.physics import Lockstep

Result = TypeVar("Result")

WORLDS = 1024  # episodes that are played at a time, about 5 MB of a GPU's memory each
PAIRS_PER_BLOCK = 12  # room for near blocks; on a GPU it is taken whole. The most seen in 12 collapses of 18 layers is 7.2


def run_together(
    do: Callable[..., Result], jobs: Iterable[Job], *, device: str, worlds: int = WORLDS
) -> Iterator[tuple[Job, Result]]:
    """Yield each job and its result, in order. `do` is called with a job and `play`, which gives an episode of it.

    What ends this loses the episodes that are being played, `worlds` at most.
    """
    for batch in split_jobs(jobs, worlds):
        episodes = play_together([(job, index) for job in batch for index in job.indices], device)
        for job in batch:
            yield job, do(job, play=partial(pick, episodes))


def pick(episodes: dict[tuple[str, int], Episode], job: Job, index: int) -> Episode:
    """Return an episode that has been played."""
    return episodes[job.level.name, index]


def split_jobs(jobs: Iterable[Job], worlds: int) -> Iterator[list[Job]]:
    """Yield jobs in batches of at most `worlds` episodes, or of one job."""
    batch: list[Job] = []
    for job in jobs:
        if batch and sum(len(each.indices) for each in batch) + len(job.indices) > worlds:
            yield batch
            batch = []
        batch.append(job)
    if batch:
        yield batch


def play_together(wanted: list[tuple[Job, int]], device: str) -> dict[tuple[str, int], Episode]:
    """Play episodes of any levels; return them by level and number.

    Those with as many layers and the same engine are stepped together.
    """

    def kind(task: tuple[Job, int]) -> tuple[int, str]:
        job, index = task
        config = draw_config(job.level, episode_seed(job.seed, index, job.level.stream))
        return config.layers, repr(config.engine)

    episodes: dict[tuple[str, int], Episode] = {}
    for _, alike in groupby(sorted(wanted, key=kind), key=kind):
        episodes |= play_alike(list(alike), device)
    return episodes


def play_alike(wanted: list[tuple[Job, int]], device: str) -> dict[tuple[str, int], Episode]:
    """Play episodes of equal towers, each in a thread of its own, where it waits for the others whenever its world is to move."""
    lockstep = Lockstep(len(wanted), device=device, pairs_per_block=PAIRS_PER_BLOCK)

    def play(job: Job, index: int) -> Episode:
        try:
            return play_episode(job, index, lockstep.simulate)
        finally:
            lockstep.leave()

    with ThreadPoolExecutor(len(wanted)) as threads:
        futures: dict[Future[Episode], tuple[str, int]] = {}
        try:
            for job, index in wanted:
                futures[threads.submit(play, job, index)] = (job.level.name, index)
            return {futures[done]: done.result() for done in as_completed(futures)}
        except BaseException as failure:  # Ctrl-C, or an episode that failed: the others wait for it
            lockstep.stop(failure)
            raise
