"""Benchmark of speed: every timing has its drift, its penetration and the hash of its last state beside it.

Method: docs/explanation/benchmarks.md. A contender is one engine in one setting. All contenders of a scene take turns, so that
a busy moment of the machine hits all of them, and the median of each counts.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from statistics import median
from types import ModuleType
from typing import NamedTuple

import numpy as np

from anastylosis import __version__
from anastylosis.arrays import Floats
from anastylosis.errors import AnastylosisError, InvalidInput
from anastylosis.physics import EngineConfig, default_config, paper_config, warm_up
from anastylosis.units import metres_to_micrometres, metres_to_millimetres
from anastylosis.validation.peers import installed_peers
from anastylosis.validation.peers.run import PeerRun
from anastylosis.validation.penetration import deepest_penetration
from anastylosis.validation.scene import SCENES, BenchScene, batch_scenes, start_scenes

ENGINE = "anastylosis"
BATCH = "batch_64"
BATCH_WORLDS = 64
BATCH_THREADS = (1, 2)
BENCH_SCENES = (*SCENES, BATCH)
PAPER_SCENES = ("tower_rest", "tower_collapse")  # where the paper's solver runs too: the scenes of the paper

DRIFT_SECONDS = {"tower_rest": 5.0}  # [s] watched for drift, where the scene itself is shorter
LOOKS_PER_SECOND = 240  # how often penetration is looked at while blocks move
DISPLACED = 0.009  # [m] half a block's height: a block that moved further has left its slot
PAPER_WORK = 124.0  # [s] a simulated second of 18 layers takes the paper's published code: timed by us, about 0.5 s a step


class Row(NamedTuple):
    """One engine at one scene. Shares and contacts are None for peers, which do not tell."""

    scene: str
    engine: str
    solver: str
    work_per_simulated_second: float  # [s/s] wall clock, median of the repeats; of a batch, a simulated second of one world
    drift_mm: float | None  # largest displacement of a block that should rest; None where blocks are meant to move
    penetration_um: float  # deepest, by an oracle: at the end (rest), at any of 240 looks a second (collapse)
    contacts: int | None  # contact points at the end, in one world
    collide_share: float | None  # of the time of a step: pairs, manifolds, effective masses
    solve_share: float | None
    other_share: float | None  # integration
    hash: str  # of the last state; the same in every repeat, or "varies" (peers only)
    blocks: int  # in one world
    worlds: int
    threads: int
    steps_per_second: int
    seed_seconds: float  # first step of all worlds, not in the timing: it finds all contacts and, in ours, the static seed
    cpu_per_simulated_second: float  # [s/s] processor time: much less than the wall clock means a busy machine
    work_min: float  # [s/s] the fastest repeat
    work_max: float  # [s/s] the slowest
    repeats: int
    displaced: int  # blocks that ended more than 9 mm from where they began, in one world
    version: str  # of the engine's package


class Comparison(NamedTuple):
    """A ratio of two rows, and the bound asked of it."""

    name: str
    value: float
    target: str
    met: bool


class Timing(NamedTuple):
    """One timed run."""

    work: float  # wall clock a simulated second [s/s]
    cpu: float
    first_step: float  # [s]
    hash: str
    contacts: int | None = None
    shares: tuple[float, float, float] | None = None


class Quality(NamedTuple):
    """One untimed run, looked at."""

    drift: float | None  # [m]
    penetration: float  # [m]
    displaced: int


class Contender(NamedTuple):
    """One engine in one setting at one scene."""

    engine: str
    solver: str
    version: str
    steps_per_second: int
    threads: int
    measure: Callable[[], Timing]
    inspect: Callable[[], Quality]


def run_bench(scenes: list[str] | None, peers: bool, repeats: int, progress: Callable[[str], None]) -> list[Row]:
    """Return rows of the named scenes (None: all), peers beside our engine where they are installed."""
    names = list(dict.fromkeys(scenes or BENCH_SCENES))
    for name in names:
        if name not in BENCH_SCENES:
            raise InvalidInput(f"there is no scene {name!r}; choose from {', '.join(BENCH_SCENES)}")
    if repeats < 1:
        raise InvalidInput(f"repeats is {repeats}; run each at least once")
    progress("warming up the kernels")
    warm_up()
    rows: list[Row] = []
    for name in names:
        worlds = batch_scenes(BATCH_WORLDS) if name == BATCH else [SCENES[name]()]
        contenders = list_contenders(name, worlds, installed_peers() if peers else [])
        rows += run_scene(name, worlds, contenders, repeats, progress)
    return rows


def run_scene(
    name: str, worlds: Sequence[BenchScene], contenders: list[Contender], repeats: int, progress: Callable[[str], None]
) -> list[Row]:
    """Return one row a contender: each is run once to look at it, which warms it up, then timed in turn."""
    qualities: dict[Contender, Quality] = {}
    for contender in contenders:
        progress(f"{name}: {describe(contender)}")
        try:
            qualities[contender] = contender.inspect()
        except ImportError as error:  # installed, but a library of the system is missing
            progress(f"{name}: {contender.engine} is left out, it cannot be loaded: {error}")
    timings: dict[Contender, list[Timing]] = {contender: [] for contender in qualities}
    for repeat in range(repeats):
        progress(f"{name}: timing {repeat + 1} of {repeats}")
        for contender, runs in timings.items():
            runs.append(contender.measure())
    check_hashes(name, {contender: {run.hash for run in runs} for contender, runs in timings.items()})
    return [build_row(name, worlds, contender, qualities[contender], runs) for contender, runs in timings.items()]


def build_row(name: str, worlds: Sequence[BenchScene], contender: Contender, quality: Quality, runs: list[Timing]) -> Row:
    last = runs[-1]
    collide, solve, other = last.shares or (None, None, None)
    return Row(
        scene=name,
        engine=contender.engine,
        solver=contender.solver,
        work_per_simulated_second=median(run.work for run in runs),
        drift_mm=None if quality.drift is None else metres_to_millimetres(quality.drift),
        penetration_um=metres_to_micrometres(quality.penetration),
        contacts=last.contacts,
        collide_share=collide,
        solve_share=solve,
        other_share=other,
        hash=last.hash if len({run.hash for run in runs}) == 1 else "varies",
        blocks=len(worlds[0].structure),
        worlds=len(worlds),
        threads=contender.threads,
        steps_per_second=contender.steps_per_second,
        seed_seconds=median(run.first_step for run in runs),
        cpu_per_simulated_second=median(run.cpu for run in runs),
        work_min=min(run.work for run in runs),
        work_max=max(run.work for run in runs),
        repeats=len(runs),
        displaced=quality.displaced,
        version=contender.version,
    )


def check_hashes(name: str, hashes: dict[Contender, set[str]]) -> None:
    """Check that our own engine ends every repeat, with any number of threads, in the same state to the last bit."""
    by_solver: dict[str, set[str]] = {}
    for contender, found in hashes.items():
        if contender.engine == ENGINE:
            by_solver.setdefault(contender.solver, set()).update(found)
    for solver, found in by_solver.items():
        if len(found) > 1:
            raise AnastylosisError(
                f"{name} with solver {solver} ended in {len(found)} different states ({', '.join(sorted(found))}): "
                "the engine is not reproducible here; report it with the output of `anastylosis doctor --json`"
            )


def describe(contender: Contender) -> str:
    threads = f", {contender.threads} threads" if contender.threads > 1 else ""
    return f"{contender.engine} {contender.solver}, {contender.steps_per_second} steps a second{threads}"


# Contenders


def list_contenders(name: str, worlds: Sequence[BenchScene], peers: Sequence[ModuleType]) -> list[Contender]:
    """List our solvers, then the peers, which step one world at a time and so sit out the batch."""
    if name == BATCH:
        batch = [own_contender(name, worlds, default_config(), threads) for threads in BATCH_THREADS]
        return [contender._replace(inspect=batch[0].inspect) for contender in batch]  # same bits: looked at once
    own = [default_config(), paper_config()] if name in PAPER_SCENES else [default_config()]
    contenders = [own_contender(name, worlds, config, threads=1) for config in own]
    return contenders + [peer_contender(name, worlds[0], peer, dt) for peer in peers for dt in peer.TIME_STEPS]


def own_contender(name: str, worlds: Sequence[BenchScene], config: EngineConfig, threads: int) -> Contender:
    config = replace(config, sleep=False)
    rate = round(1 / config.timestep)
    seconds = worlds[0].seconds

    def measure() -> Timing:
        simulation = start_scenes(worlds, config, threads)
        first = timed(lambda: simulation.run(config.timestep))[0]
        rest = seconds - config.timestep
        work, cpu = timed(lambda: simulation.run(rest))
        counts = [np.isfinite(simulation.contacts(w).point[..., 0]).sum() for w in range(len(worlds))]
        collide, solve, other = simulation.stage_shares().values()
        total = rest * len(worlds)
        return Timing(work / total, cpu / total, first, simulation.state_hash(), round(np.mean(counts)), (collide, solve, other))

    @cache
    def inspect() -> Quality:
        simulation = start_scenes(worlds, config, threads)
        frames = simulation.run(watch_seconds(name, seconds), record_every=max(1, rate // LOOKS_PER_SECOND))
        looks = [look(scene, frames.position[:, w], frames.orientation[:, w]) for w, scene in enumerate(worlds)]
        drifts = [quality.drift for quality in looks if quality.drift is not None]
        return Quality(
            drift=max(drifts) if drifts else None,
            penetration=max(quality.penetration for quality in looks),
            displaced=round(np.mean([quality.displaced for quality in looks])),
        )

    return Contender(ENGINE, config.solver, __version__, rate, threads, measure, inspect)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return (wall clock, processor time of all threads) of `work` [s]."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def peer_contender(name: str, scene: BenchScene, peer: ModuleType, dt: float) -> Contender:
    rate = round(1 / dt)

    def measure() -> Timing:
        run: PeerRun = peer.simulate(scene, dt=dt, seconds=scene.seconds)
        rest = run.simulated_seconds - dt
        last = hash_poses(run.position[-1], run.orientation[-1])
        return Timing((run.work_seconds - run.first_seconds) / rest, run.cpu_seconds / rest, run.first_seconds, last)

    def inspect() -> Quality:
        seconds = watch_seconds(name, scene.seconds)
        run: PeerRun = peer.simulate(scene, dt=dt, seconds=seconds, record_every=max(1, rate // LOOKS_PER_SECOND))
        return look(scene, run.position, run.orientation)

    return Contender(peer.NAME, peer.SOLVER, metadata.version(peer.PACKAGE), rate, 1, measure, inspect)


def hash_poses(position: Floats, orientation: Floats) -> str:
    """Return a hash of a peer's poses, to the last bit."""
    return hashlib.sha256(position.tobytes() + orientation.tobytes()).hexdigest()[:16]


