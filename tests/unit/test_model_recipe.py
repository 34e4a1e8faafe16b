"""`make model`: every command of it is one that the program takes, with nets that earlier commands have made."""

import shlex
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from anastylosis.cli import app
from anastylosis.models.shipped import ASSIGNER
from support.recipes import list_recipe

SHIPPED = {
    "picture_net.onnx",
    "assignment_net.onnx",
    "vote_net.onnx",
    "slot_classifier.onnx",
    "refiner.onnx",
    "rescorer.onnx",
    ASSIGNER,
}


@pytest.fixture(scope="module")
def commands(project: Path) -> list[list[str]]:
    lines = list_recipe(project, "model", "OUT=trial", "EPISODES=100", "EPOCHS=1")
    words = [shlex.split(line) for line in lines if line.startswith(".venv/bin/anastylosis ")]
    return [line[1:] for line in words if line[1] != "doctor"]


def test_its_commands_are_taken(commands: list[list[str]]) -> None:
    group = typer.main.get_command(app)
    for name, *words in commands:
        context = group.make_context("anastylosis", [name], resilient_parsing=True)
        command = group.get_command(context, name)
        assert command is not None, name
        own = type(context)(command, info_name=name)
        command.make_parser(own).parse_args(list(words))  # refuses options that it does not know
    assert [name for name, *_ in commands] == ["simulate", *2 * ["train"], "evaluate", "simulate", *5 * ["train"], "evaluate"]


def test_it_makes_every_net_that_ships_and_uses_none_before_it_is_made(commands: list[list[str]]) -> None:
    made: set[str] = set()
    for _, *words in commands:
        options = dict(pairwise(words))
        for option in ("--vote-net", "--start", "--with"):
            assert option not in options or options[option] in made
        made |= {options["--out"]} if options.get("--out", "").endswith(".onnx") else set()
    assert {Path(each).name for each in made} == SHIPPED
    assert all(each.startswith("trial/") for each in made)
