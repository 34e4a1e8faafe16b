"""Files that are no surveys, or bad ones: one message that names file, row and column, and says what to do."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.errors import InvalidInput
from anastylosis.survey import Survey, read_survey

LABELS = ["id", "length", "width", "height", "x", "y", "z", "qw", "qx", "qy", "qz"]
CELLS = ["A1", "0.081", "0.026", "0.018", "1", "2", "0.009", "1", "0", "0", "0"]


def table(*rows: list[str], labels: list[str] = LABELS, head: str = "") -> str:
    return head + "\n".join(",".join(cells) for cells in (labels, *rows)) + "\n"


def row(**changes: str) -> list[str]:
    return [changes.get(label, cell) for label, cell in zip(LABELS, CELLS, strict=True)]


def refuse(tmp_path: Path, content: str | bytes, name: str = "survey.csv") -> str:
    """The message with which a file is refused, behind its path."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidInput) as refusal:
        read_survey(path)
    message = str(refusal.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf \r\n", "it is empty"),
        (b"# units: mm\n\n", "it has no rows; the first names the columns: id, length"),
        (table(), "it names columns in row 1, but no stone follows"),
        (b"\x89PNG\r\n\x1a\n\0\0", "it is binary, not text; export the table as CSV in UTF-8"),
        ("id,x".encode("utf-16"), "it is UTF-16; save it as CSV in UTF-8"),
        (b"id,x\n\nA\xe9,1\n", "row 3: byte 7 is not UTF-8; save it as CSV in UTF-8"),
        (table(row(), row()[:-2]), "row 3: it has 9 cells, and 11 columns are named"),
        (table(row(), [*row(), "7"]), "row 3: it has 12 cells, and 11 columns are named"),
        (table(["A1", '"unclosed']), "row 2: it cannot be read: unexpected end of data"),
        (table(row(), row(x='"1"2')), "row 3: it cannot be read: "),
        (table(row(), row(x="9" * 200_000)), "row 3: it cannot be read: field larger than field limit"),
        (table(row(), labels=["id", "lenght", *LABELS[2:]]), "column length is missing (not known here: 'lenght')"),
        (
            table(["a", "1", "2"], labels=["id", "x", "y"]),
            "columns length, width, height, z are missing, and a rotation: qw, qx, qy, qz, or roll, pitch, yaw, or",
        ),
        (
            table(["a", "1", "2"], labels=["id", "x", "y"], head="# rotation: quaternion\n"),
            "columns length, width, height, z, qw, qx, qy, qz are missing",
        ),
        (table(row(), labels=["id", "length_m", "length_mm", *LABELS[3:]]), "columns 'length_m' and 'length_mm' are both length"),
        (table(row(), labels=[*LABELS[:7], *"abcd"]), "there is no rotation: columns qw, qx, qy, qz, or roll"),
        (table(row(), labels=[*LABELS[:10], "q"]), "there is no rotation: columns qw, qx, qy, qz, or roll, pitch, yaw, or "
                                                    "azimuth, plunge, roll are needed, found qw, qx, qy (not known here: 'q')"),
        (table([*row(), "0", "0", "0"], labels=[*LABELS, "roll", "pitch", "yaw"]), "columns pitch, qw, qx, qy, qz, roll, yaw"),
        (table([*row(), "0"], labels=[*LABELS, "yaw"]), "columns qw, qx, qy, qz, yaw are more than one rotation; keep one"),
        (table(row(), labels=["id", "length_deg", *LABELS[2:]]), "column 'length_deg' is in 'deg'; units of a length are m"),
        (table(row(), labels=["id", "length [inch]", *LABELS[2:]]), "column 'length [inch]' is in 'inch'; units of a"),
        (table(row(), labels=["id\x07", *LABELS[1:]]), r"row 1: the name of column 1 is 'id\x07'; take the control"),
        (table(row(), labels=["id;length", *LABELS[2:]]), "row 1: names of columns have commas, semicolons or tabs between them"),
        (",".join(f"c{k}" for k in range(201)), "row 1: it names 201 columns; at most 200 are read"),
    ],
)  # fmt: skip
def test_tables_that_are_none(tmp_path: Path, content: str | bytes, message: str) -> None:
    assert refuse(tmp_path, content).startswith(message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": ""}, "row 3, column id: it is empty; give every stone a name"),
        ({"id": "A1"}, "row 3, column id: 'A1' is the name of row 2, too; every stone needs one of its own"),
        ({"id": " A1 "}, "row 3, column id: 'A1' is the name of row 2"),
        ({"id": "A\x1b[31m"}, r"row 3, column id: it is 'A\x1b[31m'; take the control characters out"),
        ({"id": "A" * 101}, "row 3, column id: it has 101 characters"),
        ({"x": ""}, "row 3, column x: it is empty; fill it in, or take the row out"),
        ({"x": "east"}, "row 3, column x: 'east' is not a number"),
        ({"x": '"1,234"'}, "row 3, column x: '1,234' is not a number; write it with a decimal point"),
        ({"y": "nan"}, "row 3, column y: 'nan' is not a number"),
        ({"y": "-inf"}, "row 3, column y: '-inf' is not a number"),
        ({"y": "1e999"}, "row 3, column y: 1e999 is not a finite number"),
        ({"y": "1_000"}, "row 3, column y: '1_000' is not a number"),
        ({"y": "٣"}, "row 3, column y: '٣' is not a number"),
        ({"y": "1" * 65}, "row 3, column y: '1111"),
        ({"z": "20000"}, "row 3, column z: the stone lies 20,000 m from the foot of the structure, and at most 10,000 m are "
                         "read; declare where that is, `origin: x, y, z`, or look at the units"),
        ({"width": "0"}, "row 3, column width: 0 cannot be; a side is above 0 and at most 10,000 m"),
        ({"height": "-0.018"}, "row 3, column height: -0.018 cannot be"),
        ({"length": "81000"}, "row 3, column length: 81000 cannot be"),
        ({"qw": "2"}, "row 3, columns qw, qx, qy, qz: they have length 2; a rotation is a unit quaternion, so divide them by"),
        ({"qw": "0"}, "row 3, columns qw, qx, qy, qz: they have length 0"),
    ],
)  # fmt: skip
def test_cells_that_cannot_be(tmp_path: Path, changes: dict, message: str) -> None:
    assert refuse(tmp_path, table(row(), row(**({"id": "A2"} | changes)))).startswith(message)


