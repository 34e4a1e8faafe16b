"""Explanation: figures and numbers of what a model has learned, from its answers to the test split. Paper §10.

Imports matplotlib; only its command imports this.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from matplotlib.figure import Figure

from anastylosis import __version__
from anastylosis.errors import InvalidInput
from anastylosis.models import measure_filters
from anastylosis.report.dashboard import clean_name
from anastylosis.report.explanation_pages.filters import draw_filters
from anastylosis.report.explanation_pages.heat import draw_heat_page
from anastylosis.report.explanation_pages.learning import draw_learning
from anastylosis.report.explanation_pages.overview import draw_overview
from anastylosis.report.explanation_pages.reliability import draw_reliability
from anastylosis.report.explanation_pages.saliency import draw_saliency
from anastylosis.report.figure_page import write_figure
from anastylosis.validation import Insight, PaperFindings, Saliency
from anastylosis.whole_file import write_whole

FINDINGS = "findings.json"
NO_EMBEDDING = "the model has no embedding"
SAME_EMBEDDING = "the embedding is the same for every picture"
FEW_EPISODES = "too few episodes for a map"
NO_SKLEARN = "scikit-learn is not installed: pip install 'anastylosis[train]'"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Files and numbers that were written."""

    STEPS: ClassVar = ("numbers", "explain", "heatmap", "reliability", "saliency", "learning", "filters")

    files: dict[str, Path]  # name -> file
    findings: dict[str, Any]
    left_out: dict[str, str]  # what the model cannot have, and why

    @classmethod
    def write(
        cls, insight: Insight, model: Path, dataset: str, out: Path, progress: Callable[[str], None] | None = None
    ) -> "Explanation":
        """Draw every figure that the model can have into the folder `out`, and write the numbers beside them."""
        if out.exists() and not out.is_dir():
            raise InvalidInput(f"{out} is a file; --out is a folder")
        out.mkdir(parents=True, exist_ok=True)
        show = progress or (lambda step: None)
        findings = PaperFindings.measure(insight)
        numbers: dict[str, Any] = describe(insight, model, dataset) | findings.to_json()
        left_out: dict[str, str] = {}
        files: dict[str, Path] = {}
        show("numbers")

        def write_page(which: str, figure: Figure) -> None:
            files[which] = out / f"{which}.png"
            write_figure(figure, files[which])
            show(which)

        def leave_out(which: str, why: str) -> None:
            left_out[which] = why
            show(f"{which}, left out")

        name = clean_name(model.name)
        about = f"{name}, {findings.episodes:,} test episodes of {clean_name(dataset)}"
        write_page("explain", draw_with_map(insight, findings, f"What the model learned: {about}", left_out))
        write_page("heatmap", draw_heat_page(insight, findings, f"Which blocks were gone: {about}"))
        write_page("reliability", draw_reliability(findings, f"Can its probabilities be believed? {about}"))
        saliency = Saliency.measure(insight)
        numbers["saliency"] = saliency.to_json()
        write_page("saliency", draw_saliency(insight, saliency, f"Where the answer comes from: {name}"))
        history = insight.model.history
        if history:
            write_page("learning", draw_learning(history, f"How it learned: {name}"))
            numbers["epochs"] = len(history)
        else:
            leave_out("learning", "the model has no history of a training by epochs")
        filters = measure_filters(model)
        if filters is None:
            leave_out("filters", "the model has no filters that look at the picture")
        else:
            kernels, orientation, chance = filters
            write_page("filters", draw_filters(kernels, orientation, chance, f"The first {len(kernels)} filters: {name}"))
            numbers["filters"] = {"count": len(kernels), "oriented": int((orientation > chance).sum()), "chance": 0.05}
        numbers["left_out"] = left_out
        files["findings"] = out / FINDINGS
        with write_whole(files["findings"]) as part:
            part.write_text(json.dumps(numbers, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
        return cls(files=files, findings=numbers, left_out=left_out)


def describe(insight: Insight, model: Path, dataset: str) -> dict[str, Any]:
    """Describe the model, the dataset and the episode behind the numbers."""
    card = insight.model.card
    width = None if insight.answers.embedding is None else int(insight.answers.embedding.shape[1])
    return {
        "version": __version__,
        "model": {"file": model.name, "kind": card.kind, "preset": card.preset, "size": card.size, "embedding": width},
        "learned_from": card.dataset,
        "dataset": dataset,
        "episode": str(insight.examples.name[insight.row]),
    }


def draw_with_map(insight: Insight, findings: PaperFindings, title: str, left_out: dict[str, str]) -> Figure:
    """Draw the paper's figure; note in `left_out` why there is no map of the embedding, if there is none."""
    places, why = None, ""
    if insight.answers.embedding is None:
        why = NO_EMBEDDING
    elif findings.separation is None:
        why = SAME_EMBEDDING
    elif find_spec("sklearn") is None:
        why = NO_SKLEARN
    else:
        places = insight.map_embedding()
        why = FEW_EPISODES
    if places is None:
        left_out["embedding"] = why
    return draw_overview(insight, findings, places, title, why_no_map=why)
