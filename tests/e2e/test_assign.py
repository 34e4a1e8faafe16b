"""`anastylosis assign` as a user meets it: a survey in, tables out, every bad survey in one line; and how its model is made."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anastylosis.assignment.assignment import BLOCK_COLUMNS, SLOT_COLUMNS
from anastylosis.models.shipped import SHIPPED, SHIPPED_ASSIGNMENT, find_assigner, list_detector
from support.assignments import write_assigner

HEAD = "id,length,width,height,x,y,z,qw,qx,qy,qz"


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """Puts each block where it is."""
    path = tmp_path_factory.mktemp("models") / "assigner.onnx"
    write_assigner(path)
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_example_that_ships(call_main, capsys, project: Path, tmp_path: Path) -> None:
    """Stones measured to 5 mm and 5 degrees, one in ten not found, two that never belonged: most go back to where they stood."""
    folder = project / "examples" / "survey"
    line = f"assign {folder / 'fallen-tower.csv'} --layers 18 --out {tmp_path / 'a.csv'} --slots {tmp_path / 's.csv'}"
    assert call_main(line) == 0
    printed = capsys.readouterr()
    assert "18 layers (told; by the blocks alone" in printed.out
    assert str(tmp_path / "a.csv") in printed.err
    rows, slots = read_rows(tmp_path / "a.csv"), read_rows(tmp_path / "s.csv")
    assert tuple(rows[0]) == BLOCK_COLUMNS
    assert tuple(slots[0]) == SLOT_COLUMNS
    truth = {row["stone"]: row["slot"] for row in read_rows(folder / "truth.csv")}
    own = [row for row in rows if truth[row["id"]] != "foreign"]
    assert sum(row["slot"] == truth[row["id"]] for row in own) / len(own) > 0.6
    given = [row["slot"] for row in rows if row["slot"]]
    assert len(given) == len(set(given))


def test_one_document_on_stdout(call_main, capsys, project: Path) -> None:
    survey = project / "examples" / "survey" / "fallen-tower.csv"
    assert call_main(f"assign {survey} --friction nominal --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["survey"] == str(survey)
    assert document["friction_given"] == 0.4
    assert document["layers_given"] is False
    assert len(document["layers_ranked"]) == 5
    assert {"layer", "place", "x", "y", "z", "qw"} <= set(document["blocks"][0])
    assert 0 < document["layers_probability"] <= 1
    assert sum(chance for chance in document["removed"].values()) == pytest.approx(document["num_removed"], rel=1e-3)


def test_what_is_told_is_used(call_main, capsys, tmp_path: Path, model: Path) -> None:
    """Units, origin and heading on the command line: one block that stands in the middle of the bottom layer of a site."""
    (tmp_path / "s.csv").write_text(f"{HEAD}\nA,81,26,18,1000000,2000000,9,0.9238795325,0,0,0.3826834324\n")
    line = f"assign {tmp_path / 's.csv'} --units mm --origin 1000,2000,0 --heading 45 --layers 3 --model {model} --json"
    assert call_main(f"{line} --out {tmp_path / 'a.csv'}") == 0
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    assert block["slot"] == "L00_1"
    (row,) = read_rows(tmp_path / "a.csv")
    assert [float(row[name]) for name in ("x", "y", "z")] == pytest.approx([1000.0, 2000.0, 0.009], abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "words", "says"),
    [
        ([], "", "no stone|no row|at least one"),
        (["A,81,26,18,0,0,9,1,0,0,0"], "", "1,000 times"),
        (["A,.081,.026,.018,0,0,.009,1,0,0,0"] * 2, "", "'A'|id"),
        (["A,.081,.026,.018,0,0,.009,1,0,0"], "", "row|columns|cells"),
        (["A,.081,.026,.018,0,0,nan,1,0,0,0"], "", "z"),
        (["A,.081,.026,.018,0,0,.009,1,0,0,0"], "--layers 0", "layers is 0"),
        (["A,.081,.026,.018,0,0,.009,1,0,0,0"], "--friction oily", "choose one of low, nominal, high, unknown"),
        (["A,.081,.026,.018,0,0,.009,1,0,0,0"], "--origin 1,2", "--origin is '1,2'; give 3 numbers"),
        (["A,.081,.026,.018,0,0,.009,1,0,0,0"], "--units furlong", "furlong"),
        (["A,.081,.026,.018,0,0,.009,1,0,0,0"], f"--model {SHIPPED}", "give it to `anastylosis predict`"),
    ],
)
def test_what_cannot_be_right_is_one_line(
    call_main, capsys, tmp_path: Path, model: Path, rows: list[str], words: str, says: str
) -> None:
    (tmp_path / "s.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    assert call_main(f"assign {tmp_path / 's.csv'} --model {model} {words}") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert re.search(says, printed.err), printed.err


def test_many_findings_are_cut_short(call_main, capsys, tmp_path: Path) -> None:
    rows = [f"A{n},.081,.026,.018,{n / 10},0,{0.009 if n < 4 else n},1,0,0,0" for n in range(1, 71)]  # three on the ground
    (tmp_path / "s.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    assert call_main(f"assign {tmp_path / 's.csv'} --layers 18") == 0
    printed = capsys.readouterr()
    left = [line for line in printed.out.splitlines() if "left out" in line]
    assert len(left) == 9  # of 70 blocks, 54 at most are put back
    assert re.search(r"and \d+ more, in --json and --out", left[-1])
    err = printed.err.splitlines()
    assert len(err) == 9
    assert "more like these, in --json; if the survey is not exact, say how good it is (--error)" in err[-1]


def test_the_survey_is_not_written_over(call_main, capsys, tmp_path: Path) -> None:
    survey = tmp_path / "s.csv"
    survey.write_text(f"{HEAD}\nA,.081,.026,.018,0,0,.009,1,0,0,0\n")
    before = survey.read_text()
    assert call_main(f"assign {survey} --out {tmp_path / 'x' / '..' / 's.csv'}") == 2
    assert call_main(f"assign {survey} --out {tmp_path}") == 2
    printed = capsys.readouterr().err
    assert "have to be different files" in printed
    assert "is a folder; name a file" in printed
    assert survey.read_text() == before


def test_no_such_file(call_main, capsys, tmp_path: Path) -> None:
    assert call_main(f"assign {tmp_path / 'none.csv'}") == 2
    assert "there is no such file" in capsys.readouterr().err


def test_nothing_heavy_is_loaded(project: Path) -> None:
    survey = project / "examples" / "survey" / "fallen-tower.csv"
    code = (
        "import sys\nfrom anastylosis.cli import main\n"
        f"sys.argv = ['anastylosis', 'assign', {str(survey)!r}, '--json']\n"
        "try:\n    main()\nexcept SystemExit as leaving:\n    assert not leaving.code\n"
        "heavy = {'torch', 'numba', 'matplotlib', 'pyarrow', 'sklearn'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(("source", "preset"), [("total station", "assign"), ("seen in 1 picture", "seen")])
def test_what_the_eye_found_is_read_by_the_net_that_knows_what_it_misses(
    call_main, capsys, tmp_path: Path, source: str, preset: str
) -> None:
    path = tmp_path / "survey.csv"
    path.write_text(f"# source: {source}\n{HEAD}\na,0.081,0.027,0.018,0,0,0.009,1,0,0,0\n", encoding="utf-8")
    assert call_main(f"assign {path} --layers 6 --json") == 0
    assert json.loads(capsys.readouterr().out)["model"] == preset


def test_models_that_ship_are_small() -> None:
    assert sum(path.stat().st_size for path in (SHIPPED, SHIPPED_ASSIGNMENT, *list_detector(), find_assigner())) <= 25_000_000


def test_an_assigner_is_trained_judged_and_used(call_main, capsys, debris: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("anastylosis.training.loop.count_cores", lambda: 1)
    out = tmp_path / "mine.onnx"
    assert call_main(f"train assign {debris} --epochs 1 --out {out} --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "assignment"
    assert "placed.top1" in document["metrics"]
    page = tmp_path / "page.md"
    assert call_main(f"evaluate {out} {debris} --with {SHIPPED} --out {page} --json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["model"] for row in rows} == {"prior", "nearest", "rule", "full", "assign"}
    assert {"test", "test-field", "test-worst", "test-foreign", "test-told", "test-tall", "test-tall-field"} <= {
        row["split"] for row in rows
    }
    onlooker = [row for row in rows if row["model"] == "full"]
    assert {row["head"] for row in onlooker} == {"removed_locs", "num_removed", "failure_layer"}
    assert "field" not in " ".join(row["split"] for row in onlooker)
    text = page.read_text()
    assert f"evaluate mine.onnx {debris.name} --with picture_net.onnx --out page.md" in text
    assert "| assign | assignment |" in text


def test_a_direct_model_stands_beside_and_assigns_nothing(
    call_main, capsys, debris: Path, project: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("anastylosis.training.loop.count_cores", lambda: 1)
    out = tmp_path / "direct.onnx"
    assert call_main(f"train assign {debris} --preset direct --epochs 1 --out {out} --json") == 0
    capsys.readouterr()
    assert call_main(f"evaluate {SHIPPED_ASSIGNMENT} {debris} --with {out} --quick --json") == 0
    rows = [row for row in json.loads(capsys.readouterr().out)["rows"] if row["model"] == "direct"]
    assert {row["head"] for row in rows} >= {"removed_locs", "num_removed", "failure_layer"}
    assert "placed" not in {row["head"] for row in rows}
    survey = project / "examples" / "survey" / "fallen-tower.csv"
    assert call_main(f"assign {survey} --model {out}") == 2
    assert "places no block" in capsys.readouterr().err


def test_options_of_pictures_are_refused(call_main, capsys, debris: Path, tmp_path: Path) -> None:
    assert call_main(f"train assign {debris} --width 0.5 --views 2 --out {tmp_path / 'm.onnx'}") == 2
    assert "No such option: --width" in capsys.readouterr().err
