"""`anastylosis verify`: exit codes, streams, and what it says."""

import json
from pathlib import Path

import pytest

from support.games import STANDS, played
from support.played_datasets import write_dataset


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "games", played(4, STANDS), played(4, 2, rounds=0), shard=1)


@pytest.fixture
def verify(call_main, capsys):
    """`anastylosis verify ...`; gives the exit code, stdout and stderr."""

    def call(words: object) -> tuple[int, str, str]:
        return call_main(f"verify {words}"), *capsys.readouterr()

    return call


def test_all_well(verify, dataset: Path) -> None:
    code, out, err = verify(dataset)
    assert (code, out) == (0, "")
    assert err.splitlines()[-2:] == ["2 of 2 episodes, 0 findings", f"2 episodes in {dataset}: all well"]
    code, out, _ = verify(f"{dataset} --json")
    assert (code, json.loads(out)) == (0, {"passed": True, "episodes": 2, "findings": []})


def test_what_is_broken_is_named_with_what_to_do(verify, dataset: Path) -> None:
    file = "trajectories/nominal_000001-000001.parquet"
    (dataset / file).write_bytes(b"")
    code, out, err = verify(dataset)
    assert (code, out) == (1, f"{file}: its SHA-256 is not the one in the manifest; delete it, and simulate again\n")
    assert err.splitlines()[-1] == f"2 episodes in {dataset}: 1 finding"
    code, out, _ = verify(f"{dataset} --json")
    document = json.loads(out)
    assert (code, document["passed"]) == (1, False)
    (finding,) = document["findings"]
    assert finding == {
        "file": file,
        "problem": "its SHA-256 is not the one in the manifest",
        "remedy": "delete it, and simulate again",
    }


def test_a_dataset_without_an_episode(verify, dataset: Path) -> None:
    for path in dataset.glob("*/*.parquet"):
        path.unlink()
    document = json.loads((dataset / "manifest.json").read_text())
    (dataset / "manifest.json").write_text(json.dumps(document | {"files": {}}))
    code, out, _ = verify(dataset)
    assert (code, out) == (1, "manifest.json: 0 of 2 episodes of 'nominal' are there; `anastylosis simulate` goes on\n")


@pytest.mark.parametrize("manifest", [None, "{}", "[]", "not JSON", '{"schema": 1}', '{"schema": 2, "levels": 3}'])
def test_what_is_not_a_dataset(verify, tmp_path: Path, manifest: str | None) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    code, out, err = verify(f"{tmp_path} --json")
    assert (code, out) == (2, "")
    assert str(tmp_path) in err
    assert len(err.splitlines()) == 1
