"""Samples as tensors: shapes that stack, values that are those of the samples, workers, splits, and no torch."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from support.games import FALLS, STANDS, played
from support.played_datasets import write_dataset


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Dataset:
    episodes = [played(6, FALLS), played(4, STANDS), played(4, FALLS)]
    folder = tmp_path_factory.mktemp("dataset") / "games"
    return Dataset(write_dataset(folder, *episodes, shard=2, split=("train", "val", "train")))


def test_items_hold_what_samples_hold(dataset: Dataset) -> None:
    items = dataset.as_torch(size=64)
    assert len(items) == 3
    sample, item = dataset[1], items[1]  # four layers; the manifest names six
    image = sample.draw(64)
    np.testing.assert_array_equal(item["rgb"].permute(1, 2, 0), image.rgb)
    np.testing.assert_array_equal(item["block_ids"], image.ids)
    np.testing.assert_array_equal(item["depth"], image.depth)
    np.testing.assert_array_equal(item["poses_after"][:12][item["present_after"][:12]],
                                  sample.poses_after[np.isfinite(sample.poses_after[:, 0])].astype(np.float32))  # fmt: skip
    assert item["poses_before"].shape == (18, 7)
    assert not item["poses_before"][12:].any()
    np.testing.assert_array_equal(item["slots"][:12], sample.slots)
    assert (item["slots"][12:] == -1).all()
    np.testing.assert_array_equal(item["standing"][:12], sample.standing)
    assert item["exists"].tolist() == [True] * 12 + [False] * 6
    assert all(tensor.isfinite().all() for name, tensor in item.items() if name != "depth")
    labels = sample.labels
    assert [item[name].item() for name in ("layers", "removed_count", "torque_risk", "failure_layer", "collapsed")] == [
        labels[name] for name in ("layers", "removed_count", "torque_risk", "failure_layer", "collapsed")
    ]
    assert item["friction"].item() == pytest.approx(labels["friction"])
    assert item["imbalance"].item() == pytest.approx(labels["imbalance"])
    assert items[-1]["index"].item() == 2


def test_batches_from_two_workers(dataset: Dataset) -> None:
    loader = DataLoader(dataset.as_torch(size=32), batch_size=2, num_workers=2, multiprocessing_context="spawn")
    batches = list(loader)
    assert [len(batch["rgb"]) for batch in batches] == [2, 1]
    assert torch.cat([batch["index"] for batch in batches]).tolist() == [0, 1, 2]
    for batch in batches:
        for index, rgb in zip(batch["index"].tolist(), batch["rgb"], strict=True):
            np.testing.assert_array_equal(rgb.permute(1, 2, 0), dataset[index].draw(32).rgb)


def test_a_split_alone(dataset: Dataset) -> None:
    items = dataset.as_torch("train", size=32)
    assert (len(items), items.names) == (2, dataset.splits["train"])
    with pytest.raises(InvalidInput, match="has no split 'dev'; choose one of train, val"):
        dataset.as_torch("dev")
    for index in (2, -3):
        with pytest.raises(IndexError, match="there are 2"):
            items[index]


def test_torch_is_loaded_when_it_is_asked_for_and_a_missing_one_is_told(dataset: Dataset, tmp_path: Path) -> None:
    code = (
        "import sys; from anastylosis.dataset import Dataset; from anastylosis.errors import MissingExtra\n"
        f"dataset = Dataset({str(dataset.folder)!r}); dataset[0].poses_after\n"
        "assert not {'torch', 'anastylosis.rendering', 'PIL'} & set(sys.modules)\n"
        "sys.modules['torch'] = None\n"
        "try:\n    dataset.as_torch()\n"
        "except MissingExtra as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True).stdout
    assert said.startswith("PyTorch is not installed; run: ")
    assert "[train]" in said
