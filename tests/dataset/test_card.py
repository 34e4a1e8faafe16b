"""The card of a dataset: what it says, when it is written, and whose README it leaves alone."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from anastylosis.dataset import Plan
from anastylosis.dataset.card import CARD, OURS, describe_dataset
from anastylosis.dataset.level import Player
from anastylosis.dataset.manifest import MANIFEST, plan_manifest
from anastylosis.dataset.preset import friction_levels, learn_levels
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.store import open_writer
from support.games import STANDS, played
from support.played_datasets import write_dataset

LEARN = plan_manifest(Plan(levels=learn_levels(6000)), "c0de")
SOME = Counter({("learn", "train", True): 4700, ("learn", "val", True): 700, ("learn", "test", True): 590,
                ("learn", "test", False): 10, ("tall", "test-tall", True): 150})  # fmt: skip


def test_levels_and_splits_are_counted() -> None:
    lines = describe_dataset(LEARN, SOME).splitlines()
    assert (
        "| `learn` | 6,000 | 5,990 | 0.2 to 0.7 | 18 (50 %); 6 to 17, 19 to 24 (2.8 % each) "
        "| random, take; careful, take; random, stack | differ |"
    ) in lines
    assert "| `tall` | 150 of 200 | 150 | 0.2 to 0.7 | 30 | random, take; careful, take; random, stack | differ |" in lines
    assert any(line.startswith("6,150 of 7,000 episodes; it is not finished.") for line in lines)
    start = lines.index("| split | episodes | for |") + 2
    splits = [tuple(line.strip("| ").split(" | ")[:2]) for line in lines[start : start + 4]]
    assert splits == [("`train`", "4,700"), ("`val`", "700"), ("`test`", "600"), ("`test-tall`", "150")]


def test_what_is_drawn_is_told() -> None:
    players = (Player(policy="random", weight=3.0), Player(policy="careful", rule="stack"))
    level = replace(friction_levels([(0.33, 0.33)], 5, 6)[0], players=players)
    card = describe_dataset(plan_manifest(Plan(levels=(level,), seed=7), "c0de"), Counter({("mu0.33", "train", False): 5}))
    assert "| `mu0.33` | 5 | 0 | 0.33 | 6 | random, take (75 %); careful, stack (25 %) | alike |" in card.splitlines()
    assert "\n5 episodes. In each" in card
    assert "| seed | 7 |" in card
    assert "| code | `c0de`, " in card


def test_every_column_is_there_with_its_unit_and_meaning() -> None:
    lines = describe_dataset(LEARN, SOME).splitlines()
    for columns in TABLES.values():
        for name, column in columns.items():
            assert any(
                line.startswith(f"| `{name}` | ") and line.endswith(f" | {column.unit} | {column.meaning} |") for line in lines
            )


def test_the_hash_is_over_the_hashes_of_all_files(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "games", played(4, STANDS))
    files = json.loads((folder / MANIFEST).read_text())["files"]
    lines = [f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}\n" for path in sorted(files)]
    assert len(lines) == 3
    assert f"| hash | `{hashlib.sha256(''.join(lines).encode()).hexdigest()}` |" in (folder / CARD).read_text()


def test_it_is_written_with_the_dataset_and_anew_when_that_changes(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "games", played(4, STANDS))
    card = (folder / CARD).read_text()
    assert card.splitlines()[0] == "---"
    assert "license: cc-by-4.0" in card
    assert "| `nominal` | 1 | 0 | 0.4 | 6 | random, take | alike |" in card
    before = (folder / CARD).stat().st_mtime_ns
    write_dataset(folder, played(4, STANDS))
    assert (folder / CARD).stat().st_mtime_ns == before  # it says the same
    with open_writer(folder, plan_manifest(Plan(levels=friction_levels([(0.4, 0.4)], 9, 6), shard=1), "of tests")):
        pass
    assert "| `nominal` | 1 of 9 | 0 |" in (folder / CARD).read_text()


@pytest.mark.parametrize("text", ["# My project\n", b"\xff\xfe not text"])
def test_a_readme_of_the_user_is_left_alone(tmp_path: Path, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    (tmp_path / CARD).write_bytes(data)
    write_dataset(tmp_path, played(4, STANDS))
    assert (tmp_path / CARD).read_bytes() == data


def test_a_card_without_our_line_is_the_users(tmp_path: Path) -> None:
    write_dataset(tmp_path, played(4, STANDS))
    mine = (tmp_path / CARD).read_text().replace(OURS, "").replace("cc-by-4.0", "cc0-1.0")
    (tmp_path / CARD).write_text(mine)
    write_dataset(tmp_path, played(4, STANDS))
    assert (tmp_path / CARD).read_text() == mine
