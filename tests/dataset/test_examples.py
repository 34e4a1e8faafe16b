"""Examples are what was played, whatever the heights of the towers; and files that say something else are refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import Examples, read_examples
from anastylosis.errors import InvalidInput
from support.games import FALLS, STANDS, fallen, played
from support.played_datasets import write_dataset


@pytest.fixture(scope="module")
def two_towers(tmp_path_factory) -> Path:
    """Six layers, four layers, and one that did not fall."""
    folder = tmp_path_factory.mktemp("two") / "towers"
    return write_dataset(folder, played(6, FALLS), played(4, STANDS), *fallen(4), split=("train", "train", "val"))


@pytest.fixture
def table(two_towers: Path) -> pa.Table:
    """The rows of the two towers that fell."""
    table = Dataset(two_towers).read("episodes")
    return table.take([0, 2])


def test_what_was_played_is_read_back(two_towers: Path) -> None:
    examples = read_examples(Dataset(two_towers))
    assert examples.split.tolist() == ["train", "val"]  # what did not fall is left out
    for row, episode in enumerate((played(6, FALLS), fallen(4)[0])):
        labels, tower, blocks = episode.labels, episode.structure, len(episode.structure)
        assert examples.layers[row] == blocks // 3 == episode.config.layers
        assert (examples.seed[row], examples.friction[row]) == (episode.seed, labels.friction)
        assert (examples.failure_layer[row], examples.torque_moves[row]) == (labels.failure_course, labels.torque_moves)
        assert (examples.imbalance[row], examples.removed_count[row]) == (labels.imbalance, labels.removed_count)
        np.testing.assert_array_equal(examples.removed[row, :blocks], labels.removed)
        np.testing.assert_array_equal(examples.size[row, :blocks], tower.blocks.size)
        np.testing.assert_array_equal(examples.slot[row, :blocks], 3 * tower.course + tower.place)
        for poses, read in ((labels.stood, examples.stood), (labels.lies, examples.lies)):
            np.testing.assert_array_equal(read[row, :blocks], np.concatenate(poses.seen, axis=1))
            gone = ~poses.present
            assert gone.any()  # or the next line says nothing
            assert np.isnan(read[row, :blocks][gone]).all()


def test_a_short_tower_is_padded_with_what_is_not_there(two_towers: Path) -> None:
    examples = read_examples(Dataset(two_towers))
    assert examples.slot.shape == examples.removed.shape == (2, 18)
    assert (examples.slot[1, 12:] == -1).all()
    assert not examples.removed[1, 12:].any()
    for part in (examples.size, examples.stood, examples.lies):
        assert np.isnan(part[1, 12:]).all()


def test_rows_can_be_taken_and_splits_parted(examples: Examples) -> None:
    counts = {split: len(examples.of(split)) for split in ("train", "val", "test", "test-tall")}
    assert counts == {"train": 12, "val": 8, "test": 8, "test-tall": 2}
    assert len(examples.of("train", "val")) == 20
    second = examples.take(np.array([1]))
    assert second.name.tolist() == [examples.name[1]]
    np.testing.assert_array_equal(second.lies[0], examples.lies[1])


def test_where_nothing_fell_there_is_nothing_to_learn(tmp_path: Path) -> None:
    dataset = Dataset(write_dataset(tmp_path / "standing", played(4, STANDS)))
    with pytest.raises(InvalidInput, match=r"none of the 1 towers in .*standing fell; there is no debris"):
        read_examples(dataset)


def test_debris_of_another_engine_is_read(project: Path) -> None:
    examples = read_examples(project / "benchmarks" / "mujoco_debris.parquet")
    assert len(examples) >= 200
    assert set(examples.split) == {"test-mujoco"}
    there = np.isfinite(examples.lies[:, :, 0])
    np.testing.assert_allclose(np.linalg.norm(examples.lies[there][:, 3:], axis=1), 1, atol=1e-6)
    # Each slot holds one block or is empty.
    for row in range(len(examples)):
        stands = np.isfinite(examples.stood[row, :, 0])
        slots = examples.slot[row, stands]
        own = slots[slots < 3 * examples.layers[row]]
        assert len(set(slots)) == len(slots)
        assert sorted([*own, *np.flatnonzero(examples.removed[row])]) == list(range(3 * examples.layers[row]))


def write(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


def test_a_file_like_the_table_of_episodes_is_enough(table: pa.Table, two_towers: Path, tmp_path: Path) -> None:
    found, expected = read_examples(write(table, tmp_path)), read_examples(Dataset(two_towers))
    np.testing.assert_array_equal(found.lies, expected.lies)
    np.testing.assert_array_equal(found.name, expected.name)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"words\n" * 100])
def test_files_that_are_not_parquet(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "rows.parquet").write_bytes(data)
    with pytest.raises(InvalidInput, match=r"rows\.parquet cannot be read"):
        read_examples(tmp_path / "rows.parquet")


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "rows.parquet"):
        with pytest.raises(InvalidInput, match="is not a file"):
            read_examples(path)


def change(name: str, values: list) -> Callable[[pa.Table], pa.Table]:
    """Other values in a column, in the type that it has."""

    def apply(table: pa.Table) -> pa.Table:
        column = pa.array(values, table.schema.field(name).type)
        return table.set_column(table.column_names.index(name), table.schema.field(name), column)

    return apply


def change_item(name: str, alter: Callable[[list], object]) -> Callable[[pa.Table], pa.Table]:
    """The list of the second episode altered in place."""

    def apply(table: pa.Table) -> pa.Table:
        values = table[name].to_pylist()
        alter(values[1])
        return change(name, values)(table)

    return apply


@pytest.mark.parametrize("name", ["lies_positions", "removed", "layers", "collapsed"])
def test_columns_that_are_missing_or_of_another_type(table: pa.Table, tmp_path: Path, name: str) -> None:
    other = table.set_column(table.column_names.index(name), name, pa.array(["a", "b"]))
    for damaged in (table.drop_columns([name]), other, table.append_column(name, table[name])):
        with pytest.raises(InvalidInput, match="its columns are not those of this version"):
            read_examples(write(damaged, tmp_path))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change("layers", [6, None]), "does not tell its layers"),
        (change("removed_count", [None, 1]), "does not tell its removed_count"),
        (change("episode", ["one", None]), "does not tell its episode"),
        (change_item("course", lambda course: course.__setitem__(2, None)), "does not tell its course"),
        (change_item("removed", lambda removed: removed.__setitem__(2, None)), "does not tell its removed"),
        (change_item("place", lambda place: place.append(0)), "another number of place than of sizes"),
        (change_item("lies_quaternions", lambda turned: turned.pop()), "another number of lies_quaternions than of sizes"),
        (change_item("lies_positions", lambda places: places[11].append(0.0)), "vectors that are not of 3 numbers"),
        (
            change_item("sizes", lambda sizes: (sizes[10].append(0.01), sizes[11].pop())),  # as many in all
            "vectors that are not of 3 numbers",
        ),
        (change_item("lies_positions", lambda places: places.__setitem__(11, None)), "a block lies without a place"),
        (change_item("stood_quaternions", lambda turned: turned[11].__setitem__(1, np.nan)), "a block stood without a place"),
        (change_item("sizes", lambda sizes: sizes.__setitem__(11, None)), "without a place, a direction or a size"),
        (change("failure_course", [1, 10**12]), "failure_course is 1 to 1000000000000; it is in 0..3000"),
        (change("layers", [0, 4]), "layers is 0 to 4"),
        (change("friction", [0.4, np.nan]), "friction is not a finite number"),
        (change("imbalance", [np.inf, 0.0]), "imbalance is"),
        (change_item("removed", lambda removed: removed.extend([True] * 3000)), "a tower has 3012 blocks"),
    ],
)
def test_rows_that_cannot_be_of_a_tower(table: pa.Table, tmp_path: Path, damage: Callable, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        read_examples(write(damage(table), tmp_path))
    assert "rows.parquet cannot be learned from" in str(refused.value)


def test_examples_of_two_datasets_are_joined() -> None:
    """Heights differ: what one lacks is a block that is not there."""
    small, large = (Examples(**fake_examples(count, blocks)) for count, blocks in ((2, 6), (3, 9)))
    both = small.join([large])
    assert len(both) == 5
    assert both.size.shape == (5, 9, 3)
    assert np.isnan(both.size[:2, 6:]).all()
    assert (both.slot[:2, 6:] == -1).all()
    assert not both.removed[:2, 6:].any()
    for name, value in vars(large).items():
        np.testing.assert_array_equal(getattr(both, name)[2:], value)


def fake_examples(count: int, blocks: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(blocks)
    each = {"layers": 2, "friction": 0.4, "removed_count": 1, "imbalance": 0.1, "torque_moves": 0, "failure_layer": 1}
    poses = {"size": 3, "stood": 7, "lies": 7}
    return {
        "name": np.array([f"e{row}" for row in range(count)]), "split": np.array(["train"] * count),
        "seed": np.arange(count, dtype=np.uint64), **{name: np.full(count, value) for name, value in each.items()},
        **{name: rng.normal(size=(count, blocks, width)) for name, width in poses.items()},
        "slot": rng.integers(0, blocks, (count, blocks)), "removed": rng.random((count, blocks)) < 0.5,
    }  # fmt: skip
