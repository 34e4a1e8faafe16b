"""Cluster: the workers of a Dask scheduler, on this machine or on many."""

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from anastylosis.errors import InvalidInput, MissingExtra, WorkerDied

if TYPE_CHECKING:
    from distributed import Client

Job = TypeVar("Job")
Result = TypeVar("Result")

CONNECT_TIME = 10.0  # [s] for the scheduler to answer,
JOIN_TIME = 60.0  # and for its first worker
NOISY = ("tornado.application", "asyncio", "distributed.client", "distributed.comm.tcp", "distributed.core", "distributed.utils")
IN_FLIGHT = 2  # jobs a thread: one that runs, one that waits beside it


def run_cluster(
    do: Callable[[Job], Result], jobs: Iterable[Job], *, workers: int, scheduler: str | None = None
) -> Iterator[tuple[Job, Result]]:
    """Yield each job and its result, from the workers of `scheduler` (tcp://...), or of `workers` processes started here.

    Dask does the jobs of a dead worker again. Workers may come and go.
    """
    with open_client(scheduler, workers) as client:
        from distributed import KilledWorker, as_completed

        waiting = iter(jobs)
        flying = {client.submit(do, job, pure=False): job for job in islice(waiting, IN_FLIGHT * count_threads(client))}
        done = as_completed(flying)
        for future in done:
            job = flying.pop(future)
            try:
                result = future.result()
            except KilledWorker as error:
                raise WorkerDied(f"too many workers died at {job}: {error}; most often memory ran out: start fewer") from error
            except CancelledError as error:
                raise WorkerDied(f"the scheduler is gone, at {job}; start it again, then the same call goes on") from error
            future.release()
            for following in islice(waiting, max(0, IN_FLIGHT * count_threads(client) - len(flying))):
                sent = client.submit(do, following, pure=False)
                flying[sent] = following
                done.add(sent)
            yield job, result


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Keep tracebacks of the cluster's own threads off the terminal. What has died is told in one line, by an error.

    To be called when `distributed` is loaded, for then it sets its loggers up.
    """
    loggers = [logging.getLogger(name) for name in NOISY]
    kept = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, kept, strict=True):
            logger.disabled = disabled


@contextmanager
def open_client(scheduler: str | None, workers: int) -> Iterator["Client"]:
    """Open a connection to a scheduler that has a worker."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingExtra("distributed", "cluster") from error
    if scheduler is None:
        with (
            quiet_logs(),
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):  # fmt: skip
            yield client
        return
    with quiet_logs(), connect(Client, scheduler) as client:
        try:
            client.wait_for_workers(1, timeout=JOIN_TIME)
        except TimeoutError as error:
            raise InvalidInput(f"{scheduler} has no workers; start some with `dask worker {scheduler}`") from error
        yield client


def connect(client: type["Client"], scheduler: str) -> "Client":
    """Connect to a scheduler."""
    try:
        return client(scheduler, timeout=CONNECT_TIME)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"no scheduler answers at {scheduler}; start one with `dask scheduler`, or leave it out") from error


def count_threads(client: "Client") -> int:
    """Count the jobs that all workers can do at once, now; at least one."""
    return max(1, sum(client.nthreads().values()))
