"""The pictures of a folder: every look there is, and nothing that is not an episode."""

from pathlib import Path

import pytest

from anastylosis.episode.files import write_episode
from anastylosis.errors import InvalidInput
from anastylosis.report import draw_gallery, list_shots
from anastylosis.report.gallery import LOOKS
from games import played


def test_every_look_is_its_own(tmp_path: Path) -> None:
    write_episode(played(), tmp_path, "low_exp_0000")
    pictures = set()
    for look in LOOKS:
        (shot,) = draw_gallery(list_shots(tmp_path, tmp_path / look, videos=False, size=64, look=look), workers=1)
        pictures.add(shot.target.read_bytes())
    assert len(pictures) == len(LOOKS)


def test_other_documents_are_not_episodes(tmp_path: Path) -> None:
    for name in ("manifest.json", "package.json", "low_exp_1.json", ".low_exp_0000.json.5eed.part"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(InvalidInput, match="holds no episodes"):
        list_shots(tmp_path, tmp_path, videos=False, size=64, look="wood")
    (tmp_path / "low_exp_0000.json").write_text("{}")
    assert [shot.name for shot in list_shots(tmp_path, tmp_path, videos=False, size=64, look="wood")] == ["low_exp_0000"]
