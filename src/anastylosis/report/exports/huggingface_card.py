"""The card of an export for Hugging Face: a YAML head that programs read, and the text below it for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.report.exports.progress import ExportSettings

CARD = "README.md"
OURS = "<!-- Written by `anastylosis export`, which writes it anew. -->"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
TAGS = ("physics", "rigid bodies", "inverse problem", "jenga", "synthetic", "6d-pose", "depth", "segmentation")
TEXT = """\
# Collapsed block towers

{episodes} simulated games. In each, blocks are pulled out of a tower until it falls or no pull is left. A row has a picture
of the debris, the block and the depth of every pixel, the pose of every block before the fall and after it, and labels.

```python
from datasets import load_dataset

towers = load_dataset("this/folder")  # datasets 4 or newer
row = towers["{first}"][0]
row["rgb"]  # a picture of {size} x {size} pixels
```

All rows have the same camera. The look is *{look}*. Units are SI: metres, radians. World z points up and the floor is z = 0.
Quaternions are w, x, y, z, and turn a block's axes (length, width, height) into world axes.

## Splits

Splits follow from the seed of an episode alone, before anything was looked at.

| split | episodes |
|---|---|
{splits}

## Columns

| column | meaning |
|---|---|
{columns}

## Origin

Everything is simulated, by [Anastylosis](https://pypi.org/project/anastylosis) {version}: `anastylosis simulate` made the
dataset (seed {seed}, hash `{fingerprint}`), `anastylosis export --format huggingface` wrote this folder. The forces and
the frames of every game are in the dataset itself.

No licence is named here: that is for whoever publishes the folder. On Hugging Face it is the field `license` of the head.
"""


class SplitSize(NamedTuple):
    """Rows and bytes of one split."""

    name: str
    examples: int
    unpacked: int  # [bytes] of its columns
    packed: int  # [bytes] of its files


def describe_export(
    dataset: Dataset,
    features: Mapping[str, Any],
    meanings: Mapping[str, str],
    splits: Sequence[SplitSize],
    settings: ExportSettings,
) -> str:
    """Return the text of the card."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in meanings.items()]
    counts = [f"| `{split.name}` | {split.examples:,} |" for split in splits]
    text = TEXT.format(
        episodes=f"{sum(split.examples for split in splits):,}",
        size=settings.size,
        look=settings.look,
        first=splits[0].name,
        version=__version__,
        seed=dataset.manifest.seed,
        fingerprint=dataset.manifest.fingerprint,
        splits="\n".join(counts),
        columns="\n".join(rows),
    )
    head = "\n".join(describe_head(features, splits))
    return f"---\n{head}\n---\n{OURS}\n\n{text}"


def describe_head(features: Mapping[str, Any], splits: Sequence[SplitSize]) -> Iterator[str]:
    """Yield the lines of the YAML head."""
    total = sum(split.examples for split in splits)
    yield "pretty_name: Collapsed block towers"
    yield f"size_categories: [{next((name for limit, name in SIZES if total < limit), 'n>1M')}]"
    yield f"tags: [{', '.join(TAGS)}]"
    yield "configs:"
    yield "- config_name: default"
    yield "  data_files:"
    for split in splits:
        yield f"  - split: {split.name}"
        yield f"    path: data/{split.name}-*.parquet"
    yield "dataset_info:"
    yield "  features:"
    for name, feature in features.items():
        yield from (f"  {line}" for line in describe_yaml(name, feature))
    yield "  splits:"
    for split in splits:
        yield f"  - name: {split.name}"
        yield f"    num_bytes: {split.unpacked}"
        yield f"    num_examples: {split.examples}"
    yield f"  download_size: {sum(split.packed for split in splits)}"
    yield f"  dataset_size: {sum(split.unpacked for split in splits)}"


def describe_yaml(name: str, feature: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of one feature, as the heads of cards have it."""
    yield f"- name: {name}"
    if feature.get("_type") == "Image":
        yield "  dtype: image"
    elif feature.get("_type") == "Value":
        yield f"  dtype: {feature['dtype']}"
    elif feature.get("_type") == "List":
        inner, depth = feature["feature"], 1
        while inner["_type"] == "List":
            inner, depth = inner["feature"], depth + 1
        for level in range(depth - 1):
            yield f"  {'  ' * level}list:"
        yield f"  {'  ' * (depth - 1)}list: {inner['dtype']}"
    else:
        yield "  struct:"
        for field, inner in feature.items():
            yield from (f"  {line}" for line in describe_yaml(field, inner))
