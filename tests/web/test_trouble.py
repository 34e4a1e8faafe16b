"""Trouble: whatever a visitor does wrong is told in their language, with what to do about it."""

import io
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anastylosis.detection.camera.photograph import WAYS, find_camera, read_photograph
from anastylosis.errors import KINDS, AnastylosisError, InvalidInput, MissingExtra, SimulationDiverged, WorkerDied
from anastylosis.executors import run_serial
from anastylosis.models.shipped import SHIPPED
from anastylosis.survey import read_survey, write_survey
from anastylosis.web.config import LANGUAGES
from anastylosis.web.findings import reconstruct
from anastylosis.web.observing import VisitorFacts
from anastylosis.web.problems import PROBLEMS
from anastylosis.web.trouble import Refused, explain, number_error
from anastylosis.web.uploads import EXAMPLES, InputFile, keep_upload
from anastylosis.web.words import Translator
from support.visitors import see_blocks

HEAD = "id,length,width,height,x,y,z,qw,qx,qy,qz\n"
STONE = ",75,25,15,0,0,7.5,1,0,0,0\n"
PIXELS = np.array([(80.0, 150.0), (420.0, 110.0), (440.0, 400.0), (60.0, 430.0)])  # of the example, all on the floor


def draw(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("L", (width, height)).save(file, "PNG")
    return file.getvalue()


def test_every_kind_of_error_has_words_of_the_page_and_there_are_no_others() -> None:
    assert PROBLEMS.keys() - {"other"} == KINDS - {""}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "file_empty"),
        (b"x" * 1_000_001, "file_large"),
        (b"PK\x03\x04\x00\x00", "not_text"),
        (f"{HEAD}A{STONE}".encode("utf-16"), "not_text"),
        (draw(300, 300)[:100], "picture_broken"),
        (draw(9000, 9000), "picture_large"),
        (draw(8, 8), "picture_small"),
        (draw(4000, 20), "picture_strip"),
        (b"this,is\nno,survey\n", "survey_columns"),
        (b'{"stones": []}', "survey_json"),
        (b"[1, 2", "survey_json"),
        (HEAD.encode(), "survey_empty"),
        (f"{HEAD}A,75\n".encode(), "survey_rows"),
        (f"{HEAD}A{STONE}A{STONE}".encode(), "survey_ids"),
        (f"{HEAD}A{STONE.replace('7.5', 'seven')}".encode(), "survey_number"),
        (f"{HEAD}A{STONE.replace('1,0,0,0', '2,0,0,0')}".encode(), "survey_rotation"),
        (f"# units: feet\n{HEAD}A{STONE}".encode(), "survey_units"),
        (f"# units: mm\n{HEAD}A{STONE.replace('75', '-75')}".encode(), "survey_value"),
        (f"# units: m\n{HEAD}A{STONE.replace('0,0,7.5', '500000,0,7.5')}".encode(), "survey_far"),
        (f"# units: mm\n# origin: 1, 2\n{HEAD}A{STONE}".encode(), "survey"),  # of no kind of its own
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_the_language_of_its_visitor(tmp_path: Path, content: bytes, kind: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        see_blocks(
            keep_upload(tmp_path, content, "<piedras>", 1_000_000), VisitorFacts()
        )  # a picture is decoded when it is looked at
    check(refused.value, kind)
    assert "&lt;piedras&gt;" in explain(refused.value, Translator("es"))


def check(error: AnastylosisError, kind: str) -> None:
    """What is said has both: the words of the page, then those of the library."""
    for language, column in (("en", 0), ("es", 1)):
        said = explain(error, Translator(language))
        assert said.startswith(PROBLEMS[kind][column])
        assert "In detail" in said if language == "en" else "En detalle, en inglés" in said


def find_floor() -> np.ndarray:
    """(4, 2) where the points are that the example shows at `PIXELS` [m]."""
    camera = find_camera(EXAMPLES["picture"].path).camera
    rays = camera.rays(PIXELS)
    return (np.array(camera.eye) - camera.eye[2] / rays[:, 2:] * rays)[:, :2]


def tell_points(places: np.ndarray, pixels: np.ndarray, **told: object) -> VisitorFacts:
    return VisitorFacts(
        points=tuple((*place, *pixel) for place, pixel in zip(places.tolist(), pixels.tolist(), strict=True)), **told
    )


@pytest.fixture
def photograph(tmp_path: Path) -> InputFile:
    """The example, without what says its camera."""
    path = tmp_path / "photo.png"
    Image.fromarray(read_photograph(EXAMPLES["picture"].path)).save(path)
    return InputFile(path, "picture", "photo.png")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda floor, seen: (floor * (1, 0), seen), "points_line"),
        (lambda floor, seen: (floor[:, ::-1], seen), "points_mirrored"),
        (lambda floor, seen: (floor, seen[[1, 0, 2, 3]]), "points_wrong"),
        (lambda floor, seen: (floor, seen + 1000), "points_wrong"),
    ],
)
def test_points_that_tell_no_camera_are_told(photograph: InputFile, change, kind: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        see_blocks(photograph, tell_points(*change(find_floor(), PIXELS)))
    check(refused.value, kind)


def test_a_tower_that_stood_elsewhere_is_told(photograph: InputFile) -> None:
    with pytest.raises(InvalidInput) as refused:
        see_blocks(photograph, tell_points(find_floor(), PIXELS, origin=(40.0, 40.0)))
    check(refused.value, "not_in_view")


def test_a_picture_that_says_no_camera_is_told_with_the_controls_of_the_page(photograph: InputFile) -> None:
    with pytest.raises(InvalidInput) as refused:
        see_blocks(photograph, VisitorFacts(origin=(0.1, 0.1)))
    check(refused.value, "no_camera")
    assert WAYS in str(refused.value)
    assert "points file" not in explain(refused.value, Translator("en"))


@pytest.mark.parametrize(
    ("change", "layers", "kind"),
    [
        (lambda survey: survey, 3, "blocks_many"),
        (lambda survey: replace(survey, size=survey.size / 10), 18, "blocks_misfit"),
    ],
)
def test_blocks_of_no_such_tower_are_told(tmp_path: Path, change, layers: int, kind: str) -> None:
    path = tmp_path / "survey.csv"
    write_survey(path, change(read_survey(EXAMPLES["survey"].path)))
    with pytest.raises(InvalidInput) as refused:
        reconstruct(InputFile(path, "survey", "survey.csv"), VisitorFacts(layers=layers), 1, run_serial, lambda *said: None)
    check(refused.value, kind)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("error", "key"),
    [
        (SimulationDiverged(0, 1, 2, "L00_0"), "error_engine"),
        (WorkerDied("the job `play 7 in /srv/page` took its worker down 3 times"), "error_worker"),
        (MissingExtra("OpenCV", "photo"), "error_extra"),
        (InvalidInput(f"there is no model {SHIPPED}"), "broken"),
        (InvalidInput(f"{SHIPPED} cannot be used as a model", kind="picture"), "broken"),  # an eye that looks at a picture
    ],
)
def test_what_the_machine_lacks_is_logged_and_no_visitor_sees_its_paths(error, key: str, language: str, caplog) -> None:
    values = {"number": number_error(error)} if key == "broken" else {}
    assert explain(error, Translator(language)) == Translator(language)(key, **values)
    assert f"{number_error(error)}: a visitor was told without details: {error}" in caplog.text


