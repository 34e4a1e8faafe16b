"""The page as a visitor meets it, in a real Chromium."""

import math
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains

from anastylosis.detection.camera.photograph import find_camera, read_photograph
from anastylosis.detection.camera.pose import solve_camera
from anastylosis.geometry import make_matrices
from anastylosis.web.photo_board import HEIGHT
from anastylosis.web.uploads import EXAMPLES
from anastylosis.web.window import PANELS, SIDE_WIDTH
from support.browsers import FAILED, PATIENCE, Browser

SCALE = 10.0  # of the scene to metres


def test_it_loads_and_asks_no_other_host(visitor: Browser, page) -> None:
    visitor.read_logs()
    assert visitor.complaints == []
    assert visitor.hosts == {urlsplit(page.address).netloc}


def test_the_panel_beside_the_scene_is_measured_in_points(visitor: Browser, page) -> None:
    """Not in dots: here the scene has 0.6 in a point. The box that tells it is gone, and was never seen."""
    session = page.sessions[min(page.sessions)]
    visitor.wait_to_have(lambda: session.window, visitor.driver.execute_script("return innerWidth"))
    right = "return innerWidth - document.querySelector('canvas').getBoundingClientRect().right"
    wanted = PANELS * session.window - SIDE_WIDTH  # and the line that it is drawn wider by
    visitor.wait_to_have(lambda: 0 <= visitor.driver.execute_script(right) - wanted <= 8, True)
    assert "Window [px]" not in visitor.text


def test_on_a_telephone_the_controls_take_the_whole_width(open_browser) -> None:
    other: Browser = open_browser()
    other.driver.set_window_size(500, 800)
    box = "const box = document.querySelector(\"div[style*='; width: 20em']\").getBoundingClientRect();"
    other.wait_to_have(lambda: other.driver.execute_script(f"{box} return [box.left, box.right - innerWidth]"), [0, 0])
    other.quit()


def test_a_reconstruction_is_shown_with_its_proposals_and_legend(visitor: Browser) -> None:
    visitor.press("What was found")
    text = visitor.wait_for("What lies there")
    assert "1. " in text
    assert "empty: " in text
    assert "evidence: it still stands there" in text
    cards = visitor.driver.find_elements("css selector", "[data-choose^='rank:']")
    assert [card.get_attribute("aria-pressed") for card in cards] == ["true", "false"]
    assert all(card.find_elements("css selector", "img") for card in cards)
    cards[1].click()
    visitor.wait_to_see("//*[@data-choose='rank:1'][@aria-pressed='true']")
    visitor.driver.find_element("css selector", "[data-choose='rank:0']").send_keys("\n")  # with the keyboard
    visitor.wait_to_see("//*[@data-choose='rank:0'][@aria-pressed='true']")


def test_the_page_has_our_name_and_opens_on_an_example(open_browser, page) -> None:
    other: Browser = open_browser()
    assert other.driver.title == "Anastylosis"
    icon = other.driver.find_element("css selector", "link[rel=icon]").get_attribute("href")
    assert icon.startswith("data:image/svg+xml")
    assert "d8701f" in icon
    text = other.wait_for("Example: survey.csv")
    assert "Software WebGL" not in text
    assert "1. " in text
    other.wait_for("and the tower falls.")
    session = page.sessions[max(page.sessions)]
    other.wait_to_have(lambda: session.results_panel.moment, session.results_panel.animation.first)  # by itself, backwards
    other.press("Play with a tower")
    other.wait_for("54 blocks stand.")
    other.wait_to_see("//button[normalize-space(.)='New tower']")  # in the tab of the experiment
    other.press("Back to the reconstruction")
    other.wait_for("Example: survey.csv")
    other.turn_to("Start")
    other.press("a survey")
    other.wait_for("What lies there: 46 blocks.")
    other.quit()


