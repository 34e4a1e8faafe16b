"""Open one Parquet file of a shard, checked before it is read: a few bytes may stand for gigabytes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anastylosis.dataset.schema import TABLES, TEXT, arrow_schema
from anastylosis.errors import InvalidInput

FILE_MAX = 10**9  # bytes of a shard's file, on disk, encoded and decoded
WORDS_MAX = 10**8  # bytes of the words of a column in a row group, encoded
CELL_MAX = 100_000  # bytes of a word; settings of an episode have some 3,000
ROWS_MAX = {"episodes": 1, "rounds": 10_000, "trajectories": 100_000}  # of an episode; frames: an hour
SINGLE_ROWS_MAX = 1_000_000  # of a file whose name says nothing of its rows
WIDTHS = {
    "BOOLEAN": 1,
    "INT32": 4,
    "FLOAT": 4,
    "INT64": 8,
    "DOUBLE": 8,
    "BYTE_ARRAY": 4,
}  # bytes of a value; of a word: its number


class ShardFile:
    """An opened file of a table. What is read was measured before."""

    def __init__(self, plain: pq.ParquetFile, words: pq.ParquetFile) -> None:
        """`words`: the same file, opened so that a word that comes often is decoded once."""
        self.plain, self.words = plain, words
        self.num_row_groups: int = plain.num_row_groups
        self.schema: pa.Schema = plain.schema_arrow

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Read all rows of these columns; None: of all."""
        for number in range(self.num_row_groups):
            self.measure_words(number, columns)
        return self.plain.read(columns=None if columns is None else list(columns))

    def read_row_group(self, number: int, use_threads: bool = True) -> pa.Table:
        self.measure_words(number)
        return self.plain.read_row_group(number, use_threads=use_threads)

    def measure_words(self, number: int, columns: Sequence[str] | None = None) -> None:
        """Raise where the words of a row group are too long, or too many for their length."""
        wanted = [name for name in columns or self.schema.names if holds_words(self.schema.field(name).type)]
        total = 0
        for column in self.words.read_row_group(number, columns=wanted, use_threads=False).columns if wanted else ():
            for chunk in column.chunks:
                while pa.types.is_list(chunk.type):
                    chunk = chunk.flatten()
                longest = pc.max(pc.binary_length(chunk.dictionary)).as_py() or 0
                if longest > CELL_MAX:
                    raise InvalidInput(f"a cell of it has {longest:,} bytes, and none has more than {CELL_MAX:,}")
                total += longest * len(chunk)
        if total > FILE_MAX:
            raise InvalidInput(f"its words may take {total:,} bytes, and {FILE_MAX:,} are read at most")


@contextmanager
def open_shard(path: Path, table: str, columns: Sequence[str] | None = None, episodes: int | None = None) -> Iterator[ShardFile]:
    """Open a file of a table, checked before it is read. An error that comes while it is read names the file.

    With `columns`, a file that has these is enough. `episodes`: as many as the name of the file says.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise InvalidInput("it is no regular file")
        size, wanted = path.stat().st_size, arrow_schema(TABLES[table])
        rows = SINGLE_ROWS_MAX if episodes is None else episodes * ROWS_MAX[table]
        with (
            path.open("rb") as file,  # opened here: Arrow takes no names that are not UTF-8
            path.open("rb") as again,
            pq.ParquetFile(file, page_checksum_verification=True) as plain,
        ):
            found, metadata = plain.schema_arrow, plain.metadata
            if not (has_fields(found, wanted, columns) if columns else found.equals(wanted)):
                raise InvalidInput("its columns are not those of this version")
            check_size(metadata, size, rows)
            words = [name for name in list_leaves(metadata) if holds_words(found.field(name.partition(".")[0]).type)]
            with pq.ParquetFile(again, metadata=metadata, read_dictionary=words, page_checksum_verification=True) as once:
                yield ShardFile(plain, once)
    except (ValueError, pa.ArrowException, OSError) as error:  # ValueError: names that are not text, and InvalidInput
        if isinstance(error, OSError) and error.errno is not None:  # of the system; the file is not to blame
            raise
        said = " ".join(str(error).split())
        raise InvalidInput(f"{path} cannot be read: {said}; delete it, and simulate again") from error


def check_size(metadata: pq.FileMetaData, size: int, rows: int) -> None:
    """Raise unless a file of so many bytes is small by what it says of itself: its rows, encoded bytes and decoded values."""
    if metadata.num_rows > rows:
        raise InvalidInput(f"it has {metadata.num_rows:,} rows, and no more than {rows:,} belong there")
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    encoded = sum(max(group.total_byte_size, 0) for group in groups)
    decoded = sum(chunk.num_values * WIDTHS.get(chunk.physical_type, FILE_MAX) for chunk in chunks)
    if max(size, encoded, decoded) > FILE_MAX or min((chunk.num_values for chunk in chunks), default=0) < 0:
        raise InvalidInput(f"it has more than {FILE_MAX:,} bytes")
    words = max((chunk.total_uncompressed_size for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"), default=0)
    if words > WORDS_MAX:
        raise InvalidInput(f"its words have {words:,} bytes, and {WORDS_MAX:,} are read at most")


def list_leaves(metadata: pq.FileMetaData) -> list[str]:
    """List the columns by the names that Parquet has for them."""
    return [metadata.schema.column(number).path for number in range(metadata.num_columns)]


def holds_words(kind: pa.DataType) -> bool:
    """Return whether a column has words, perhaps in lists."""
    while pa.types.is_list(kind):
        kind = kind.value_type
    return bool(kind == TEXT)


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
