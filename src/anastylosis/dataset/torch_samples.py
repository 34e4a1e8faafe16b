"""Samples of a dataset as dicts of tensors, for a `DataLoader` of torch. Loaded when `Dataset.as_torch` is called."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.dataset.sample import Sample
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.structure import BLOCKS_PER_COURSE

try:
    import torch
    from torch.utils.data import Dataset as TorchDataset
except ImportError as error:
    raise MissingExtra("PyTorch", "train") from error

if TYPE_CHECKING:
    from anastylosis.dataset.reader import Dataset
    from anastylosis.rendering import Camera, Look

REALS = ("friction", "imbalance")
WHOLES = ("layers", "removed_count", "torque_risk", "failure_layer")


class TorchSamples(TorchDataset[dict[str, torch.Tensor]]):
    """A map-style dataset: item i is a dict of tensors of the same shapes, so that items can be stacked.

    index (), rgb (3, S, S) uint8, block_ids (S, S) int64, depth (S, S) [m]; size (B, 3) [m], poses_before and poses_after
    (B, 7) [m] and wxyz, present_before and present_after (B,), slots (B,); removed and standing (P,), exists (P,);
    friction, imbalance [m], layers, removed_count, torque_risk, failure_layer, collapsed.

    B and P are those of the tallest tower that the dataset may have. What is beyond a smaller tower, and blocks that are
    gone, have zeros, False and slot -1.
    """

    def __init__(
        self, dataset: "Dataset", split: str | None = None, *, size: int = 128, camera: "Camera | None" = None,
        look: "Look | str" = "wood",
    ) -> None:  # fmt: skip
        if split is not None and split not in dataset.splits:
            raise InvalidInput(f"{dataset.folder} has no split {split!r}; choose one of {', '.join(sorted(dataset.splits))}")
        self.dataset = dataset
        self.names = dataset.names if split is None else dataset.splits[split]
        self.size, self.camera, self.look = size, camera, look
        self.width = count_slots(dataset)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"sample {index} is asked for, and there are {len(self):,}")
        index %= len(self)
        sample = Sample(self.dataset, self.names[index])
        image = sample.draw(self.size, camera=self.camera, look=self.look)
        assert image.ids is not None
        before, after = sample.poses_before, sample.poses_after
        arrays = {
            "rgb": np.ascontiguousarray(image.rgb.transpose(2, 0, 1)),
            "block_ids": image.ids.astype(np.int64),
            "depth": image.depth,
            "size": self.pad(sample.size.astype(np.float32)),
            "poses_before": self.pad(np.nan_to_num(before).astype(np.float32)),
            "poses_after": self.pad(np.nan_to_num(after).astype(np.float32)),
            "present_before": self.pad(np.isfinite(before[:, 0])),
            "present_after": self.pad(np.isfinite(after[:, 0])),
            "slots": self.pad(sample.slots, -1),
            "removed": self.pad(sample.removed),
            "standing": self.pad(sample.standing),
            "exists": self.pad(np.ones(len(sample.removed), bool)),
        }
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        return {"index": torch.tensor(index)} | tensors | convert_labels(sample.labels)

    def pad(self, array: NDArray[Any], fill: int = 0) -> NDArray[Any]:
        """Append rows of `fill` up to the width that all items share."""
        if len(array) > self.width:
            raise InvalidInput(f"{self.dataset.folder} has a tower of {len(array)} blocks, and its manifest one of {self.width}")
        return np.concatenate([array, np.full((self.width - len(array), *array.shape[1:]), fill, array.dtype)])


def count_slots(dataset: "Dataset") -> int:
    """Return the slots of the tallest tower that the manifest names."""
    return BLOCKS_PER_COURSE * max(height for level in dataset.manifest.levels.values() for height, _ in level["layers"])


def convert_labels(labels: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Return the labels that are numbers as tensors; one that is missing is NaN, or -1."""
    reals = {name: torch.tensor(np.nan if labels[name] is None else labels[name], dtype=torch.float32) for name in REALS}
    wholes = {name: torch.tensor(-1 if labels[name] is None else labels[name]) for name in WHOLES}
    return reals | wholes | {"collapsed": torch.tensor(bool(labels["collapsed"]))}