def test_rows_are_counted_as_an_editor_counts_them(tmp_path: Path) -> None:
    text = table(row(), [], [*row(id='"A\n2"')], row(id="A3", x="east"), head="# units: m\n\n").replace("\n", "\r\n")
    assert refuse(tmp_path, text) == "row 8, column x: 'east' is not a number"


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("# units: inch", "row 1, units: it is in 'inch'; units of a length are m, cm, mm"),
        ("# units: degrees", "row 1, units: it is in 'degrees'"),
        ("# angles: gon", "row 1, angles: it is in 'gon'; units of an angle are rad, deg"),
        ("# units: mm\n# units: m", "row 2: units is declared in row 1 already; keep one of them"),
        ("# rotation: euler zyz intrinsic", "row 1, rotation: 'euler zyz intrinsic' is no rotation that is known here"),
        ("# rotation: euler zyx intrinsic", "rotation is `euler zyx intrinsic`, but columns roll, pitch, yaw are missing"),
        ("# origin: 1, 2", "row 1, origin: it has 2 numbers; write x, y and z of the foot of the structure"),
        ("# origin: 1, 2, up", "row 1, origin: ' up' is not a number"),
        ("# origin: 1, 2, 3 ft", "row 1, origin: it is in 'ft'"),
        ("# origin: 1e9, 2, 3", "row 1, origin: origin is"),
        ("# heading: 30", "row 1, heading: is 30 in degrees or in radians? Write `30 deg` or `30 rad`"),
        ("# heading: north", "row 1, heading: 'north' is not a number"),
        ("# heading: 30 rad", "row 1, heading: heading is 30.0; it is an angle in radians"),
        ("# source: \x1b[2J", r"row 1, source: it is '\x1b[2J'; take the control characters out"),
        ("# source: " + "x" * 501, "row 1, source: it has 501 characters"),
        ("# source: " + "x" * 3000, "row 1: it has 3,010 characters; a declaration has at most 2,000"),
        ('"# source: x', "row 1: its quotes cannot be read: unexpected end of data"),
    ],
)
def test_declarations_that_cannot_be(tmp_path: Path, head: str, message: str) -> None:
    assert refuse(tmp_path, table(row(), head=f"{head}\n")).startswith(message)


def test_angles_that_look_like_degrees(tmp_path: Path) -> None:
    labels = [*LABELS[:7], "roll", "pitch", "yaw"]
    text = table([*CELLS[:7], "0", "0", "90"], labels=labels)
    assert (
        refuse(tmp_path, text)
        == "row 2, column yaw: 90 is more than 6.28 radians; if it is in degrees, declare `angles: degrees`"
    )
    text = table([*CELLS, "5"], labels=[*LABELS, "orientation_sd"])
    assert refuse(tmp_path, text).startswith(
        "row 2, column orientation_sd: 5 is more than 1 radians; if it is in degrees, declare"
    )
    text = table([*CELLS, "-5"], labels=[*LABELS, "position_sd"])
    assert refuse(tmp_path, text).startswith("row 2, column position_sd: -5 cannot be; a standard deviation is in 0..")


