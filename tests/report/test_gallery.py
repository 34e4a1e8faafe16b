"""The pictures of a folder: every look there is, and nothing that is not an episode."""

from pathlib import Path

import pytest

from anastylosis.errors import InvalidInput
from anastylosis.rendering.look import LOOKS
from anastylosis.report import GalleryFile
from support.games import played
from support.played_datasets import write_dataset


def test_every_look_is_its_own(tmp_path: Path) -> None:
    write_dataset(tmp_path, played())
    pictures = set()
    for look in LOOKS:
        (shot,) = GalleryFile.draw_all(GalleryFile.plan(tmp_path, tmp_path / look, videos=False, size=64, look=look), workers=1)
        pictures.add(shot.target.read_bytes())
    assert len(pictures) == len(LOOKS)


def test_a_folder_that_is_no_dataset_has_no_pictures(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is not a dataset; name a folder that `anastylosis simulate` has written"):
        GalleryFile.plan(tmp_path, tmp_path, videos=False, size=64, look="wood")
