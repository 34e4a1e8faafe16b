"""A problem with one photograph says which, and is nobody's own cause."""

from pathlib import Path

import pytest

from anastylosis.cli.photographs import find_cameras
from anastylosis.errors import InvalidInput


@pytest.mark.parametrize("named", [True, False])
def test_a_problem_names_its_photograph_once(named: bool, monkeypatch) -> None:
    image = Path("debris.jpg")

    def break_down(*words: object, **more: object) -> None:
        raise InvalidInput("debris.jpg: no target" if named else "no target")

    monkeypatch.setattr("anastylosis.predict.camera.photograph.find_camera", break_down)
    with pytest.raises(InvalidInput, match=r"^debris\.jpg: no target$") as caught:
        find_cameras([image], None, None, (0.0, 0.0), 0.0)
    assert (caught.value.__cause__ is None) == named