@pytest.mark.parametrize("said", ["0", "97", "-0.5"])
def test_a_certainty_is_a_probability(tmp_path: Path, said: str) -> None:
    text = table([*CELLS, said], labels=[*LABELS, "certainty"])
    wanted = f"row 2, column certainty: {said} cannot be; a certainty is a probability above 0 and at most 1"
    assert refuse(tmp_path, text).startswith(wanted)


def test_too_many_stones_and_too_many_bytes(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("anastylosis.survey.csv_file.STONES_MAX", 3)
    monkeypatch.setattr("anastylosis.survey.json_file.STONES_MAX", 3)
    assert refuse(tmp_path, table(*(row(id=f"A{k}") for k in range(4)))) == "row 5: at most 3 stones are read"
    assert refuse(tmp_path, json.dumps({"format": 1, "blocks": [{}] * 4}), "a.json") == "it has 4 blocks; at most 3 are read"
    monkeypatch.setattr("anastylosis.survey.survey_file.BYTES_MAX", 50)
    assert refuse(tmp_path, table(row())).startswith("it has more than 0 MB")


BLOCK = {"id": "A1", "length": 1, "width": 1, "height": 1, "x": 0, "y": 0, "z": 0, "qw": 1, "qx": 0, "qy": 0, "qz": 0}


def document(*blocks: object, **changes: object) -> str:
    return json.dumps({"format": 1, "blocks": list(blocks)} | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON: "),
        ("[" * 100_000, "it is n"),
        ("[]", 'it is no survey; one looks like {"format": 1'),
        ("{}", "it is no survey"),
        (document(BLOCK, format=2), "its format is '2', and this version reads 1"),
        (document(BLOCK, format=True), "its format is 'True'"),
        (document(BLOCK, ground=[1]), "ground is '[1]'; it has an origin"),
        (document(BLOCK, ground={"origin": [1, 2]}), "ground, origin: it has 2 numbers"),
        (document(BLOCK, ground={"origin": [1, 2, None]}), "ground, origin: 'None' is not a number"),
        (document(BLOCK, ground={"heading": 30}), "ground, heading: is 30 in degrees or in radians?"),
        (document(BLOCK, units=["m"]), "head, units: it is in \"['m']\""),
        (document(), "blocks is empty"),
        (document(7), "block 1: it is '7'; a block looks like"),
        (document(BLOCK, {"id": "A2"}), "block 2, column length: it is empty"),
        (document(BLOCK, BLOCK), "block 2, column id: 'A1' is the name of block 1"),
        (document(BLOCK | {"id": 7}), "block 1, column id: it is '7'; it has to be a text"),
        (document(BLOCK | {"id": "\ud800"}), r"block 1, column id: it is '\ud800'; take the control characters out"),
        (document(BLOCK | {"x": True}), "block 1, column x: 'True' is not a number"),
        (document(BLOCK | {"x": [1]}), "block 1, column x: '[1]' is not a number"),
        (document(BLOCK | {"x": 10**400}), "block 1, column x: 1000"),
        (document(BLOCK).replace('"x": 0', '"x": NaN'), "NaN is not a finite number"),
        (document(BLOCK).replace('"x": 0', '"x": 0, "x": 1'), "block 'A1': 'x' is given twice; keep one of them"),
        (document(BLOCK | {f"n{k}": 0 for k in range(300)}), "block 1: more than 200 different names are used"),
    ],
)
def test_documents_that_are_no_surveys(tmp_path: Path, text: str, message: str) -> None:
    assert refuse(tmp_path, text, "survey.json").startswith(message)


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, message in (
        ("folder.csv", "it is a folder"),
        ("nowhere.csv", "there is no such file"),
        ("a.xlsx", "has to end in .csv"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read_survey(tmp_path / name)
    with pytest.raises(InvalidInput, match="the survey is in 'inch'"):
        read_survey(tmp_path / "nowhere.csv", units="inch")


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_noise_is_refused_in_words(tmp_path_factory, content: bytes) -> None:
    for name in ("noise.csv", "noise.json"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(content)
        with pytest.raises(InvalidInput):
            read_survey(path)


@given(st.data())
def test_a_table_with_some_bytes_changed_is_read_or_refused(tmp_path_factory, data: st.DataObject) -> None:
    content = bytearray(table(row(), row(id="A2"), head="# units: m\n# origin: 1, 2, 0\n# heading: 30 deg\n").encode())
    for place, byte in data.draw(st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), max_size=4)):
        content[place] = byte
    path = tmp_path_factory.getbasetemp() / "changed.csv"
    path.write_bytes(content)
    try:
        made = read_survey(path)
    except InvalidInput:
        return
    assert isinstance(made, Survey)
