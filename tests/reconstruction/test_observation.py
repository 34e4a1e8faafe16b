"""A problem with one photograph says which, and is nobody's own cause."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import anastylosis
from anastylosis.detection.camera.target import TARGETS, draw_cells
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.observation import Photographs, SurveyFile, find_cameras, observe
from anastylosis.rendering import Camera

EXAMPLES = Path(anastylosis.__file__).parent / "examples"


@pytest.mark.parametrize("named", [True, False])
def test_a_problem_names_its_photograph_once(named: bool, monkeypatch) -> None:
    image = Path("debris.jpg")

    def break_down(*words: object, **more: object) -> None:
        raise InvalidInput("debris.jpg: no target" if named else "no target")

    monkeypatch.setattr("anastylosis.reconstruction.observation.find_camera", break_down)
    with pytest.raises(InvalidInput, match=r"^debris\.jpg: no target$") as caught:
        find_cameras(Photographs(pictures=[image]))
    assert (caught.value.__cause__ is None) == named


@pytest.mark.parametrize(("column", "value"), [(1, "9999"), (4, "-9999")], ids=["long", "far"])
def test_a_block_that_reaches_far_is_refused_before_the_work(column: int, value: str, tmp_path: Path) -> None:
    """Once the whole reconstruction was made before no camera could be placed."""
    path, lines = tmp_path / "s.csv", (EXAMPLES / "survey.csv").read_text(encoding="utf-8").splitlines()
    (number,) = (number for number, line in enumerate(lines) if line.startswith("stone-001,"))
    cells = lines[number].split(",")
    cells[column] = value
    lines[number] = ",".join(cells)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"s\.csv: stone-001 reaches .* m from the foot of the structure") as caught:
        observe(SurveyFile(path=path))
    assert caught.value.kind == "survey_far"


def test_a_target_without_the_place_of_the_tower_is_not_enough(tmp_path: Path) -> None:
    """At 0 0 the tower would stand on the corner of the sheet."""
    cv2 = pytest.importorskip("cv2")
    target = TARGETS["a4"]
    camera = Camera(eye=(0.3, -0.5, 0.5), target=(0.12, 0.08, 0.0), field_of_view=0.7, width=1024, height=768)
    sheet = np.where(np.kron(draw_cells(target), np.ones((8, 8))) > 0, 20, 240).astype(np.uint8)
    rows, columns = sheet.shape  # the first row is the lowest
    wide, high = target.board
    floor = np.array([(0, 0, 0), (wide, 0, 0), (wide, high, 0), (0, high, 0)])
    corners, seen = np.float32([(0, 0), (columns, 0), (columns, rows), (0, rows)]), np.float32(camera.project(floor)[0])
    turned = cv2.warpPerspective(sheet, cv2.getPerspectiveTransform(corners, seen), (1024, 768), borderValue=240)
    image = tmp_path / "debris.png"
    Image.fromarray(turned).save(image)
    with pytest.raises(InvalidInput, match=r"debris\.png: the target is found, but .* Tell it: --origin X,Y"):
        find_cameras(Photographs(pictures=[image]))
    assert len(find_cameras(Photographs(pictures=[image], origin=(0.3, 0.1)))) == 1
    (said,) = observe(Photographs(pictures=[image], origin=(0.3, 0.1))).warnings
    assert "no heading was told, so 0 is taken: the bottom blocks along the long side of the printed target" in said
    for heading in (0.0, 0.2):
        assert not observe(Photographs(pictures=[image], origin=(0.3, 0.1), heading=heading)).warnings