def test_the_fall_is_scrubbed_and_played(visitor: Browser) -> None:
    visitor.press("The fall")
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
    visitor.press("How it stood")
    visitor.wait_for("empty (outlined)")
    visitor.choose("Colours", "by layer")
    visitor.wait_for("layer 0, on the floor")
    visitor.choose("Colours", "evidence, inference")
    visitor.wait_for("inference: put back")
    visitor.press("The rebuilding")
    visitor.wait_for("Step ")  # it runs by itself
    visitor.press("pause")
    visitor.type_numbers("Moment", 2)
    visitor.wait_for("Step 1 of")
    assert "Margin" in visitor.text


def test_a_block_that_is_clicked_tells_of_itself(visitor: Browser, page) -> None:
    visitor.press("How it stood")
    visitor.press("front")
    session = page.sessions[min(page.sessions)]
    structure = session.finding.found.structure
    top = np.flatnonzero(session.finding.found.best.state.filled)[-1]
    end = time.monotonic() + PATIENCE
    while "How sure" not in visitor.text:  # the camera moves there first
        assert time.monotonic() < end, visitor.text
        time.sleep(1)
        visitor.click_scene(*project(session.client.camera, SCALE * structure.position[top]))
    assert structure.ids[top] in visitor.text


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
    visitor.drag_files([small_survey], "dragEnter", "dragOver")
    visitor.wait_to_see(words)
    visitor.drag_files([small_survey], "drop")
    visitor.wait_for("six-layers.csv: a survey")  # and the tab that says so
    assert not visitor.find(words).is_displayed()
    visitor.drag_files([tmp_path], "dragEnter", "dragOver", "drop")
    visitor.wait_for("That is a folder. Drop the picture or the survey itself.")
    (tmp_path / "large.csv").write_bytes(b"x" * 1_000_001)
    visitor.drag_files([tmp_path / "large.csv"], "dragEnter", "dragOver", "drop")
    visitor.wait_for("large.csv is too large")
    assert "six-layers.csv: a survey" in visitor.text


def test_of_several_files_one_is_taken_and_the_page_says_which(visitor: Browser, small_survey: Path, plain: Path) -> None:
    visitor.press("a picture")
    visitor.wait_for("debris.png: a picture")
    visitor.drag_files([small_survey, plain], "dragEnter", "dragOver", "drop")
    visitor.wait_for("2 files were dropped. Only six-layers.csv is taken")
    visitor.wait_for("six-layers.csv: a survey")


def test_a_picture_of_the_page_that_is_dragged_is_no_file(visitor: Browser) -> None:
    """Browsers call it one."""
    visitor.press("a picture")
    visitor.wait_for("debris.png: a picture")
    visitor.driver.execute_script(
        "addEventListener('dragover', (event) => (window.carried = [...event.dataTransfer.types]), {capture: true})"
    )
    image = visitor.wait_to_see("//img[starts-with(@src, 'data:image/jpeg')]")
    drag = ActionChains(visitor.driver).click_and_hold(image).move_by_offset(-40, 10).move_by_offset(-300, 20)
    drag.pause(0.5).perform()
    carried = visitor.driver.execute_script("return window.carried")
    assert "Files" in carried
    assert not visitor.find("//div[normalize-space(.)='Drop one picture or survey here']").is_displayed()
    ActionChains(visitor.driver).release().perform()
    assert "debris.png: a picture" in visitor.text


def test_a_number_between_minus_one_and_zero_keeps_its_sign(visitor: Browser, page) -> None:
    session = page.sessions[min(page.sessions)]
    visitor.turn_to("Start")
    visitor.press("a survey")
    visitor.wait_for("survey.csv: a survey")
    visitor.wait_to_see("//label[normalize-space(.)='Heading [°]']")
    visitor.type_text("Heading [°]", "-0.5")
    visitor.type_text("Foot x, y [mm]", "-0.25 0.75")
    view = session.intake.viewpoint
    visitor.wait_to_have(lambda: (view.heading.value, view.origin.value), ("-0.5", "-0.25 0.75"))
    assert visitor.field("Heading [°]").get_attribute("value") == "-0.5"
    told = session.intake.read()
    assert (math.degrees(told.heading), *told.origin) == pytest.approx((-0.5, -0.00025, 0.00075))
    visitor.type_text("Heading [°]", "north")
    visitor.press("Reconstruct")
    visitor.wait_for("“Heading [°]” says “north”; write one number")
    visitor.type_text("Heading [°]", "0")
    visitor.type_text("Foot x, y [mm]", "0 0")


