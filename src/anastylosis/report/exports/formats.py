"""Formats of `anastylosis export`, by name."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from anastylosis.report.exports.huggingface import export_huggingface
from anastylosis.report.exports.paper import export_experiments
from anastylosis.report.exports.progress import ExportProgress, ExportSettings

Format = Callable[[Path, Path, ExportSettings], Iterator[ExportProgress]]

FORMATS: Mapping[str, Format] = {"paper": export_experiments, "huggingface": export_huggingface}
