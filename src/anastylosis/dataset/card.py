"""The README.md of a dataset: what is in it, how it was made, how to read it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anastylosis.dataset.manifest import Manifest
from anastylosis.dataset.parquet import open_shard
from anastylosis.dataset.plan import describe_runs, find_runs
from anastylosis.dataset.schema import TABLES, TableColumn
from anastylosis.whole_file import write_whole

CARD = "README.md"
OURS = "<!-- Written by `anastylosis simulate`, which writes it anew. Delete this line to keep a text of your own. -->"
HEAD = 4096  # letters in which that line is looked for
ROWS = {"episodes": "an episode", "rounds": "a round: one pull", "trajectories": "a frame"}

Counts = Counter[tuple[str, str, bool]]  # episodes of each level, split, and whether the tower fell
HEADER = f"""\
---
license: cc-by-4.0
pretty_name: Collapsed block towers
tags: [physics, rigid bodies, inverse problem, jenga]
configs:
- config_name: episodes
  data_files: "episodes/*.parquet"
  default: true
- config_name: rounds
  data_files: "rounds/*.parquet"
- config_name: trajectories
  data_files: "trajectories/*.parquet"
---
{OURS}
"""
INTRODUCTION = """\
# Collapsed block towers

{state}. In each, blocks are pulled out of a tower, one after the other, through friction, until
it falls or no pull is left. Kept are every pull with its forces, every block in every frame, how the tower stood just before
the fatal pull, and how the debris lies. All of it is simulated, by a rigid-body engine whose proof and known limits are in the
documentation of Anastylosis.

Licence: the data are under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/): use them for anything, and say where they
come from. The program that made them is under the MIT licence.
"""
LEVELS_NOTE = """\
A level is a group of episodes that are drawn alike. Friction, layers and player are drawn for each episode, by its own seed.
Players: who chooses the block, and whether it is taken away (take) or goes on top (stack). Blocks differ in size, mass, friction
and place, or are alike. All other settings are in `manifest.json`, and those of each episode in its column `config`."""
SPLITS_NOTE = """\
`train`, `val` and `test` by the seed of an episode, before anything was looked at; other splits are whole levels.
Episode *i* has the same seed, and so the same dice, at all levels of one stream, and another one at those of another."""
ORIGIN = """\
## How it was made

By `anastylosis simulate`. Episode *i* of a level has a seed that is drawn from the dataset's seed, *i* and the level's stream,
and all that happens in it follows from that seed and the settings of its level: the same version makes it again, with any
number of workers."""
HASH_NOTE = """\
The hash is over the SHA-256 of every file, as listed in `manifest.json`. `anastylosis verify` checks each of them, and that every
episode is the one that was played."""
READING = """\
## How to read it

```python
import pyarrow.parquet as pq

episodes = pq.read_table("episodes")
```

```python
import polars as pl

rounds = pl.read_parquet("rounds/*.parquet")
```

```sql
-- DuckDB
SELECT level, count(*) AS episodes, avg(collapsed::INT) AS fell FROM 'episodes/*.parquet' GROUP BY level;
```

