"""A dataset on disk, read sample by sample, table by table or episode by episode. A file on disk may say anything."""

import operator
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anastylosis.dataset.manifest import Manifest, read_manifest
from anastylosis.dataset.parquet import open_shard
from anastylosis.dataset.sample import Sample
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.store import ShardPlace, list_places
from anastylosis.dataset.tables import build_document, build_frames, level_of, name_episode
from anastylosis.episode import EpisodeFrames
from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.dataset.torch_samples import TorchSamples
    from anastylosis.rendering import Camera, Look

PICTURES = "pictures"  # folder of a dataset in which drawn pictures are kept


class Dataset:
    """The finished episodes of a folder. What is written after it was opened is not seen.

    `len(dataset)`, `dataset[3]`, `dataset[-1]`, `dataset["low_exp_0001"]`, `dataset[:10]`, `for sample in dataset`: samples in
    the order of `names`.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest: Manifest = read_manifest(self.folder)
        levels = list(self.manifest.levels)
        known = [place for place in list_places(self.folder) if place.level in levels]
        self.places = sorted(known, key=lambda place: (levels.index(place.level), place.runs))
        if not self.places:
            raise InvalidInput(f"{self.folder} holds no episodes yet; run `anastylosis simulate` on it")

    @property
    def cache(self) -> Path:
        """The folder in which drawn pictures are kept."""
        return self.folder / PICTURES

    def __repr__(self) -> str:
        return f"Dataset({str(self.folder)!r}: {len(self):,} episodes)"

    def __len__(self) -> int:
        return len(self.shards)

    def __iter__(self) -> Iterator[Sample]:
        return (Sample(self, name) for name in self.names)

    @overload
    def __getitem__(self, which: SupportsIndex | str) -> Sample: ...
    @overload
    def __getitem__(self, which: slice) -> list[Sample]: ...
    def __getitem__(self, which: SupportsIndex | str | slice) -> Sample | list[Sample]:
        """Return a sample by its number or its name, or a list of samples by a slice."""
        if isinstance(which, slice):
            return [Sample(self, name) for name in self.names[which]]
        if isinstance(which, str):
            self._find(which)
            return Sample(self, which)
        index = operator.index(which)
        if not -len(self) <= index < len(self):
            raise IndexError(f"sample {index} of {self.folder} is asked for, and there are {len(self):,}")
        return Sample(self, self.names[index])

    def as_torch(
        self, split: str | None = None, *, size: int = 128, camera: "Camera | None" = None, look: "Look | str" = "wood"
    ) -> "TorchSamples":
        """Return the samples, or those of a split, as a map-style torch dataset for a `DataLoader`: dicts of tensors.

        Pictures have `size` pixels a side, or the size of the `camera`; they are drawn when an item is asked for. Needs torch.
        """
        from anastylosis.dataset.torch_samples import TorchSamples

        return TorchSamples(self, split, size=size, camera=camera, look=look)

    @cached_property
    def shards(self) -> dict[str, ShardPlace]:
        """The shard of each episode; level by level, in the order of the manifest."""
        levels = list(self.manifest.levels)
        there = sorted((levels.index(place.level), index, place) for place in self.places for index in place.indices)
        return {name_episode(place.level, index): place for _, index, place in there}

    @cached_property
    def names(self) -> list[str]:
        """Names of all episodes, level by level, in the order of the manifest."""
        return list(self.shards)

    @cached_property
    def splits(self) -> dict[str, list[str]]:
        """Names of the episodes of each split."""
        rows = self.read("episodes", ("episode", "split"))
        splits: dict[str, list[str]] = {}
        for name, split in zip(rows["episode"].to_pylist(), rows["split"].to_pylist(), strict=True):
            splits.setdefault(str(split), []).append(name)
        return splits

    @property
    def missing(self) -> int:
        """The number of episodes that the manifest asks for and that are not there, whole."""
        return sum(self.manifest.episodes.values()) - len(self.names)

    def identify(self, name: str) -> str:
        """Return a short hash of all that decides what the episodes of an episode's level are."""
        return self.manifest.identify(level_of(name))

    def read(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read all rows of `episodes`, `rounds` or `trajectories`; only these columns, if named. In the order of `names`."""
        if table not in TABLES:
            raise InvalidInput(f"there is no table {table!r}; choose one of {', '.join(TABLES)}")
        unknown = sorted(set(columns or ()) - set(TABLES[table]))
        if unknown:
            raise InvalidInput(f"{table} has no column {', '.join(unknown)}")
        mixed = self.names != [name for place in self.places for name in place.names]  # shards with gaps, and others in them
        wanted = columns if columns is None or not mixed else list(dict.fromkeys([*columns, "episode"]))
        parts = []
        for place in self.places:
            with open_shard(self.folder / place.path(table), table, episodes=len(place.indices)) as shard:
                parts.append(shard.read(columns=wanted))
        rows = pa.concat_tables(parts)
        if not mixed:
            return rows
        order = pc.index_in(rows["episode"], pa.array(self.names)).to_numpy()
        return rows.take(np.argsort(order, kind="stable")).select(columns or rows.column_names)

    def document(self, name: str) -> dict[str, Any]:
        """Read the annotation of an episode."""
        return build_document(self.read_row(name), self._read_group(name, "rounds").to_pylist())

    def read_row(self, name: str) -> dict[str, Any]:
        """Read the row of an episode in the table of episodes."""
        rows: list[dict[str, Any]] = self._read_group(name, "episodes").to_pylist()
        if len(rows) != 1:
            raise self.explain_broken(name, f"it does not hold {name} once")
        return rows[0]

    def read_frames(self, name: str, blocks: int) -> EpisodeFrames:
        """Read the frames of an episode of so many blocks."""
        place, index = self._find(name)
        with open_shard(self.folder / place.path("trajectories"), "trajectories", episodes=len(place.indices)) as shard:
            if shard.num_row_groups != len(place.indices):
                raise InvalidInput(f"it holds {shard.num_row_groups} episodes, not {len(place.indices)}")
            rows = shard.read_row_group(place.indices.index(index))
            if set(rows.column("episode").unique().to_pylist()) != {name}:
                raise InvalidInput(f"its frames are not those of {name}")
            return build_frames(rows, blocks)

    def _read_group(self, name: str, table: str) -> pa.Table:
        """Read the rows of an episode: its own row group, or those of its name where groups are laid otherwise."""
        place, index = self._find(name)
        with open_shard(self.folder / place.path(table), table, episodes=len(place.indices)) as shard:
            if shard.num_row_groups == len(place.indices):
                rows = shard.read_row_group(place.indices.index(index), use_threads=False)
                if rows.column("episode").unique().to_pylist() == [name]:
                    return rows
            rows = shard.read()
            return rows.filter(pc.equal(rows["episode"], name))

    def explain_broken(self, name: str, problem: str) -> InvalidInput:
        """Return the error of a row that is not as it should be, with its file and what to run."""
        place, _ = self._find(name)
        return InvalidInput(f"{self.folder / place.path('episodes')}, {name}: {problem}; run `anastylosis verify {self.folder}`")

    def documents(self, place: ShardPlace, names: Collection[str]) -> dict[str, dict[str, Any]]:
        """Read the annotations of these episodes of a shard, by name; its files are read once."""
        rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for table in ("episodes", "rounds"):
            with open_shard(self.folder / place.path(table), table, episodes=len(place.indices)) as shard:
                there = shard.read()
                for row in there.filter(pc.is_in(there["episode"], pa.array(names))).to_pylist():
                    rows.setdefault((table, row["episode"]), []).append(row)
        for name in names:
            if len(rows.get(("episodes", name), ())) != 1:
                raise InvalidInput(f"{self.folder / place.path('episodes')} does not hold {name} once; run `anastylosis verify`")
        return {name: build_document(rows["episodes", name][0], rows.get(("rounds", name), [])) for name in names}

    def episode(self, name: str) -> tuple[dict[str, Any], EpisodeFrames]:
        """Read the annotation of an episode, and its frames."""
        document = self.document(name)
        return document, self.read_frames(name, len(document["blocks"]))

    def _find(self, name: str) -> tuple[ShardPlace, int]:
        if name not in self.shards:
            raise InvalidInput(f"{self.folder} has no episode {name!r}; they are named like {self.names[0]}")
        return self.shards[name], int(name.rpartition("_")[2])
