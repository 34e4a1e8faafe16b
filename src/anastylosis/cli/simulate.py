"""`anastylosis simulate`: play episodes, and keep them in a dataset."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.progress import show_count
from anastylosis.cli.table import print_json, print_rows
from anastylosis.cli.words import count
from anastylosis.errors import InvalidInput
from anastylosis.machine import count_cores
from anastylosis.number import SEED_MAX

if TYPE_CHECKING:
    from anastylosis.dataset import Dataset, Plan


class SimulationPreset(StrEnum):
    """Named sets of options."""

    default = "default"
    paper = "paper"
    demo = "demo"
    learn = "learn"
    sizes = "sizes"


class Engine(StrEnum):
    """Place where jobs run: this machine or a Dask cluster."""

    local = "local"
    dask = "dask"


class SimulationDevice(StrEnum):
    """Device that steps the worlds."""

    cpu = "cpu"
    cuda = "cuda"
    auto = "auto"


def simulate_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder to write to; created if missing.")],
    preset: Annotated[
        SimulationPreset,
        typer.Option(
            metavar="NAME",
            help="default: one episode of 18 layers; paper: the paper's 3 x 150 episodes; demo: 3 x 20 of 6 layers; "
            "learn: the training mix, 6000 episodes, and five test splits outside the range of the mix; "
            "sizes: the same mix, each tower with blocks of its own size.",
        ),
    ] = SimulationPreset.default,
    episodes: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Episodes at each friction, or of the mix (default: the preset's)."),
    ] = None,
    layers: Annotated[
        int | None, typer.Option(metavar="N", help="Layers of the tower, 3 or more (default: the preset's).")
    ] = None,
    friction: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Frictions, separated by commas: low (0.25), nominal (0.40), high (0.60), numbers or ranges (0.2..0.7) "
            "(default: the preset's).",
        ),
    ] = None,
    policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="Policy that chooses the pulls: random (default), careful or greedy-side.")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(metavar="RULE", help="Rule for pulled blocks. take (default): they are taken away; stack: they go on top."),
    ] = None,
    vary: Annotated[bool, typer.Option("--vary", help="Vary the blocks in size, mass, friction and position.")] = False,
    solver: Annotated[
        str, typer.Option(metavar="NAME", help="Solver: ours, or paper: the paper's solver and waits, five times slower.")
    ] = "ours",
    seed: Annotated[
        int, typer.Option(min=0, max=SEED_MAX, metavar="S", help="Random seed; the same seed gives the same episodes.")
    ] = 0,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Play only episodes of these splits, separated by commas: train, val, test (default: all). The preset learn has "
            "test-tall, test-slippery, test-rough, test-greedy and test-shop, for other heights, frictions, policies and blocks.",
        ),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Worker processes (default: one per core).")] = None,
    engine: Annotated[
        Engine, typer.Option(metavar="NAME", help="Where jobs run: local, or dask, a cluster (extra `cluster`).")
    ] = Engine.local,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address of a Dask scheduler, tcp://HOST:PORT (default: start a cluster here)."),
    ] = None,
    device: Annotated[
        SimulationDevice,
        typer.Option(
            metavar="NAME", help="Device. cpu; cuda: a GPU (extra `gpu`), in this process; auto: a GPU if there is one."
        ),
    ] = SimulationDevice.cpu,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Play episodes and keep them in a dataset. Finished episodes are kept: run the same command again to resume."""
    from anastylosis.dataset import Dataset, Plan, generate, list_levels

    if scheduler is not None and engine is not Engine.dask:
        raise InvalidInput("--scheduler is for --engine dask; add that, or leave it out")
    chosen = choose_device(device)
    if chosen == "cuda" and (workers is not None or engine is not Engine.local):
        raise InvalidInput("--workers and --engine are for --device cpu; a GPU is used by one process, so leave them out")
    levels = list_levels(
        preset, episodes, layers=layers, friction=friction, policy=policy, rule=rule, vary=vary, solver=solver
    )  # fmt: skip
    plan = Plan(levels=levels, seed=seed, splits=tuple(word.strip() for word in split.split(",")) if split else ())
    begin = time.perf_counter()
    execute = choose_executor(engine, workers or count_cores(), scheduler)
    with write_errors(dataset), show_count("episodes") as show:
        try:
            with closing(generate(dataset, plan, execute, device=chosen)) as made:
                for progress in made:
                    new = f" of {progress.played} new ones" if progress.kept else ""
                    show(progress.kept + progress.played, progress.total, f"{progress.collapsed}{new} collapsed")
        except KeyboardInterrupt:
            print_unfinished(dataset, plan)
            raise
    rows, seconds = list_rows(Dataset(dataset), plan), time.perf_counter() - begin
    collapsed = sum(row["collapsed"] for row in rows)
    if as_json:
        document = {"episodes": progress.total, "played": progress.played, "collapsed": collapsed}
        print_json(document | {"seconds": seconds, "work_seconds": progress.seconds, "levels": rows})
        return
    print_rows(rows, headings={"rounds_mean": "mean rounds"}, decimals={"rounds_mean": 2})
    kept = f" ({progress.kept} {'was' if progress.kept == 1 else 'were'} there)" if progress.kept else ""
    print(f"{count(progress.total, 'episode')}{kept}, {collapsed} collapsed, {seconds:.1f} s, in {dataset}", file=sys.stderr)


