"""`anastylosis simulate`: play episodes, write what happened."""

import dataclasses
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis import __version__
from anastylosis.cli.progress import show_progress
from anastylosis.cli.table import print_json, print_rows
from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.episode import EpisodeConfig

__all__ = ["simulate_command"]

SEED_MAX = 2**32 - 1  # one word of a SeedSequence: beyond it the pairs (seed, index) are not all different

# What fits a terminal; `ending` says whether the tower collapsed, and the fingerprint is for files and pipes.
COLUMNS = ("episode", "ending", "pulls", "stuck", "removed", "on_floor", "simulated_seconds")


class Preset(StrEnum):
    """Named sets of options."""

    default = "default"
    paper = "paper"
    demo = "demo"


# What a preset says where the user does not: layers, episodes a friction, frictions.
PRESETS = {
    Preset.default: (18, 1, "nominal"),
    Preset.paper: (18, 150, "low,nominal,high"),
    Preset.demo: (6, 20, "low,nominal,high"),
}


def simulate_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder to write to; made if it is not there.")],
    preset: Annotated[
        Preset, typer.Option(help="paper: its solver, waits and 3 x 150 episodes of 18 layers; demo: 3 x 20 of 6 layers.")
    ] = Preset.default,
    episodes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Episodes at each friction; 1, or as the preset says.")
    ] = None,
    layers: Annotated[
        int | None, typer.Option(metavar="N", help="Layers of the tower, 3 or more; 18, or as the preset says.")
    ] = None,
    friction: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="low (0.25), nominal (0.40), high (0.60) or numbers, with commas between; nominal, or as the preset says.",
        ),
    ] = None,
    policy: Annotated[str, typer.Option(metavar="NAME", help="Who plays: random, careful or greedy-side.")] = "random",
    rule: Annotated[str, typer.Option(metavar="RULE", help="take: blocks are taken away; stack: they go on top.")] = "take",
    vary: Annotated[bool, typer.Option("--vary", help="Blocks that differ in size, mass, friction and place.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=SEED_MAX, metavar="S", help="Same seed, same episodes.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Play episodes and keep what happened. JSON (annotation) and NPZ (frames) each; what is there is not played again."""
    from anastylosis.episode import run_episode
    from anastylosis.episode.files import is_written, write_episode
    from anastylosis.episode.play import episode_seed

    usual_layers, usual_episodes, usual_friction = PRESETS[preset]
    levels = parse_friction(usual_friction if friction is None else friction)
    height = usual_layers if layers is None else layers
    configs = {
        level: build_config(preset, friction=value, layers=height, policy=policy, rule=rule, vary=vary)
        for level, value in levels.items()
    }
    jobs = {f"{level}_exp_{index:04d}": (level, index) for level in configs for index in range(episodes or usual_episodes)}
    begin = time.perf_counter()
    with write_errors(dataset):
        claim_folder(dataset, configs, seed)
    rows, played = [], 0
    try:
        with show_progress() as progress:
            for number, (name, (level, index)) in enumerate(jobs.items(), 1):
                if not is_written(dataset, name):
                    progress(f"episode {number} of {len(jobs)}: {name}")
                    episode = run_episode(configs[level], episode_seed(seed, index))
                    with write_errors(dataset):
                        write_episode(episode, dataset, name)
                    played += 1
                rows.append(summarise(dataset, name))
    except KeyboardInterrupt:
        there = sum(is_written(dataset, name) for name in jobs)
        print(
            f"{there} of {count(len(jobs))} {'is' if there == 1 else 'are'} in {dataset}; the same command goes on",
            file=sys.stderr,
        )
        raise
    seconds = time.perf_counter() - begin
    collapsed = sum(row["collapsed"] for row in rows)
    if as_json:
        print_json({"episodes": len(rows), "played": played, "collapsed": collapsed, "seconds": seconds})
        return
    print_rows(rows, headings={"simulated_seconds": "simulated s"}, columns=COLUMNS, decimals={"simulated_seconds": 2})
    there = len(rows) - played
    before = f" ({there} {'was' if there == 1 else 'were'} there)" if there else ""
    print(f"{count(len(rows))}{before}, {collapsed} collapsed, {seconds:.1f} s, in {dataset}", file=sys.stderr)


def count(episodes: int) -> str:
    """`1 episode`, `2 episodes`."""
    return f"{episodes} episode{'' if episodes == 1 else 's'}"


@contextmanager
def write_errors(dataset: Path) -> Iterator[None]:
    """What the system says of a folder that cannot be written to, with the folder's name and without a number."""
    try:
        if dataset.is_file():
            raise InvalidInput(f"{dataset} is a file; name a folder")
        yield
    except OSError as error:
        raise OSError(f"cannot write to {dataset}: {(error.strerror or str(error)).lower()}") from error


def parse_friction(words: str) -> dict[str, float]:
    """Names and values of the levels in a list such as `low,0.33`."""
    from anastylosis.episode import FRICTION_LEVELS

    levels: dict[str, float] = {}
    words_of: dict[float, str] = {}
    for word in (part.strip() for part in words.split(",")):
        try:
            value = FRICTION_LEVELS.get(word) or float(word)
        except ValueError:
            names = ", ".join(FRICTION_LEVELS)
            raise InvalidInput(f"--friction has {word!r}; use {names} or numbers, with commas between") from None
        if value in words_of:
            raise InvalidInput(f"--friction has {value:g} twice, as {words_of[value]!r} and {word!r}; name each once")
        words_of[value] = word
        levels[word if word in FRICTION_LEVELS else f"mu{value}"] = value
    return levels


def build_config(preset: Preset, *, vary: bool, **options: object) -> "EpisodeConfig":
    """The configuration of one friction level."""
    from anastylosis.episode import default_episode, learning_variation, paper_episode

    build = paper_episode if preset is Preset.paper else default_episode
    return build(**options, **({"variation": learning_variation()} if vary else {}))


def claim_folder(dataset: Path, configs: dict[str, "EpisodeConfig"], seed: int) -> None:
    """Make the folder and note how its episodes are made; refuse one whose episodes were made otherwise."""
    from anastylosis.episode.files import read_manifest, write_manifest

    wanted = {level: describe(config, seed) for level, config in configs.items()}
    found = read_manifest(dataset)
    for level in wanted:
        if level in found and found[level] != wanted[level]:
            difference = tell_difference(found[level], wanted[level])
            raise InvalidInput(f"{dataset} holds {level!r} episodes with {difference}; name another folder")
    write_manifest(dataset, found | wanted)


def tell_difference(found: Any, wanted: Any) -> str:
    """The first thing in which two descriptions differ: `layers 8, not 7`."""
    was, now = flatten(found), flatten(wanted)
    name = next(name for name in (now | was) if was.get(name) != now.get(name))
    return f"{name} {was.get(name)}, not {now.get(name)}"


def flatten(description: dict[str, Any], within: str = "") -> dict[str, Any]:
    """The same without levels; what is in the configuration goes by its own name, what is deeper as `engine.solver`."""
    flat: dict[str, Any] = {}
    for name, value in description.items():
        if isinstance(value, dict):
            flat |= flatten(value, "" if name == "config" else f"{within}{name}.")
        else:
            flat[f"{within}{name}"] = value
    return flat


def describe(config: "EpisodeConfig", seed: int) -> Any:
    """All that decides what the episodes of a level are, as JSON reads it back."""
    return json.loads(json.dumps({"version": __version__, "seed": seed, "config": dataclasses.asdict(config)}))


def summarise(dataset: Path, name: str) -> dict[str, Any]:
    """The row of an episode."""
    from anastylosis.episode.files import read_annotation

    document = read_annotation(dataset, name)
    outcomes = [played["outcome"] for played in document["rounds"]]
    return {
        "episode": name,
        "ending": document["ending"],
        "collapsed": document["collapsed"],
        "pulls": len(outcomes),
        "stuck": outcomes.count("stuck"),
        "removed": document["labels"]["removed_count"],
        "on_floor": document["labels"]["blocks_on_floor"],
        "simulated_seconds": document["seconds"],
        "fingerprint": document["fingerprint"],
    }
