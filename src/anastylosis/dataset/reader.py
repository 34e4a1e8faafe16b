"""Dataset: what is finished, read table by table or episode by episode. A file on disk may say anything."""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anastylosis.dataset.manifest import Manifest, read_manifest
from anastylosis.dataset.parquet import open_shard
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.store import ShardPlace, list_places
from anastylosis.dataset.tables import build_document, build_frames, name_episode
from anastylosis.episode import EpisodeFrames
from anastylosis.errors import InvalidInput

__all__ = ["Dataset"]


class Dataset:
    """A dataset to read from; what is written after it was opened is not seen."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest: Manifest = read_manifest(self.folder)
        levels = list(self.manifest.levels)
        known = [place for place in list_places(self.folder) if place.level in levels]
        self.places = sorted(known, key=lambda place: (levels.index(place.level), place.runs))
        if not self.places:
            raise InvalidInput(f"{self.folder} holds no episodes yet; run `anastylosis simulate` on it")

    @cached_property
    def shards(self) -> dict[str, ShardPlace]:
        """Where each episode is; level by level, in the order of the manifest."""
        levels = list(self.manifest.levels)
        there = sorted((levels.index(place.level), index, place) for place in self.places for index in place.indices)
        return {name_episode(place.level, index): place for _, index, place in there}

    @property
    def names(self) -> list[str]:
        """Every episode, in the same order."""
        return list(self.shards)

    @property
    def missing(self) -> int:
        """Episodes that the manifest names and that are not there, whole."""
        return sum(self.manifest.episodes.values()) - len(self.names)

    def read(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows of `episodes`, `rounds` or `trajectories`; only these columns, if named. In the order of `names`."""
        if table not in TABLES:
            raise InvalidInput(f"there is no table {table!r}; choose one of {', '.join(TABLES)}")
        unknown = sorted(set(columns or ()) - set(TABLES[table]))
        if unknown:
            raise InvalidInput(f"{table} has no column {', '.join(unknown)}")
        mixed = self.names != [name for place in self.places for name in place.names]  # shards with gaps, and others in them
        wanted = columns if columns is None or not mixed else list(dict.fromkeys([*columns, "episode"]))
        parts = []
        for place in self.places:
            with open_shard(self.folder / place.path(table), table) as shard:
                parts.append(shard.read(columns=wanted))
        rows = pa.concat_tables(parts)
        if not mixed:
            return rows
        order = pc.index_in(rows["episode"], pa.array(self.names)).to_numpy()
        return rows.take(np.argsort(order, kind="stable")).select(columns or rows.column_names)

    def document(self, name: str) -> dict[str, Any]:
        """The annotation of an episode."""
        place, _ = self._find(name)
        return self.documents(place, [name])[name]

    def documents(self, place: ShardPlace, names: Collection[str]) -> dict[str, dict[str, Any]]:
        """The annotations of these episodes of a shard, by name; its files are read once."""
        rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for table in ("episodes", "rounds"):
            with open_shard(self.folder / place.path(table), table) as shard:
                there = shard.read()
                for row in there.filter(pc.is_in(there["episode"], pa.array(names))).to_pylist():
                    rows.setdefault((table, row["episode"]), []).append(row)
        for name in names:
            if len(rows.get(("episodes", name), ())) != 1:
                raise InvalidInput(f"{self.folder / place.path('episodes')} does not hold {name} once; run `anastylosis verify`")
        return {name: build_document(rows["episodes", name][0], rows.get(("rounds", name), [])) for name in names}

    def episode(self, name: str) -> tuple[dict[str, Any], EpisodeFrames]:
        """The annotation of an episode, and its frames."""
        place, index = self._find(name)
        document = self.document(name)
        with open_shard(self.folder / place.path("trajectories"), "trajectories") as shard:
            if shard.num_row_groups != len(place.indices):
                raise InvalidInput(f"it holds {shard.num_row_groups} episodes, not {len(place.indices)}")
            rows = shard.read_row_group(place.indices.index(index))
            if set(rows.column("episode").unique().to_pylist()) != {name}:
                raise InvalidInput(f"its frames are not those of {name}")
            return document, build_frames(rows, len(document["blocks"]))

    def _find(self, name: str) -> tuple[ShardPlace, int]:
        if name not in self.shards:
            raise InvalidInput(f"{self.folder} has no episode {name!r}; they are named like {self.names[0]}")
        return self.shards[name], int(name.rpartition("_")[2])
