"""`anastylosis simulate`: play episodes, write what happened."""

import dataclasses
import json
import sys
import time
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
    jobs = [(level, index) for level in configs for index in range(episodes or usual_episodes)]
    begin = time.perf_counter()
    claim_folder(dataset, configs, seed)
    rows = []
    with show_progress() as progress:
        for number, (level, index) in enumerate(jobs):
            name = f"{level}_exp_{index:04d}"
            if not is_written(dataset, name):
                progress(f"episode {number + 1} of {len(jobs)}: {name}")
                write_episode(run_episode(configs[level], episode_seed(seed, index)), dataset, name)
            rows.append(summarise(dataset, name))
    seconds = time.perf_counter() - begin
    collapsed = sum(row["collapsed"] for row in rows)
    if as_json:
        print_json({"episodes": len(rows), "collapsed": collapsed, "seconds": seconds})
        return
    print_rows(rows)
    print(f"{len(rows)} episodes, {collapsed} collapsed, {seconds:.1f} s, in {dataset}", file=sys.stderr)


def parse_friction(words: str) -> dict[str, float]:
    """Names and values of the levels in a list such as `low,0.33`."""
    from anastylosis.episode import FRICTION_LEVELS

    levels = {}
    for word in (part.strip() for part in words.split(",")):
        try:
            value = FRICTION_LEVELS.get(word) or float(word)
        except ValueError:
            names = ", ".join(FRICTION_LEVELS)
            raise InvalidInput(f"--friction has {word!r}; use {names} or numbers, with commas between") from None
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
    for level in wanted.keys() & found.keys():
        if found[level] != wanted[level]:
            raise InvalidInput(
                f"{dataset} holds {level!r} episodes made with another version, seed or setting; name another folder"
            )
    write_manifest(dataset, found | wanted)


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
        "seconds": document["seconds"],
        "fingerprint": document["fingerprint"],
    }