def test_the_target_is_there_to_print(visitor: Browser) -> None:
    pytest.importorskip("cv2")
    visitor.turn_to("Files")
    visitor.press("Letter")
    assert visitor.wait_for_file("target-letter.pdf").read_bytes().startswith(b"%PDF")
    visitor.turn_to("Start")


def test_another_visitor_sees_nothing_of_it_and_leaves_nothing(visitor: Browser, open_browser, page, plain: Path) -> None:
    other = open_browser()
    assert "Nothing is given yet." in other.text
    assert "six-layers" not in other.text
    assert len(page.sessions) == 2
    session = page.sessions[max(page.sessions)]
    other.press("a picture")
    other.wait_for("debris.png: a picture")
    assert "debris.png" not in visitor.text
    give_four_floor_points(other, session, plain)
    other.choose("Language", "Español")
    other.wait_for("Reconstruir")
    assert "Idioma" not in visitor.text
    folder = session.storage.folder
    assert folder.is_dir()
    other.read_logs()
    assert other.complaints == []
    other.quit()
    end = time.monotonic() + PATIENCE
    while folder.exists() or len(page.sessions) > 1:
        assert time.monotonic() < end, (folder.exists(), page.sessions)
        time.sleep(0.1)


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """The picture of the example as a photograph: it says no camera, and shows no target."""
    path = tmp_path_factory.mktemp("photographs") / "photo.jpg"
    Image.fromarray(read_photograph(EXAMPLES["picture"].path)).save(path, quality=92)
    return path


def give_four_floor_points(browser: Browser, session, plain: Path) -> None:
    """Points of a photograph are clicked, their places typed; the camera that they tell is the one that took it."""
    browser.give(plain)
    browser.wait_for("photo.jpg: a picture; no printed target is seen in it")
    browser.press("Reconstruct")
    browser.wait_for("Point 1 has no pixel yet")
    points, camera = session.intake.viewpoint.points, find_camera(EXAMPLES["picture"].path).camera
    board = session.intake.viewpoint.board
    middle = board.image.position  # to which the camera turns; the browser tells when it has
    browser.wait_to_have(lambda: np.allclose(project(session.client.camera, middle), 0.5, atol=0.01), True)
    browser.wait_for(
        "File uploaded successfully.", gone=True
    )  # what says so lies over the scene, and stays while it is pointed at
    time.sleep(1)
    for (pixel, _), (column, row) in zip(points, ((90, 160), (420, 120), (440, 400), (70, 430)), strict=True):
        place = middle + np.array([(column / 512 - 0.5) * board.width, 0.0, (0.5 - row / 512) * HEIGHT])
        browser.click_scene(*project(session.client.camera, place))
        browser.wait_to_have(lambda pixel=pixel: pixel.value != (0.0, 0.0), True)
        assert pixel.value == pytest.approx((column, row), abs=4)  # of 512: a click is as fine as the screen
    browser.press("Reconstruct")
    browser.wait_for("Points 1 and 2 are at the same place")
    told = []
    for number, (pixel, floor) in enumerate(points, 1):
        ray = camera.rays(np.array([pixel.value]))[0]
        x, y = (1e3 * (np.array(camera.eye) - camera.eye[2] / ray[2] * ray)[:2]).round(1).tolist()
        browser.type_text(f"{number}. x, y [mm]", f"{x} {y}")
        told.append((floor, f"{x} {y}"))
    browser.wait_to_have(lambda: [floor.value for floor, _ in told], [text for _, text in told])
    rows = np.array(session.intake.read().points)
    solved = solve_camera(rows[:, :2], rows[:, 2:], 512, 512)
    np.testing.assert_allclose(solved.camera.eye, camera.eye, atol=0.02)  # of a metre


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
