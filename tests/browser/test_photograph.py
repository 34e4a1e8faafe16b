"""A photograph with the printed target on its floor, given through the page."""

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anastylosis.rendering import Camera
from support.browsers import FAILED, Browser
from support.heaps import small_fall, survey_of
from support.photographs import Sheet, draw_target, lay_sheet, take_photograph
from support.scenes import Scene

CAMERA = Camera(eye=(0.25, -1.0, 0.7), target=(0.0, -0.1, 0.0), field_of_view=0.72, width=1024, height=768)
PLACE, TURN = (-0.13, -0.46), 0.12  # corner 0 of the sheet in the tower's frame [m], and its turn [rad]


@pytest.fixture(scope="module")
def sheet(tmp_path_factory) -> Sheet:
    path = tmp_path_factory.mktemp("sheets") / "a4.pdf"
    return lay_sheet(path, draw_target(path), PLACE, TURN)


@pytest.fixture(scope="module")
def photograph(sheet: Sheet, tmp_path_factory) -> Path:
    """Six fallen layers behind the target, as a camera without a bent lens takes them."""
    survey = survey_of(small_fall())[0]
    picture, _ = take_photograph(Scene(survey.size, survey.position, survey.orientation), CAMERA, sheet)
    path = tmp_path_factory.mktemp("photographs") / "debris.jpg"
    Image.fromarray(picture).save(path, quality=92)
    return path


@pytest.mark.slow
def test_the_target_tells_the_camera(open_browser, page, sheet: Sheet, photograph: Path) -> None:
    browser: Browser = open_browser()
    session = page.sessions[max(page.sessions)]
    browser.give(photograph)
    browser.wait_for("debris.jpg: a picture; the printed target is seen in it")
    browser.type_numbers("Layers", 6)
    browser.press("Reconstruct")
    browser.wait_for("“Foot x, y [mm]” says 0 0, which is the corner of the printed sheet")
    view = session.intake.viewpoint
    foot, heading = (1e3 * sheet.to_sheet(np.zeros(2))).round(2), round(math.degrees(-sheet.turn), 3)
    browser.type_text("Foot x, y [mm]", f"{foot[0]} {foot[1]}")
    browser.type_text("Heading [°]", str(heading))
    browser.wait_to_have(lambda: (view.origin.value, view.heading.value), (f"{foot[0]} {foot[1]}", str(heading)))
    browser.press("Reconstruct")
    browser.wait_for(FAILED, gone=True)
    browser.wait_for("Done. See the scene", unless=FAILED)
    found = session.finding.found.photos[0].camera
    np.testing.assert_allclose(found.eye, CAMERA.eye, atol=0.02)  # of one metre
    browser.turn_to("Predictions")
    browser.wait_for("What was given")
    browser.read_logs()
    assert browser.complaints == []
    browser.quit()
