"""`anastylosis survey` as a user meets it, with the nets that ship."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from anastylosis.detection.detections import BoxProposals, join_proposals
from anastylosis.geometry import make_matrices, make_rotations, to_quaternions
from anastylosis.rendering import Camera, frame_points, render_image, write_png
from anastylosis.rendering.look import wood_look
from anastylosis.report.detection_overlay import find_doubtful
from anastylosis.survey import read_survey
from anastylosis.training.detection.scenes import DebrisScene, list_corners
from anastylosis.training.detection.scores import match_blocks
from support.drawn_debris import BLOCK, SLOTS

STANDING = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 17])  # of six layers; two are gone


def make_debris(seed: int = 0, begin: float = 0.3) -> DebrisScene:
    """Six layers of a tower, and eight blocks that lie by themselves around it, from an angle [rad] on."""
    rng = np.random.default_rng(seed)
    turn = np.linspace(0, 2 * np.pi, 8, endpoint=False) + begin
    position = np.column_stack([0.19 * np.cos(turn), 0.19 * np.sin(turn), np.full(8, BLOCK[2] / 2)])
    axes = make_rotations(np.column_stack([np.zeros((8, 2)), rng.uniform(0, np.pi, 8)]))
    blocks = join_proposals([SLOTS.take(STANDING), BoxProposals(np.tile(BLOCK, (8, 1)), position, axes)])
    return DebrisScene(blocks, np.arange(len(blocks.size)) >= len(STANDING), seed)


def draw(scene: DebrisScene, path: Path, azimuth: float, *, told: bool = True) -> None:
    """A picture of it that says its camera."""
    camera = frame_points(list_corners(scene.blocks), elevation=0.6, azimuth=azimuth, width=512, height=512)
    image = render_image(
        scene.blocks.size,
        scene.blocks.position,
        to_quaternions(scene.blocks.axes),
        camera,
        wood_look(3),
        antialias=2,
        shadows="soft",
    )
    write_png(path, image.rgb, camera if told else None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """Where the user is: pictures of one heap from two sides, and one that does not say where it was taken from."""
    monkeypatch.chdir(tmp_path)
    scene = make_debris()
    draw(scene, tmp_path / "one.png", 0.4)
    draw(scene, tmp_path / "two.png", 0.4 + np.pi / 2)
    draw(scene, tmp_path / "untold.png", 0.4, told=False)
    return tmp_path


def read_found(path: str) -> BoxProposals:
    survey = read_survey(path)
    return BoxProposals(survey.size, survey.position, make_matrices(survey.orientation))


def test_a_picture_becomes_a_survey_that_assign_reads(folder: Path, call_main, capsys) -> None:
    assert call_main("survey one.png --out s.csv --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["files"] == ["s.csv", "s-seen.png"]
    assert document["pictures"][0]["image"] == "one.png"
    assert len(document["blocks"]) == len(read_survey("s.csv"))
    assert document["blocks"][0].keys() == {
        "id", "position_m", "orientation_wxyz", "position_sd_mm", "orientation_sd_deg", "certainty", "stands", "doubtful", "note"
    }  # fmt: skip
    stands = [block["stands"] for block in document["blocks"]]
    assert [block["certainty"] for block in document["blocks"]] == pytest.approx(read_survey("s.csv").certainty, abs=1e-4)
    assert stands == [block["note"].startswith("stands") for block in document["blocks"]]
    assert 10 < document["pictures"][0]["elevation_deg"] < 80
    assert abs(sum(stands) - len(STANDING)) <= 2
    matches = match_blocks(read_found("s.csv"), make_debris().blocks)
    assert len(matches.true) >= 0.8 * len(document["blocks"])
    with Image.open("s-seen.png") as overlay:
        assert overlay.width == 1024
        assert overlay.height > 1024  # and a legend below
    assert call_main("assign s.csv --layers 8") == 0
    assert "put back" in capsys.readouterr().out


def test_two_pictures_are_counted_together(folder: Path, call_main, capsys) -> None:
    assert call_main("survey one.png two.png --out both.csv --overlay seen.png") == 0
    told = capsys.readouterr().out
    assert "two.png" in told
    assert "still stand" in told
    assert len(match_blocks(read_found("both.csv"), make_debris().blocks).true) >= 18
    with Image.open("seen.png") as overlay:
        assert overlay.width == 2048


def test_a_camera_of_another_picture_is_doubted(folder: Path, call_main, capsys) -> None:
    """It stood higher, further away and elsewhere. What is found in such a picture is found with little certainty."""
    camera = frame_points([(-0.5, -0.5, 0.0), (0.5, 0.5, 0.3)], elevation=0.8, azimuth=1.0, width=512, height=512)
    with Image.open("one.png") as picture:
        write_png(folder / "wrong.png", np.asarray(picture), camera)
    assert call_main("survey wrong.png --out s.csv") == 0
    told = capsys.readouterr()
    assert told.err.startswith("wrong.png: blocks are only ")
    assert call_main("assign s.csv --layers 40") == 0  # the file says it, too
    assert "s.csv: blocks are only " in capsys.readouterr().err
    assert call_main("survey wrong.png --out s.csv --force --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["warnings"] == [told.err.splitlines()[0].removeprefix("wrong.png: ")]


def test_doubtful_blocks_are_counted(folder: Path, call_main, capsys) -> None:
    assert call_main("survey one.png --out s.csv") == 0
    told, doubtful = capsys.readouterr(), find_doubtful(read_survey("s.csv")).sum()
    assert (f"doubtful      {doubtful}, numbered in s-seen.png: to be checked" in told.out) == bool(doubtful)
    assert f"wrong         about {(1 - read_survey('s.csv').certainty).sum():.0f} of these" in told.out
    assert "is the camera" not in told.err


def test_the_survey_is_in_the_frame_of_the_site(folder: Path, call_main, capsys) -> None:
    """A camera that is told in another frame gives the same blocks, elsewhere."""
    assert call_main("survey one.png --out here.csv") == 0
    with Image.open("one.png") as picture:
        camera = json.loads(picture.info["anastylosis-camera"])
    for name in ("eye", "target"):
        camera[name] = [camera[name][0] + 2.0, camera[name][1] + 1.0, camera[name][2]]
    Path("c.json").write_text(json.dumps(camera))
    assert call_main("survey one.png --out there.csv --camera c.json --origin 2,1") == 0
    here, there = read_survey("here.csv"), read_survey("there.csv")
    assert "believed" not in capsys.readouterr().err  # it is the camera that the picture tells
    np.testing.assert_allclose(here.position, there.position, atol=1e-4)
    assert there.ground.origin.tolist() == [2.0, 1.0, 0.0]
    capsys.readouterr()
    assert call_main("survey one.png --out there.csv --camera c.json --origin 2,1 --force --json") == 0
    first = json.loads(capsys.readouterr().out)["blocks"][0]
    np.testing.assert_allclose(first["position_m"], there.position[0] + (2.0, 1.0, 0.0), atol=1e-4)  # as in the file


def photograph_block(scene: DebrisScene, path: Path) -> tuple[Camera, str]:
    """Save a JPEG that tells its focal length, and a corners file of the block that is seen most from a corner.

    Returns its camera and the options for the corners, where the tower stood and how it is turned.
    """
    camera = frame_points(list_corners(scene.blocks), elevation=0.6, azimuth=0.4, width=1024, height=1024)
    pose = scene.blocks.size, scene.blocks.position, to_quaternions(scene.blocks.axes)
    exif = Image.Exif()
    exif[0x8769] = {0xA405: round(np.hypot(36, 24) / np.hypot(1024, 1024) / camera.pixel_size)}
    Image.fromarray(render_image(*pose, camera, wood_look(3), antialias=2, shadows="soft").rgb).save(path, quality=95, exif=exif)
    views = []
    for row in np.flatnonzero(scene.fell):
        corners = list_corners(scene.blocks.take(np.array([row])))
        away = np.linalg.norm(corners - camera.eye, axis=1) - 10 * (corners[:, 2] > 0.01)  # hidden: on the floor, farthest
        pixels = camera.project(np.delete(corners, away.argmax(), axis=0))[0]
        apart = np.linalg.norm(pixels[:, None] - pixels, axis=2) + 1e9 * np.eye(7)
        views.append((float(apart.min()), corners, pixels))
    _, corners, pixels = max(views, key=lambda view: view[0])
    clicks = pixels[::-1] + np.random.default_rng(5).normal(0, 0.5, (7, 2))
    path.with_name("c.csv").write_text("column;row\n" + "\n".join(f"{x:.2f};{y:.2f}" for x, y in clicks))
    middle = corners.mean(axis=0)[:2]
    x, y = next(edge for edge in corners - corners[0] if np.isclose(np.linalg.norm(edge), BLOCK[0]))[:2] / BLOCK[0]
    if (-y, x) @ (middle - camera.eye[:2]) < 0:  # y of the block leads away from the camera
        x, y = -x, -y
    foot = -middle @ np.array([[x, -y], [y, x]])
    return camera, f"--corners c.csv --origin={foot[0]},{foot[1]} --heading={-np.degrees(np.arctan2(y, x))}"


def test_the_corners_of_one_block_tell_the_camera_of_a_photograph(folder: Path, call_main, capsys) -> None:
    """Clicked half a pixel off: the blocks are found as with the camera itself."""
    scene = make_debris()
    camera, words = photograph_block(scene, folder / "photo.jpg")
    assert call_main(f"survey photo.jpg --out s.csv {words} --json") == 0
    (picture,) = json.loads(capsys.readouterr().out)["pictures"]
    assert picture["camera_from"].startswith("7 corners of a block that lies flat, and EXIF: ")
    assert picture["focal_length_px"] == pytest.approx(1 / camera.pixel_size, rel=0.06)
    assert 0 < picture["focal_length_sd"] < 0.07
    assert len(match_blocks(read_found("s.csv"), scene.blocks).true) >= 20
    assert call_main("survey photo.jpg --out t.csv --corners c.csv") == 2
    assert "the clicked block tells the camera, but it is not known where the tower stood" in capsys.readouterr().err
    assert call_main("survey photo.jpg --out t.csv --block 75,25,75") == 2
    assert "--block: block size is" in capsys.readouterr().err
    assert call_main(f"survey photo.jpg --out t.csv {words} --block 81,27,10") == 2
    assert "photo.jpg: the 7 corners are not those of one block of 81 x 27 x 10 mm" in capsys.readouterr().err
    assert call_main(f"reconstruct photo.jpg --out r {words} --layers 6 --hypotheses 0 --no-films --json") == 0
    assert (folder / "r" / "survey.csv").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("untold.png --out s.csv", "four or more points of the floor"),
        ("one.png two.png --camera c.json --out s.csv", "give one for each"),
        ("one.png --out one.png", "ends in .csv or .json"),
        ("one.png --out s.csv --overlay one.png", "would be written over"),
        ("one.png --out c.json --camera c.json", "would be written over"),
        ("one.png --out mended.csv", "is there already"),
        ("one.png --out s.csv --origin 50,50", "in the tower's own frame"),
        ("one.png --out s.csv --origin 1", "give 2 numbers"),
        ("empty.png --out s.csv", "no block is seen"),
        ("noise.png --out s.csv", "what is seen is hardly like blocks"),
        ("one.png one.png --out s.csv", "pictures 1 and 2 are the same"),
        ("one.png other.png --out s.csv", "do not show the same debris"),
        ("one.png moved.png --out s.csv", "which should show them too, confirms"),
        (
            "one.png --out s.csv --models .",
            "there is no vote_net.onnx, slot_classifier.onnx, refiner.onnx, rescorer.onnx in .; a detector is four nets",
        ),
    ],
)
def test_what_cannot_be_is_one_line(folder: Path, call_main, capsys, words: str, says: str) -> None:
    camera = frame_points([(-0.3, -0.3, 0.0), (0.3, 0.3, 0.1)], elevation=0.6, azimuth=0.4, width=512, height=512)
    bare = render_image(BLOCK[None], [(5.0, 0.0, 0.01)], [(1.0, 0, 0, 0)], camera, wood_look(0))
    write_png(folder / "empty.png", bare.rgb, camera)
    (folder / "mended.csv").write_text("by hand")
    scene = make_debris()
    fallen = scene.blocks.take(scene.fell)
    draw(DebrisScene(fallen, np.ones(8, bool), 0), folder / "other.png", 2.0)
    draw(make_debris(begin=0.7), folder / "moved.png", 2.0)  # the same tower, and a ring of blocks around it as large
    write_png(folder / "noise.png", np.random.default_rng(0).integers(0, 256, (512, 512, 3), np.uint8), camera)
    (folder / "c.json").write_text("{}")
    capsys.readouterr()  # of the kernels that draw, if they had to be compiled
    assert call_main(f"survey {words}") == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    assert not (folder / "s.csv").exists()


def test_a_file_that_contradicts_the_camera_of_a_picture_is_believed_and_said(folder: Path, call_main, capsys) -> None:
    with Image.open("one.png") as picture:
        camera = json.loads(picture.info["anastylosis-camera"])
    camera["target"] = [camera["target"][0], camera["target"][1], camera["target"][2] + 0.05]
    Path("c.json").write_text(json.dumps(camera))
    assert call_main("survey one.png --out s.csv --camera c.json") == 0
    assert "one.png: it tells another camera than c.json, which is believed" in capsys.readouterr().err


def test_a_camera_file_is_believed_where_the_picture_tells_nonsense(folder: Path, call_main, capsys) -> None:
    with Image.open("one.png") as picture:
        Path("c.json").write_text(picture.info["anastylosis-camera"])
        text = PngInfo()
        text.add_text("anastylosis-camera", "{")
        picture.save("broken.png", pnginfo=text)
    assert call_main("survey broken.png --out s.csv --camera c.json") == 0
    assert "believed" not in capsys.readouterr().err
