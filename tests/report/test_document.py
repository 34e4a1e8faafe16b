"""Annotations that cannot be drawn are refused by the name of the field; one that was written is not."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anastylosis.episode.annotation import annotate
from anastylosis.errors import InvalidInput
from anastylosis.report import GalleryFile
from anastylosis.report.document import DOCUMENT, check_document
from support.games import STANDS, played
from support.played_datasets import write_dataset


@pytest.fixture(scope="module")
def written() -> str:
    return json.dumps(annotate(played()))


def put(document: Any, path: str, value: Any) -> Any:
    """The document with one field changed, or without it (...)."""
    document = copy.deepcopy(document)
    at, (*names, last) = document, [int(name) if name.isdecimal() else name for name in path.split(".")]
    for name in names:
        at = at[name]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return document


def test_episodes_that_were_played_can_be_drawn(written: str) -> None:
    check_document(json.loads(written))
    check_document(json.loads(json.dumps(annotate(played(layers=4, seed=STANDS)))))


@pytest.mark.parametrize("name", DOCUMENT)
@pytest.mark.parametrize("value", [..., None, "words", -1.5, [None], {"a": 1}], ids=repr)
def test_every_field_is_looked_at(written: str, name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=name):
        check_document(put(json.loads(written), name, value))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("sizes", [[0.1, 0.1, 0.1]], "not three numbers for each of 18 blocks"),
        ("sizes.3", [0.1, 0.1], "not three numbers"),
        ("sizes.3.1", "wide", r"sizes\[3\]\[1\] is not a number"),
        ("sizes.3.1", -0.1, "is -0.1 m; it must be above 0"),
        ("sizes.3.1", float("nan"), r"sizes\[3\]\[1\] is not a number within 1e\+09"),
        ("sizes.3.1", 10**400, "within 1e"),
        ("sizes.3.1", True, "not a number"),
        ("blocks", [], "blocks are none"),
        ("blocks.1", "L00_0", "two have one name"),
        ("config.layers", 10**400, r"config\.layers is not a whole number within"),
        ("config.layers", True, "not a whole number"),
        ("config.engine.timestep", 0, "not above 0"),
        ("config.engine", ..., "engine is missing in config"),
        ("collapse_time", None, "collapse_time is not a number"),
        ("rounds.0.removed_block", "L99_9", "'L99_9', not one of L00_0, L00_1"),
        ("rounds.0.axis", "z", "'z', not one of x, y"),
        ("rounds.0.outcome", "lost", "'lost', not one of out"),
        ("rounds.0.forces.1", None, r"rounds\[0\]\.forces\[1\] is not a number"),
    ],
)
def test_what_is_refused(written: str, path: str, value: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check_document(put(json.loads(written), path, value))


def test_the_episode_that_cannot_be_drawn_is_named(tmp_path: Path) -> None:
    write_dataset(tmp_path, replace(played(), collapse_time=float("nan")))
    shots = list(GalleryFile.draw_all(GalleryFile.plan(tmp_path, tmp_path, videos=True, size=240, look="wood"), workers=1))
    assert [shot.name for shot in shots] == 2 * ["nominal_exp_0000"]
    assert {shot.trouble for shot in shots} == {
        f"collapse_time is not a number; delete its files in {tmp_path}, and simulate again"
    }
    assert not (tmp_path / "frames").exists()
    assert not (tmp_path / "videos").exists()
