"""The page as a visitor meets it, in a real Chromium."""

import json
import math
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from anastylosis.survey.rotation import make_matrices
from browsers import FAILED, PATIENCE, Browser

SCALE = 10.0  # of the scene to metres


def test_it_loads_and_asks_no_other_host(visitor: Browser, page) -> None:
    visitor.read_logs()
    assert visitor.complaints == []
    assert visitor.hosts == {urlsplit(page.address).netloc}


def test_a_reconstruction_is_shown_with_its_alternatives_and_legend(visitor: Browser) -> None:
    text = visitor.wait_for("What lies there")
    assert "1. " in text
    assert "empty: " in text
    assert "evidence: it still stands there" in text


def test_the_fall_is_scrubbed_and_played(visitor: Browser) -> None:
    visitor.choose("Show", "the fall")
    visitor.wait_for("and the tower falls.")
    visitor.type_numbers("Moment", 0)
    visitor.wait_for("slots, all filled")
    visitor.choose("Speed", "4 ×")
    visitor.press("play ▶")
    visitor.wait_for("slots, all filled", gone=True)
    visitor.press("pause")
    where = visitor.field("Moment").get_attribute("value")
    visitor.press("◀ back")
    visitor.wait_for("slots, all filled")
    assert where != "0"


def test_colours_and_views_change(visitor: Browser) -> None:
    visitor.choose("Show", "how it stood")
    visitor.wait_for("empty (outlined)")
    visitor.choose("Colours", "by layer")
    visitor.wait_for("layer 0, on the floor")
    visitor.choose("Colours", "evidence, inference")
    visitor.wait_for("inference: put back")
    visitor.choose("Show", "the rebuilding")
    visitor.wait_for("pause")
    visitor.type_numbers("Moment", 2)
    visitor.wait_for("Step 1 of")
    assert "Margin" in visitor.text


def test_a_block_that_is_clicked_tells_of_itself(visitor: Browser, page) -> None:
    visitor.choose("Show", "how it stood")
    visitor.press("front")
    session = page.sessions[min(page.sessions)]
    structure = session.finding.found.structure
    top = np.flatnonzero(session.finding.found.best.state.filled)[-1]
    time.sleep(1)
    visitor.click_scene(*project(session.client.camera, SCALE * structure.position[top]))
    text = visitor.wait_for("How sure")
    assert structure.ids[top] in text


def project(camera, place: np.ndarray) -> tuple[float, float]:
    """Where a camera of viser sees a point, in shares of the canvas."""
    x, y, z = make_matrices(np.array(camera.wxyz)).T @ (place - camera.position)
    half = math.tan(camera.fov / 2)
    return 0.5 + x / z / (2 * half * camera.aspect), 0.5 + y / z / (2 * half)


def test_predictions_say_what_they_mean(visitor: Browser) -> None:
    visitor.turn_to("Predictions")
    text = visitor.wait_for("How near to tipping (imbalance)")
    assert "below 0 its weight is over its foot" in text
    assert "Which slots were empty" in text
    visitor.wait_for("Proposal 1, fallen again")
    assert len(visitor.driver.find_elements("xpath", "//figure/img")) == 2
    visitor.turn_to("Start")


def test_files_come(visitor: Browser) -> None:
    visitor.turn_to("Files")
    visitor.press("3-D model of the proposal (GLB)")
    assert visitor.wait_for_file("tower.glb").read_bytes().startswith(b"glTF")
    visitor.wait_to_see("//button[normalize-space(.)='Everything, for programs (JSON)'][not(@disabled)]").click()
    document = json.loads(visitor.wait_for_file("reconstruction.json").read_text(encoding="utf-8"))
    assert document["hypotheses"][0]["rank"] == 1
    visitor.wait_to_see("//button[normalize-space(.)='Table, a row for each block (CSV)'][not(@disabled)]").click()
    assert visitor.wait_for_file("blocks.csv").read_text(encoding="utf-8").startswith("id,x,y,z")
    visitor.turn_to("Start")


@pytest.mark.slow
def test_the_film_of_the_fall_comes(visitor: Browser) -> None:
    visitor.turn_to("Files")
    visitor.wait_to_see("//button[normalize-space(.)='Film of the fall and its undoing (MP4)'][not(@disabled)]").click()
    visitor.wait_for("Drawing pictures: ")
    film = visitor.wait_for_file("reconstruction.mp4", 300)
    assert film.read_bytes()[4:8] == b"ftyp"
    visitor.wait_for("Drawing pictures: ", gone=True)
    visitor.turn_to("Start")


def test_bad_files_are_refused_and_the_page_goes_on(visitor: Browser, tmp_path: Path) -> None:
    (tmp_path / "stones.csv").write_text("this,is\nno,survey\n")
    visitor.give(tmp_path / "stones.csv")
    text = visitor.wait_for(FAILED)
    assert "stones.csv" in text
    (tmp_path / "large.csv").write_bytes(b"x" * 1_000_001)
    visitor.give(tmp_path / "large.csv")
    visitor.wait_for("large.csv is too large")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    visitor.give(tmp_path / "broken.png")
    visitor.wait_for("broken.png")


