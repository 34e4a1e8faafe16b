"""Parquet: one file of a shard, checked before it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anastylosis.dataset.schema import TABLES, arrow_schema
from anastylosis.errors import InvalidInput

__all__ = ["open_shard"]

FILE_MAX = 10**9  # bytes of a shard's file, on disk and unpacked


@contextmanager
def open_shard(path: Path, table: str) -> Iterator[pq.ParquetFile]:
    """A file of a table, checked before it is read; an error that comes while it is read names the file."""
    try:
        size = path.stat().st_size
        with pq.ParquetFile(path, page_checksum_verification=True) as shard:
            groups = (shard.metadata.row_group(number) for number in range(shard.num_row_groups))
            if max(size, sum(group.total_byte_size for group in groups)) > FILE_MAX:
                raise InvalidInput(f"it has more than {FILE_MAX:,} bytes")
            if not shard.schema_arrow.equals(arrow_schema(TABLES[table])):
                raise InvalidInput("its columns are not those of this version")
            yield shard
    except (ValueError, pa.ArrowException, OSError) as error:  # ValueError: names that are not text, and InvalidInput
        if isinstance(error, PermissionError):
            raise
        raise InvalidInput(f"{path} cannot be read: {error}; delete it, and simulate again") from error
