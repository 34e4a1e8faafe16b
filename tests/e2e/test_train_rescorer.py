"""`anastylosis train detector --net rescorer` as a user meets it: it collects proposals, keeps them, and goes on with them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anastylosis.detection.nets import RescorerModel
from anastylosis.training.detection.config import DETECTOR_PRESETS, rescorer_config


@pytest.fixture
def train(call_main, capsys, monkeypatch, debris: Path):
    """`anastylosis train detector DEBRIS --net rescorer ...` of a few looks; gives the exit code, stdout and stderr."""
    monkeypatch.setattr("anastylosis.training.loop.count_cores", lambda: 1)
    monkeypatch.setitem(DETECTOR_PRESETS, "jury", lambda: replace(rescorer_config(), pictures=4, judged=4, epochs=1))

    def call(words: str) -> tuple[int, str, str]:
        code = call_main(f"train detector {debris} --net rescorer {words}")
        return code, *capsys.readouterr()

    return call


@pytest.mark.slow
def test_a_jury_hears_the_nets_that_ship_and_goes_on(train, tmp_path: Path) -> None:
    out = tmp_path / "jury.onnx"
    code, printed, _ = train(f"--out {out} --json")
    assert code == 0
    assert json.loads(printed)["kind"] == "jury"
    card = RescorerModel.from_file(out).card
    assert {"finder", "reader", "judge"} <= set(card.dataset)  # signed: it belongs to these
    looks = sorted((tmp_path / "jury.run" / "proposals").rglob("*.npz"))
    assert [path.parent.name for path in looks] == ["train", "val"]
    first = [path.stat().st_mtime_ns for path in looks]
    more = tmp_path / "more.onnx"
    assert train(f"--out {more} --start {out} --rate 1e-5")[0] == 0  # goes on with a file
    code, _, said = train(f"--out {out} --seed 1")  # looks were taken with another seed
    assert code == 2
    assert "holds looks for another training" in said
    assert [path.stat().st_mtime_ns for path in looks] == first
