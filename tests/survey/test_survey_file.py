"""Files of surveys: there and back in every unit and convention, and tables as people really save them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anastylosis.errors import InvalidInput
from anastylosis.survey import Ground, Survey, read_survey, write_survey
from anastylosis.survey.rotation import CONVENTIONS
from anastylosis.text_file import guard_formula, unguard
from support.surveys import UTM, corner_set, places, same_turns, sizes, survey, tower_survey, turns

COLUMNS = "id,length,width,height,x,y,z,qw,qx,qy,qz"
ROW = "A1,0.081,0.026,0.018,1,2,0.009,1,0,0,0"

texts = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)


@st.composite
def surveys(draw: st.DrawFn) -> Survey:
    """One to three stones of any size, anywhere, called anything."""
    count = draw(st.integers(1, 3))

    def some(strategy):
        return st.lists(strategy, min_size=count, max_size=count)

    return Survey(
        ids=tuple(draw(st.lists(texts, min_size=count, max_size=count, unique=True))),
        size=np.sort(draw(some(sizes)), axis=1)[:, ::-1],
        position=draw(some(places)),
        orientation=draw(some(turns)),
        position_sd=draw(some(st.floats(0, 1))),
        orientation_sd=draw(some(st.floats(0, 1))),
        certainty=draw(some(st.floats(0, 1, exclude_min=True))),
        notes=tuple(draw(some(texts | st.just("")))),
        ground=draw(st.just(Ground()) | st.builds(Ground, origin=st.just(UTM), heading=st.floats(-3, 3))),
        source=draw(texts | st.just("")),
    )


@pytest.mark.parametrize("ending", ["csv", "json"])
@pytest.mark.parametrize("units", ["m", "cm", "mm"])
@settings(max_examples=60)  # of each of six kinds, and each writes a file
@given(st.data())
def test_there_and_back_again(tmp_path_factory, ending: str, units: str, data: st.DataObject) -> None:
    made, rotation, angles = (
        data.draw(surveys()),
        data.draw(st.sampled_from(list(CONVENTIONS))),
        data.draw(st.sampled_from(("deg", "rad"))),
    )
    path = tmp_path_factory.getbasetemp() / f"survey.{ending}"
    write_survey(path, made, units=units, rotation=rotation, angles=angles)
    again = read_survey(path)
    assert (again.ids, again.notes, again.source, again.warnings) == (made.ids, made.notes, made.source, ())
    np.testing.assert_allclose(again.size, made.size, rtol=1e-15)
    # Site coordinates are written to the nanometre, and have seven digits before the point.
    np.testing.assert_allclose(again.position, made.position, atol=1e-14 if made.ground.is_site else 2e-9, rtol=0)
    assert same_turns(again.orientation, made.orientation).max() < 1e-13
    np.testing.assert_allclose(again.position_sd, made.position_sd, rtol=1e-15)
    np.testing.assert_allclose(again.orientation_sd, made.orientation_sd, rtol=1e-15)
    np.testing.assert_array_equal(again.certainty, made.certainty)
    np.testing.assert_allclose(again.ground.origin, made.ground.origin, rtol=1e-15)
    assert again.ground.heading == pytest.approx(made.ground.heading, rel=1e-15)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_metres_and_quaternions_are_written_to_the_last_bit(tmp_path: Path, ending: str) -> None:
    tower = tower_survey(5)
    rng = np.random.default_rng(0)
    made = replace(tower, position=tower.position + rng.normal(0, 0.01, (15, 3)))
    write_survey(tmp_path / f"a.{ending}", made)
    again = read_survey(tmp_path / f"a.{ending}")
    np.testing.assert_array_equal(again.position, made.position)
    np.testing.assert_allclose(again.orientation, made.orientation, atol=2e-16)
    write_survey(tmp_path / f"b.{ending}", again)
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_millimetres_are_written_as_people_write_them(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_survey(path, tower_survey(1), units="mm")
    assert path.read_text().splitlines()[-2] == "L00_1,81.0,26.0,18.0,0.0,0.0,9.0,1.0,0.0,0.0,0.0,0.0,0.0,1.0,"


@pytest.mark.parametrize("units", ["m", "mm"])
def test_site_coordinates_come_back(tmp_path: Path, units: str) -> None:
    """A foot at UTM coordinates: read, turned into the ground frame, written again."""
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    per = {"m": 1, "mm": 1000}[units]
    site = np.add(UTM, [(0.3, -0.2, 0.009), (-0.5123, 0.4456, 0.0271)])
    rows = [
        f"s{k},0.081,0.026,0.018,{','.join(repr(round(value * per, 6)) for value in place)},1,0,0,0"
        for k, place in enumerate(site.tolist())
    ]
    origin = ", ".join(repr(value * per) for value in UTM)
    labels = COLUMNS.replace("x,y,z", f"x_{units},y_{units},z_{units}")
    first.write_text("\n".join([f"# origin: {origin}", "# heading: 37.5 deg", labels, *rows]))
    made = read_survey(first)
    assert np.abs(made.position).max() < 1
    np.testing.assert_allclose(np.linalg.norm(made.position, axis=1), np.linalg.norm(site - UTM, axis=1), atol=1e-9)
    write_survey(second, made, units=units)
    cells = [line.split(",")[4:7] for line in second.read_text().splitlines() if line.startswith("s")]
    np.testing.assert_allclose(np.array(cells, float) / per, site, atol=1e-9, rtol=0)
    np.testing.assert_allclose(read_survey(second).position, made.position, atol=1e-9, rtol=0)


def test_the_caller_goes_before_the_file_but_not_before_a_column(tmp_path: Path) -> None:
    path = write(tmp_path, f"# units: cm\n# origin: 5, 5, 0\n{COLUMNS.replace('length', 'length_mm')}\nA1,81,26,18,1,2,9,1,0,0,0")
    made = read_survey(path, units="mm", origin=(0.001, 0, 0), heading=np.pi / 2, position_sd=0.005, orientation_sd=0.1)
    assert made.size.tolist() == [[0.081, 0.026, 0.018]]
    np.testing.assert_allclose(made.position, [(0.002, 0, 0.009)], atol=1e-15)
    assert (made.position_sd.tolist(), made.orientation_sd.tolist()) == ([0.005], [0.1])


def test_a_deviation_that_is_not_told_is_the_callers(tmp_path: Path) -> None:
    path = write(tmp_path, f"{COLUMNS},position_sd_mm,orientation_sd_deg\n{ROW},3,\n{ROW.replace('A1', 'A2')},,2")
    made = read_survey(path, position_sd=0.01, orientation_sd=0.5)
    assert made.position_sd.tolist() == [0.003, 0.01]
    np.testing.assert_allclose(made.orientation_sd, [0.5, np.radians(2)])


def write(tmp_path: Path, text: str | bytes, name: str = "survey.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_tables_as_spreadsheets_save_them(tmp_path: Path) -> None:
    """A byte order mark, CRLF, declarations with quotes and empty cells behind, blank rows, cases, unknown columns."""
    text = (
        '\ufeff# Surveyed on a Sunday\r\n"# origin: 1, 2, 0",,,,\r\n# Units: Millimetres,,,\r\n# weather: fine,,\r\n,,,\r\n'
        "ID,Length,WIDTH,Height [cm],X,Y,Z (m),qW,qX,qY,qZ,Colour,Notes,,\r\n"
        'A1,81,26,1.8,2,3,0.009,1,0,0,0,grey,"lies, face down",,\r\n,,,,,,,,,,,,,,\r\n\r\n'
        " A2 ,81,26,1.8,1E2,−5.5,9e-3,0.7071,0,0,0.7071,,,,\r\n"
    )
    with pytest.raises(InvalidInput, match="row 2, origin: x, y and z are in different units; name that of the origin"):
        read_survey(write(tmp_path, text))
    made = read_survey(write(tmp_path, text.replace("2, 0", "2, 0 mm")))
    assert (made.ids, made.notes) == (("A1", "A2"), ("lies, face down", ""))
    np.testing.assert_allclose(made.size, [(0.081, 0.026, 0.018)] * 2, rtol=1e-15)
    np.testing.assert_allclose(made.position, [(0.001, 0.001, 0.009), (0.099, -0.0075, 0.009)], atol=1e-15)
    assert made.warnings == (
        "row 4: 'weather' is not known here and was passed over",
        "column 'Colour' is not known here and was passed over",
    )


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas(tmp_path: Path, separator: str) -> None:
    text = "# origin: 1,5; 2; 0\n" + "\n".join(
        [COLUMNS.replace(",", separator), "A1;0,081;0,026;0,018;1,5;2;9e-3;1;0;0;0".replace(";", separator)]
    )
    made = read_survey(write(tmp_path, text))
    assert made.size.tolist() == [[0.081, 0.026, 0.018]]
    np.testing.assert_allclose(made.position, [(0, 0, 0.009)], atol=1e-15)
    points = read_survey(write(tmp_path, f"{COLUMNS}\n{ROW}".replace(",", separator)))
    assert points.position.tolist() == [[1, 2, 0.009]]


def test_points_and_commas_in_one_table_are_refused(tmp_path: Path) -> None:
    text = f"{COLUMNS}\n{ROW}\nA2,0.081,0.026,0.018,1:234,2,0.009,1,0,0,0".replace(",", ";").replace(":", ",")
    with pytest.raises(
        InvalidInput, match="row 3, column x has a comma and row 2, column length a point; write all numbers in one way"
    ):
        read_survey(write(tmp_path, text))


def test_angles_are_radians_unless_declared(tmp_path: Path) -> None:
    labels = COLUMNS.replace("qw,qx,qy,qz", "roll,pitch,yaw")
    row = "A1,0.081,0.026,0.018,0,0,0.009"
    half = read_survey(write(tmp_path, f"{labels}\n{row},0,0,1.5707963267948966"))
    assert half.warnings == ("no unit of roll, pitch, yaw is declared, so radians were taken",)
    for text in (f"# angles: degrees\n{labels}\n{row},0,0,90", f"{labels.replace('yaw', 'yaw_deg')}\n{row},0,0,90"):
        made = read_survey(write(tmp_path, text))
        np.testing.assert_allclose(made.orientation, [(0.5**0.5, 0, 0, 0.5**0.5)], atol=1e-15)
        assert same_turns(made.orientation, half.orientation).max() < 1e-15


def test_a_declared_order_of_turns(tmp_path: Path) -> None:
    labels = COLUMNS.replace("qw,qx,qy,qz", "roll,pitch,yaw")
    text = f"# angles: degrees\n# rotation: euler xyz %s\n{labels}\nA1,0.081,0.026,0.018,0,0,0,90,0,90"
    # Intrinsic: roll, then yaw about the z that now lies along -y: x goes to z. Extrinsic: yaw about the upright z: x goes to y.
    for way, axis in (("intrinsic", (0, 0, 1)), ("extrinsic", (0, 1, 0))):
        made = read_survey(write(tmp_path, text % way))
        ends = corner_set(np.array((1.0, 1e-9, 1e-9)), np.zeros(3), made.orientation[0])
        np.testing.assert_allclose(np.abs(ends), np.tile(axis, (8, 1)) / 2, atol=1e-8)


def test_a_box_whose_height_is_its_longest_side(tmp_path: Path) -> None:
    made = read_survey(write(tmp_path, f"{COLUMNS}\nA1,0.018,0.026,0.081,0,0,0.0405,1,0,0,0"))
    assert made.size.tolist() == [[0.081, 0.026, 0.018]]
    upright = corner_set(np.array((0.018, 0.026, 0.081)), made.position[0], np.array((1.0, 0, 0, 0)))
    np.testing.assert_allclose(corner_set(made.size[0], made.position[0], made.orientation[0]), upright, atol=1e-15)


def test_json_with_units_in_names_and_things_it_does_not_know(tmp_path: Path) -> None:
    block = {
        "id": "A1",
        "length_mm": 81,
        "width_mm": 26,
        "height_mm": 18,
        "x": 1,
        "y": 2,
        "z": 0,
        "azimuth": 90,
        "plunge": 0,
        "roll": 0,
    }
    ground = {"origin": [1, 2, 0], "heading": "90 deg", "slope": 3}
    path = tmp_path / "survey.json"
    path.write_text(
        json.dumps({"format": 1, "angles": "degrees", "ground": ground, "blocks": [block | {"mass": 3}], "date": "today"})
    )
    made = read_survey(path)
    assert made.size.tolist() == [[0.081, 0.026, 0.018]]
    assert made.position.tolist() == [[0, 0, 0]]
    assert same_turns(made.orientation, np.array([(0.5**0.5, 0, 0, -(0.5**0.5))])).max() < 1e-15  # east, seen from north
    assert [warning.split()[0] for warning in made.warnings] == ["'ground.slope'", "'date'", "column"]


@pytest.mark.parametrize("name", ["=SUM(A1:A9)", "+1", "-1", "@cmd", "'=x", "''-x", "'quoted'", "plain"])
def test_no_spreadsheet_finds_a_formula(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    write_survey(path, survey(ids=(name, "A2"), notes=(name, "")))
    row = path.read_text().splitlines()[-2]
    assert not row.lstrip('"').startswith(("=", "+", "-", "@"))
    assert read_survey(path).ids[0] == read_survey(path).notes[0] == name


@given(st.text("'=+-@a", max_size=6))
def test_guards_come_off_again(text: str) -> None:
    assert unguard(guard_formula(text)) == text
    assert not guard_formula(text).startswith(("=", "+", "-", "@"))


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    for words in ({"units": "inch"}, {"rotation": "matrix"}, {"angles": "gon"}):
        with pytest.raises(InvalidInput):
            write_survey(tmp_path / "a.csv", survey(), **words)
    with pytest.raises(InvalidInput, match=r"it has to end in \.csv or \.json"):
        write_survey(tmp_path / "a.xlsx", survey())
    assert list(tmp_path.iterdir()) == []