With Anastylosis: `anastylosis.dataset.Dataset(folder)` is a sequence of samples with pictures, poses and labels, and gives tables
and single episodes, checked as they are read."""
COLUMNS_NOTE = """\
SI units. Lists have one item a block, in the order of `blocks`; what is gone, or does not apply, is null
(a number may have a value for "none", which its line names). Quaternions are
w, x, y, z. The unit and the meaning of a column are in its metadata in every file, too."""


def write_card(folder: Path, manifest: Manifest, episodes: Iterable[str]) -> None:
    """Write the card of a dataset, or replace it by one that says something else; a README of the user is left alone."""
    path = folder / CARD
    there = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
    if there is not None and OURS not in there[:HEAD]:
        return
    text = describe_dataset(manifest, count_episodes(folder, episodes))
    if text != there:
        with write_whole(path) as part:
            part.write_text(text, encoding="utf-8")


def count_episodes(folder: Path, paths: Iterable[str]) -> Counts:
    """Count the episodes in the files of the table `episodes`."""
    counts: Counts = Counter()
    for path in paths:
        with open_shard(folder / path, "episodes") as shard:
            rows = shard.read(columns=["level", "split", "collapsed"]).to_pylist()
        counts.update((str(row["level"]), str(row["split"]), bool(row["collapsed"])) for row in rows)
    return counts


def describe_dataset(manifest: Manifest, counts: Counts) -> str:
    """Return the text of the card."""
    there, planned = counts.total(), sum(manifest.episodes.values())
    state = f"{there:,} episodes" if there == planned else f"{there:,} of {planned:,} episodes; it is not finished"
    parts = [HEADER, INTRODUCTION.format(state=state), describe_levels(manifest, counts), describe_splits(counts)]
    parts += [describe_origin(manifest), READING, "## Columns", COLUMNS_NOTE]
    parts += [describe_table(name, TABLES[name]) for name in ROWS]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def describe_levels(manifest: Manifest, counts: Counts) -> str:
    """Return a table with one row a level: what its episodes are drawn from, and how many fell."""
    rows = []
    for name, level in manifest.levels.items():
        there = sum(number for (each, _, _), number in counts.items() if each == name)
        fell = sum(number for (each, _, collapsed), number in counts.items() if each == name and collapsed)
        wanted = level["episodes"]
        number = f"{there:,}" if there == wanted else f"{there:,} of {wanted:,}"
        drawn = [describe(level) for describe in (describe_friction, describe_layers, describe_players, describe_blocks)]
        rows.append([f"`{name}`", number, f"{fell:,}", *drawn])
    heading = ["level", "episodes", "collapsed", "friction", "layers", "players", "blocks"]
    return f"## Levels\n\n{LEVELS_NOTE}\n\n{tabulate_text(heading, rows)}"


def describe_splits(counts: Counts) -> str:
    """Return a table with the number of episodes of each split."""
    sizes: Counter[str] = Counter()
    for (_, split, _), number in counts.items():
        sizes[split] += number
    known = {"train": "to learn from", "val": "to choose by", "test": "to judge on, at the end, once"}
    order = [*(split for split in known if split in sizes), *sorted(sizes.keys() - known)]
    rows = [[f"`{split}`", f"{sizes[split]:,}", known.get(split, "to judge on: out of the range of `train`")] for split in order]
    return f"## Splits\n\n{SPLITS_NOTE}\n\n{tabulate_text(['split', 'episodes', 'for'], rows)}"


def describe_origin(manifest: Manifest) -> str:
    """Describe how a dataset was made, and the fingerprint that identifies it."""
    rows = [
        ["version", f"Anastylosis {manifest.version}"],
        ["code", f"`{manifest.code}`, a hash of the sources that decide what happens in an episode"],
        ["seed", str(manifest.seed)],
        ["schema", str(manifest.schema)],
        ["files", f"{len(manifest.files):,}"],
        ["hash", f"`{manifest.fingerprint}`"],
    ]
    return f"{ORIGIN}\n\n{tabulate_text(['', ''], rows)}\n\n{HASH_NOTE}"


def describe_table(name: str, columns: Mapping[str, TableColumn]) -> str:
    """Return the columns of a table."""
    rows = [
        [f"`{each}`", str(column.type).replace("element: ", ""), column.unit, column.meaning] for each, column in columns.items()
    ]
    return f"### `{name}`\n\nOne row is {ROWS[name]}.\n\n{tabulate_text(['column', 'type', 'unit', 'meaning'], rows)}"


def describe_friction(level: Mapping[str, Any]) -> str:
    low, high = level["friction"]
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def describe_layers(level: Mapping[str, Any]) -> str:
    """Write heights with the same share together: `18 (50 %); 6 to 17, 19 to 24 (2.8 % each)`."""
    total = sum(weight for _, weight in level["layers"])
    by_weight: dict[float, list[int]] = {}
    for height, weight in level["layers"]:
        by_weight.setdefault(weight, []).append(height)
    groups = []
    for weight, heights in by_weight.items():
        runs = describe_runs(tuple(find_runs(sorted(heights))))
        each = " each" if len(heights) > 1 else ""
        groups.append(f"{runs} ({100 * weight / total:.2g} %{each})" if len(by_weight) > 1 else runs)
    return "; ".join(groups)


def describe_players(level: Mapping[str, Any]) -> str:
    """Write who plays, by which rule, with shares where they differ."""
    weights = [player["weight"] for player in level["players"]]
    players = []
    for player, weight in zip(level["players"], weights, strict=True):
        share = f" ({100 * weight / sum(weights):.2g} %)" if len(set(weights)) > 1 else ""
        players.append(f"{player['policy']}, {player['rule']}{share}")
    return "; ".join(players)


def describe_blocks(level: Mapping[str, Any]) -> str:
    variation = level["config"].get("variation")
    differ = isinstance(variation, dict) and any(variation.get(name) for name in ("friction", "mass", "tolerance", "jitter"))
    return "differ" if differ else "alike"


def tabulate_text(heading: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
