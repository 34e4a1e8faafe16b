"""Open one Parquet file of a shard, checked before it is read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anastylosis.dataset.schema import TABLES, arrow_schema
from anastylosis.errors import InvalidInput

__all__ = ["open_shard", "read_rows"]

FILE_MAX = 10**9  # bytes of a shard's file, on disk and unpacked


@contextmanager
def open_shard(path: Path, table: str, columns: Sequence[str] | None = None) -> Iterator[pq.ParquetFile]:
    """Open a file of a table, checked before it is read. An error that comes while it is read names the file.

    With `columns`, a file that has these is enough.
    """
    try:
        size = path.stat().st_size
        with pq.ParquetFile(path, page_checksum_verification=True) as shard:
            groups = (shard.metadata.row_group(number) for number in range(shard.num_row_groups))
            if max(size, sum(group.total_byte_size for group in groups)) > FILE_MAX:
                raise InvalidInput(f"it has more than {FILE_MAX:,} bytes")
            found, wanted = shard.schema_arrow, arrow_schema(TABLES[table])
            if not (has_fields(found, wanted, columns) if columns else found.equals(wanted)):
                raise InvalidInput("its columns are not those of this version")
            yield shard
    except (ValueError, pa.ArrowException, OSError) as error:  # ValueError: names that are not text, and InvalidInput
        if isinstance(error, OSError) and error.errno is not None:  # of the system; the file is not to blame
            raise
        raise InvalidInput(f"{path} cannot be read: {error}; delete it, and simulate again") from error


def has_fields(found: pa.Schema, wanted: pa.Schema, names: Sequence[str]) -> bool:
    """Return whether a schema has fields of these names, once each, of the wanted types."""
    return all(
        len(found.get_all_field_indices(name)) == 1 and found.field(name).type == wanted.field(name).type for name in names
    )


def read_rows(path: Path, table: str, columns: Sequence[str]) -> pa.Table:
    """Read these columns of a single file that has rows like those of a table."""
    if not path.is_file():
        raise InvalidInput(f"{path} is not a file; name a Parquet file with rows like those of the table of {table}")
    with open_shard(path, table, columns) as shard:
        return shard.read(columns=list(columns))
