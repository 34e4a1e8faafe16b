"""Write the library of falls that ships with `reconstruct`, from the training split of a dataset.

python tools/write_library.py DATASET [--falls 1500]
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from anastylosis.dataset import Dataset
from anastylosis.reconstruction.falls import SHIPPED_LIBRARY, write_library


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--falls", type=int, default=1500)
    parser.add_argument("--out", type=Path, default=SHIPPED_LIBRARY)
    asked = parser.parse_args(words)
    count = write_library(Dataset(asked.dataset), asked.out, asked.falls)
    print(f"{asked.out.name}: {count:,} falls, {asked.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
