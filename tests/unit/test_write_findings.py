"""`tools/write_findings.py`: the page is what the committed numbers say, and its sentences follow the numbers."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image


@pytest.fixture
def tool(open_tool) -> SimpleNamespace:
    return open_tool("write_findings")


def between(value: float | None, low: float | None, high: float | None) -> dict[str, float | None]:
    return {"value": value, "low": low, "high": high}


def make_numbers(sign: float = 1.0) -> dict[str, Any]:
    """Findings that are all as the paper says, or with -1 all the other way round."""
    clear = between(sign * 0.5, *sorted((sign * 0.4, sign * 0.6)))
    correlations = (
        "num_removed: said and true", "imbalance: said and true", "torque_risk: said and true", "torque and count: said",
        "torque and count: true", "torque: said and true, beyond the count said", "count and dispersal: said",
        "count and dispersal: true", "num_removed: said and true, beyond friction", "torque and count: said, beyond friction",
        "torque and count: true, beyond friction",
    )  # fmt: skip
    contrasts = [f"{what}, {part}" for part in ("all layers", "layers that fell")
                 for what in ("lower half - upper half", "side - centre")]  # fmt: skip
    far, near = between(0.3, 0.28, 0.32), between(0.2, 0.18, 0.22)
    return {
        "version": "0.1.0",
        "model": {"file": "m.onnx", "kind": "picture_net", "preset": "fast", "size": 128, "embedding": 128},
        "learned_from": {"episodes": {"train": 1234, "val": 100}},
        "dataset": "games",
        "episode": "low_exp_0001",
        "episodes": 100,
        "towers": 50,
        "epochs": 30,
        "correlations": dict.fromkeys(correlations, clear),
        "places": {f"{what}: {name}": clear for what in contrasts for name in ("true", "said")},
        "areas": dict.fromkeys(
            ("auc", "auc_standing", "auc_collapsed", "auc_within_collapsed"),
            between(0.5 + sign / 4, 0.45 + sign / 4, 0.55 + sign / 4),
        ),
        "dispersal": {"low": far, "high": near} if sign > 0 else {"low": near, "high": far},
        "neighbours": {"friction": clear, "dispersal": between(0.9, 0.8, 0.95)},
        "calibration": {"all": {"slots": 5400, "error": between(0.02, 0.01, 0.03)}},
        "map_agreement": 0.8,
        "silhouette": {
            "value": sign * 0.4, "chance_low": -0.01, "chance_high": 0.01, "p": 0.002, "episodes": 100,
            "verdict": "separate" if sign > 0 else "mixed",
        },
        "saliency": {name: {"on_blocks": 0.8, "places_with_blocks": 0.1} for name in ("count", "slots")},
        "filters": {"count": 32, "oriented": 30 if sign > 0 else 1, "chance": 0.05},
        "left_out": {},
    }  # fmt: skip


def test_the_page_is_current(tool: SimpleNamespace) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page == tool.render_page(page, tool.read_numbers()), "run `make format` to write it anew"


def test_sentences_follow_the_numbers(tool: SimpleNamespace) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    said = {sign: tool.render_page(page, make_numbers(sign)) for sign in (1.0, -1.0)}
    for yes, no in (
        ("separate? They do.**", "separate? They do not.**"),
        ("more compact than at low friction, as the paper says", "the reverse of what the paper says"),
        ("Lower blocks are gone, in truth: more often", "Lower blocks are gone, in truth: less often"),
        ("they grow together, ρ = 0.50 (0.40 to 0.60)", "they go against each other, ρ = -0.50 (-0.60 to -0.40)"),
        ("layers that fell it is better than a guess", "layers that fell it is worse than a guess"),
        ("30, far more than chance", "1, no more than chance"),
    ):
        assert yes in said[1.0]
        assert yes not in said[-1.0]
        assert no in said[-1.0]
        assert no not in said[1.0]
    assert "Most is known of the dispersal." in said[1.0]
    assert "learned from 1,234 collapses" in said[1.0]
    assert tool.NOT_YET.strip() not in said[1.0]


def test_what_cannot_be_told_is_not_told(tool: SimpleNamespace) -> None:
    assert "no relation that could not be chance" in tool.tell_relation(between(0.1, -0.1, 0.3))
    assert "one of them does not change" in tool.tell_relation(between(None, None, None))
    assert tool.tell_often(between(0.1, -0.1, 0.3)) == "no difference that could not be chance"
    numbers = make_numbers()
    for name in ("silhouette", "filters", "epochs"):
        del numbers[name]
    numbers["saliency"]["count"]["on_blocks"] = None
    page = tool.render_page(tool.PAGE.read_text(encoding="utf-8"), numbers)
    assert page.count("this was left out") == 2
    assert "the answer does not come from the picture" in page


def test_numbers_and_figures_are_taken_from_a_run(tool: SimpleNamespace, tmp_path: Path) -> None:
    run, docs = tmp_path / "run", tmp_path / "docs"
    run.mkdir()
    docs.mkdir()
    (run / "findings.json").write_text(json.dumps(make_numbers()), encoding="utf-8")
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(run / "explain.png")
    (docs / "learned-filters.png").write_bytes(b"of another model")
    tool.take_from(run, tmp_path / "new" / "findings.json", docs)
    assert tool.read_numbers(tmp_path / "new" / "findings.json") == make_numbers()
    assert [path.name for path in docs.iterdir()] == ["learned-explain.png"]
    page = tool.render_page(tool.PAGE.read_text(encoding="utf-8"), make_numbers(), docs)
    assert "](learned-explain.png)" in page
    assert "](learned-filters.png)" not in page


def test_without_numbers_the_page_says_so(tool: SimpleNamespace, tmp_path: Path) -> None:
    page = tool.render_page(tool.PAGE.read_text(encoding="utf-8"), tool.read_numbers(tmp_path / "none.json"), tmp_path)
    assert page.count(tool.NOT_YET.strip()) == len(tool.PARTS)
    assert "](learned-" not in page