def test_a_file_is_dropped_on_the_page(visitor: Browser, small_survey: Path, tmp_path: Path) -> None:
    words = "//div[normalize-space(.)='Drop one picture or survey here']"
    visitor.turn_to("Files")
    visitor.drag_file(small_survey, "dragEnter", "dragOver")
    visitor.wait_to_see(words)
    visitor.drag_file(small_survey, "drop")
    visitor.wait_for("six-layers.csv: a survey")  # and the tab that says so
    assert not visitor.find(words).is_displayed()
    visitor.drag_file(tmp_path, "dragEnter", "dragOver", "drop")  # a folder
    (tmp_path / "large.csv").write_bytes(b"x" * 1_000_001)
    visitor.drag_file(tmp_path / "large.csv", "dragEnter", "dragOver", "drop")
    visitor.wait_for("large.csv is too large")
    assert "six-layers.csv: a survey" in visitor.text


def test_a_number_between_minus_one_and_zero_keeps_its_sign(visitor: Browser, page) -> None:
    session = page.sessions[min(page.sessions)]
    visitor.turn_to("Start")
    visitor.press("a survey")
    visitor.wait_for("survey.csv: a survey")
    visitor.unfold("More")
    visitor.wait_to_see("//label[normalize-space(.)='Heading [°]']")
    visitor.type_text("Heading [°]", "-0.5")
    visitor.type_text("Foot x, y [mm]", "-0.25 0.75")
    visitor.wait_to_have(lambda: (session.intake.heading.value, session.intake.origin.value), ("-0.5", "-0.25 0.75"))
    assert visitor.field("Heading [°]").get_attribute("value") == "-0.5"
    told = session.intake.read(session.given)
    assert (math.degrees(told.heading), *told.origin) == pytest.approx((-0.5, -0.00025, 0.00075))
    visitor.type_text("Heading [°]", "north")
    visitor.press("Reconstruct")
    visitor.wait_for("“Heading [°]” says “north”; write one number")
    visitor.type_text("Heading [°]", "0")
    visitor.type_text("Foot x, y [mm]", "0 0")
    visitor.unfold("More")


def test_the_target_is_there_to_print(visitor: Browser) -> None:
    pytest.importorskip("cv2")
    visitor.turn_to("Start")
    visitor.press("a picture")
    visitor.wait_for("Print target")
    visitor.wait_to_see("//button[normalize-space(.)='Letter']").click()
    assert visitor.wait_for_file("target-letter.pdf").read_bytes().startswith(b"%PDF")


def test_another_visitor_sees_nothing_of_it_and_leaves_nothing(visitor: Browser, open_browser, page) -> None:
    other = open_browser()
    assert "Nothing is given yet." in other.text
    assert "six-layers" not in other.text
    assert len(page.sessions) == 2
    session = page.sessions[max(page.sessions)]
    other.press("a survey")
    other.wait_for("survey.csv: a survey")
    assert "survey.csv: a survey" not in visitor.text
    click_a_floor_point(other)
    other.choose("Language", "Español")
    other.wait_for("Reconstruir")
    assert "Idioma" not in visitor.text
    folder = session.folder
    assert folder.is_dir()
    other.read_logs()
    assert other.complaints == []
    other.quit()
    end = time.monotonic() + PATIENCE
    while folder.exists() or len(page.sessions) > 1:
        assert time.monotonic() < end, (folder.exists(), page.sessions)
        time.sleep(0.1)


def click_a_floor_point(browser: Browser) -> None:
    """In a photograph whose camera is to be found from points."""
    browser.press("a picture")
    browser.wait_for("debris.png: a picture")
    browser.choose("Known by", "four floor points")
    browser.wait_for("Click four points")
    time.sleep(1)
    browser.click_scene(0.5, 0.55)
    end = time.monotonic() + PATIENCE
    while float(browser.field("1. pixel").get_attribute("value")) == 0:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert float(browser.field("1. pixel").get_attribute("value")) == pytest.approx(256, abs=20)  # the middle of 512 columns


def test_a_tower_is_played_with(visitor: Browser) -> None:
    visitor.turn_to("Experiment")
    visitor.type_numbers("Layers", 4)
    visitor.press("New tower")
    visitor.wait_for("12 blocks stand.")
    visitor.press("Take it out")
    text = visitor.wait_for("Largest force on it")
    assert "Balance margin" in text


def test_nothing_was_complained_about(visitor: Browser, page) -> None:
    visitor.read_logs()
    assert visitor.complaints == []
    assert visitor.hosts == {urlsplit(page.address).netloc}
