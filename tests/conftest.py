"""Shared by all tests: where the project is, its command line, and how hypothesis searches."""

import os
import runpy
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from anastylosis import cli

# Two workers share two cores: threads of OpenMP beside them (torch, scikit-learn, OpenBLAS) only wait for each other, spinning.
# Before any of these is loaded, and for all processes that tests start.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
# The same examples in every run, so that a red test is the change's fault; look further, at random, with
# `pytest tests/property --hypothesis-profile=explore`.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=150, database=None)
settings.register_profile("explore", deadline=None, max_examples=5000)
settings.load_profile("repeatable")
# Hypothesis also tries numbers that it finds in the modules loaded so far: other examples with every edit anywhere, and with
# every order in which workers take the tests. Without them a run is repeatable again.
providers._get_local_constants = lambda: providers._local_constants
# A shell that runs the tests in the background has them ignore Ctrl-C, and all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def project() -> Path:
    return Path(__file__).parents[1]


@pytest.fixture
def open_tool(project: Path, monkeypatch) -> Callable[[str], SimpleNamespace]:
    """What a script of tools/ defines, by its name; it may import its neighbours."""
    monkeypatch.syspath_prepend(project / "tools")
    return lambda name: SimpleNamespace(**runpy.run_path(str(project / "tools" / f"{name}.py")))


@pytest.fixture
def call_main(monkeypatch) -> Callable[[str], int]:
    """`anastylosis` in this process: takes the words of a command line, gives the exit code."""

    def call(line: str) -> int:
        monkeypatch.setattr(sys, "argv", ["anastylosis", *line.split()])
        with pytest.raises(SystemExit) as leaving:
            cli.main()
        return leaving.value.code or 0

    return call


@pytest.fixture(scope="session")
def debris(tmp_path_factory) -> Path:
    """A dataset to learn from: 12 collapses in `train`, 8 in `val`, 8 in `test`, of four and five layers, and 2 of six layers in
    `test-tall`; one tower, in `train`, did not fall. Drawn pictures are kept in it; nothing else may be changed."""
    from support.games import STANDS, fallen, played
    from support.played_datasets import write_dataset

    heights, splits = (4, 5) * 14 + (6, 6), ["train"] * 12 + ["val"] * 8 + ["test"] * 8 + ["test-tall"] * 2
    folder = tmp_path_factory.mktemp("datasets") / "debris"
    return write_dataset(folder, *fallen(*heights), played(4, STANDS), shard=16, split=[*splits, "train"])


@pytest.fixture(scope="session")
def two_levels(tmp_path_factory) -> Path:
    """A dataset of two levels of friction, three games each, towers of five layers. Nothing in it may be changed."""
    from anastylosis.dataset import Plan, friction_levels, generate

    folder = tmp_path_factory.mktemp("datasets") / "two-levels"
    for _ in generate(folder, Plan(levels=friction_levels([(0.25, 0.25), (0.4, 0.4)], 3, layers=5))):
        pass
    return folder
