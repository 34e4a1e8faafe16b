"""Executors: run one function over many jobs, here, on all cores, or on many machines.

Each takes the function and the jobs, which may be a generator, and yields `(job, result)` as jobs are done, in any order.
Few jobs are under way at a time, so memory does not grow with their number. A job whose worker dies is done again.
"""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.executors.cluster import run_cluster
    from anastylosis.executors.pool import open_pool, run_pool
    from anastylosis.executors.serial import run_serial

__all__ = ["open_pool", "run_cluster", "run_pool", "run_serial"]

__getattr__, __dir__ = load_on_demand(__name__)
