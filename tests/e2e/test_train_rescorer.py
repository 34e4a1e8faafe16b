"""`anastylosis train detector --net rescorer` as a user meets it: it collects proposals, keeps them, and goes on with them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anastylosis.detection.nets import RescorerModel
from anastylosis.training.detection.config import DETECTOR_PRESETS, rescorer_config


@pytest.fixture
def train(call_main, capsys, monkeypatch, debris: Path):
    """`anastylosis train detector DEBRIS --net rescorer ...` of a few scenes; gives the exit code, stdout and stderr."""
    monkeypatch.setattr("anastylosis.training.loop.count_cores", lambda: 1)
    monkeypatch.setitem(
        DETECTOR_PRESETS, "rescorer", lambda: replace(rescorer_config(), pictures=4, validation_pictures=4, epochs=1)
    )

    def call(words: str) -> tuple[int, str, str]:
        code = call_main(f"train detector {debris} --net rescorer {words}")
        return code, *capsys.readouterr()

    return call


@pytest.mark.slow
def test_a_rescorer_is_trained_on_proposals_of_the_shipped_nets_and_goes_on(train, tmp_path: Path) -> None:
    out = tmp_path / "rescorer.onnx"
    code, printed, _ = train(f"--out {out} --json")
    assert code == 0
    assert json.loads(printed)["kind"] == "rescorer"
    card = RescorerModel.from_file(out).card
    assert {"vote_net", "slot_classifier", "refiner"} <= set(card.dataset)  # signed: it belongs to these
    caches = sorted((tmp_path / "rescorer.run" / "proposals").rglob("*.npz"))
    assert [path.parent.name for path in caches] == ["train", "val"]
    first = [path.stat().st_mtime_ns for path in caches]
    more = tmp_path / "more.onnx"
    assert train(f"--out {more} --start {out} --rate 1e-5")[0] == 0  # goes on with a file
    code, _, said = train(f"--out {out} --seed 1")  # proposals were made with another seed
    assert code == 2
    assert "holds proposals or detections of another training" in said
    assert [path.stat().st_mtime_ns for path in caches] == first
