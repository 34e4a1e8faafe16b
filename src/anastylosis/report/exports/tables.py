"""Tables of a dataset as CSV: rounds.csv and episodes.csv, without the columns that hold lists."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

from anastylosis.dataset import Dataset, table_schema
from anastylosis.whole_file import write_whole

__all__ = ["export_csv"]

LEFT_OUT = ("config",)  # beside lists: a document of its own


def export_csv(folder: Path | str, out: Path) -> list[Path]:
    """Write `rounds.csv` and `episodes.csv`: every column but lists and `config`."""
    dataset = Dataset(folder)
    out.mkdir(parents=True, exist_ok=True)
    return [write_csv(dataset, table, out / f"{table}.csv") for table in ("rounds", "episodes")]


def write_csv(dataset: Dataset, table: str, path: Path) -> Path:
    """Write one table without its lists."""
    kept = [column for column in table_schema(table) if not pa.types.is_list(column.type) and column.name not in LEFT_OUT]
    schema = pa.schema([(column.name, column.type) for column in kept])
    rows = dataset.read(table, schema.names).cast(schema)
    with write_whole(path) as part:
        pa_csv.write_csv(rows, part)
    return path