def test_a_net_that_is_missing_is_told_without_its_path(photograph: InputFile, monkeypatch) -> None:
    monkeypatch.setattr("anastylosis.models.shipped.DETECTOR", SHIPPED.parent / "no_detector")
    with pytest.raises(InvalidInput) as refused:
        see_blocks(photograph, tell_points(find_floor(), PIXELS))
    said = explain(refused.value, Translator("es"))
    assert said == Translator("es")("broken", number=number_error(refused.value))
    assert str(SHIPPED.parent) not in said


def test_what_has_no_kind_is_told_with_what_the_library_says() -> None:
    check(AnastylosisError("<b>who</b> knows"), "other")
    assert "<b>who" not in explain(AnastylosisError("<b>who</b> knows"), Translator("es"))
    secret = ValueError("secret")
    assert explain(secret, Translator("es")) == Translator("es")("broken", number=number_error(secret))


def test_what_the_page_refuses_itself_is_said_as_it_is() -> None:
    assert explain(Refused("«Pie» dice 1 < 2"), Translator("es")) == "«Pie» dice 1 &lt; 2"


def test_an_error_that_comes_from_another_process_keeps_its_kind() -> None:
    error = pickle.loads(pickle.dumps(InvalidInput("it is bad", kind="survey", remedy="Mend it")))
    assert (str(error), error.what, error.kind, error.remedy) == ("it is bad. Mend it", "it is bad", "survey", "Mend it")
