"""Fit the range of the number of empty slots of an assignment net on the validation split, and write it into the net's card.

    python tools/fit_removed_range.py DATASET M.onnx

`anastylosis train assign` does it by itself; this is for nets that were trained before.
"""

import sys
from dataclasses import replace
from pathlib import Path

import onnx

from anastylosis.assignment.model import AssignmentModel, write_assignment_card
from anastylosis.dataset import Dataset, read_examples
from anastylosis.models.card import CARD_KEY
from anastylosis.training.assignment.debris import gather_debris
from anastylosis.training.assignment.removed_range import fit_removed_range
from anastylosis.whole_file import write_whole


def main(dataset: Path, path: Path) -> None:
    model = AssignmentModel.from_file(path, 1)
    debris = gather_debris(read_examples(Dataset(dataset)).of("val"))
    calibration = replace(model.card.calibration, removed_range=fit_removed_range(model.run, debris))
    graph = onnx.load(path)
    for entry in graph.metadata_props:
        if entry.key == CARD_KEY:
            entry.value = write_assignment_card(replace(model.card, calibration=calibration))
    with write_whole(path) as part:
        part.write_bytes(graph.SerializeToString())
    print(calibration.removed_range)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