def choose_executor(engine: Engine, workers: int, scheduler: str | None) -> Callable[..., Iterator[Any]]:
    """Choose the executor that runs the jobs."""
    from anastylosis.executors import run_cluster, run_pool, run_serial

    if engine is Engine.dask:
        return partial(run_cluster, workers=workers, scheduler=scheduler)
    return run_serial if workers == 1 else partial(run_pool, workers=workers)


def choose_device(device: SimulationDevice) -> str:
    """Return cpu or cuda; raise when a GPU is asked for and cannot be used. Makes no CUDA context."""
    from anastylosis.gpu import reason_without_gpu, refuse_without_gpu

    if device is SimulationDevice.cuda:
        refuse_without_gpu()
    if device is SimulationDevice.auto:
        missing = reason_without_gpu()
        print(f"on the CPU: {missing}" if missing else "on the GPU", file=sys.stderr)
        return "cpu" if missing else "cuda"
    return device.value


@contextmanager
def write_errors(dataset: Path) -> Iterator[None]:
    """Turn write errors of the system into a message with the folder's name and without an error number."""
    try:
        if dataset.is_file():
            raise InvalidInput(f"{dataset} is a file; name a folder")
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        begun = (dataset / "episodes").is_dir()
        rest = "; what is finished is kept, and the same command goes on" if begun else ""
        raise OSError(f"cannot write to {dataset}: {reason}{rest}") from error


def print_unfinished(dataset: Path, plan: "Plan") -> None:
    """Print how many episodes of the plan are there, after Ctrl-C."""
    there = plan.count_finished(dataset)
    verb = "is" if there == 1 else "are"
    print(f"{there} of {count(plan.episodes, 'episode')} {verb} in {dataset}; the same command goes on", file=sys.stderr)


def list_rows(dataset: "Dataset", plan: "Plan") -> list[dict[str, Any]]:
    """List the finished episodes of the plan, level by level; `anastylosis summary` defines a round. Where only
    some splits were asked for: all that are there."""
    from anastylosis.report import read_games

    rows = []
    wanted = {level.name: level.episodes for level in plan.levels}
    for games in read_games(dataset):
        asked = slice(0, None if plan.splits else wanted.get(games.level, 0))  # of more that are there, the first
        fell, rounds = games.fell[asked], games.per_episode(games.free)[asked]
        if len(fell):
            row = {"level": games.level, "episodes": len(fell), "collapsed": int(fell.sum())}
            rows.append(row | {"rounds_mean": float(rounds.mean())})
    return rows
