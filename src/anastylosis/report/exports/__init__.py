"""Exports: a dataset as files for other programs. A new format is one file here and one line in `FORMATS`.

A format takes the folder of the dataset, the folder to write to and the settings, and yields its progress. What is there
already is kept, and files of another dataset are refused.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from anastylosis.report.exports.huggingface import export_huggingface
from anastylosis.report.exports.paper import export_experiments
from anastylosis.report.exports.progress import ExportProgress, ExportSettings
from anastylosis.report.exports.surveys import export_surveys
from anastylosis.report.exports.tables import export_csv

__all__ = ["FORMATS", "ExportSettings", "export_csv", "export_surveys"]

Format = Callable[[Path, Path, ExportSettings], Iterator[ExportProgress]]

FORMATS: Mapping[str, Format] = {"paper": export_experiments, "huggingface": export_huggingface}