# Quality


def watch_seconds(name: str, seconds: float) -> float:
    """Return how long a run is looked at [s]."""
    return DRIFT_SECONDS.get(name, seconds)


def look(scene: BenchScene, position: Floats, orientation: Floats) -> Quality:
    """Measure the frames (T, B, ...) of one world."""
    rests = not (scene.velocity.any() or scene.angular_velocity.any())
    moved = np.linalg.norm(position[-1] - scene.structure.position, axis=1)
    seen = slice(-1, None) if rests else slice(None)
    depth = deepest_penetration(position[seen], orientation[seen], scene.structure.blocks.size)
    return Quality(float(moved.max()) if rests else None, float(depth.max()), int((moved > DISPLACED).sum()))


# Comparisons


def compare_rows(rows: Sequence[Row]) -> list[Comparison]:
    """Compute the ratios that are asked for, as far as the rows hold both sides of them."""

    def own(scene: str, threads: int = 1) -> float | None:
        solver = default_config().solver
        found = [row for row in rows if (row.scene, row.engine, row.solver, row.threads) == (scene, ENGINE, solver, threads)]
        return found[0].work_per_simulated_second if found else None

    comparisons = []
    for scene in PAPER_SCENES:
        work = own(scene)
        peers = [row for row in rows if row.scene == scene and row.engine != ENGINE and row.steps_per_second == 240]
        if work and peers:
            fastest = min(peers, key=lambda row: row.work_per_simulated_second)
            ratio = work / fastest.work_per_simulated_second
            name = f"{scene}: time / that of the fastest peer at 1/240 s ({fastest.engine})"
            comparisons.append(Comparison(name, ratio, "<= 0.85", ratio <= 0.85))
    tower, field = own("tower_rest"), own("field_2000")
    if tower:
        ratio = PAPER_WORK / tower
        comparisons.append(Comparison("tower_rest: times faster than the paper's code", ratio, ">= 1000", ratio >= 1000))
    if tower and field:
        blocks = {row.scene: row.blocks for row in rows}
        ratio = (field / blocks["field_2000"]) / (tower / blocks["tower_rest"])
        comparisons.append(Comparison("field_2000: time a block / that of tower_rest", ratio, "<= 1.5", ratio <= 1.5))
    one, two = own(BATCH), own(BATCH, threads=2)
    if one and two:
        comparisons.append(Comparison(f"{BATCH}: speed of 2 threads / 1 thread", one / two, ">= 1.8", one / two >= 1.8))
    return comparisons
