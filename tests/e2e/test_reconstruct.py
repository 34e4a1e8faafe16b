"""`anastylosis reconstruct` and its evaluation as a user meets them: a survey in, files out whole or not at all."""

import csv
import json
import re
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from anastylosis.reconstruction.folder import BLOCK_COLUMNS, open_folder
from anastylosis.reconstruction.problem import ReconstructionConfig
from anastylosis.report.reconstruction.naming import WHOLE_WORDS
from anastylosis.survey import write_survey
from support.heaps import small_fall, survey_of

FILES = [
    "blocks.csv", "hypotheses.png", "panel.png", "rebuild.mp4", "reconstruction.json", "reconstruction.mp4", "report.html",
]  # fmt: skip
HEAD = "id,length,width,height,x,y,z,qw,qx,qy,qz"


@pytest.fixture(scope="module")
def survey(tmp_path_factory) -> Path:
    """A tower of six layers that fell."""
    path = tmp_path_factory.mktemp("surveys") / "heap.csv"
    write_survey(path, survey_of(small_fall())[0])
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_small_tower(call_main, capsys, survey: Path, tmp_path: Path) -> None:
    words = f"reconstruct {survey} --layers 6 --complete --hypotheses 3 --workers 1 --seed 4"
    assert call_main(f"{words} --out {tmp_path / 'a'}") == 0
    printed = capsys.readouterr()
    assert re.search(r"blocks +\d+: \d+ still stand, \d+ are put back", printed.out)
    assert re.search(r"1\. +\d+% +empty: ", printed.out)
    assert re.search(r"fatal pull +L\d\d_\d (along its length|across) \d+%.*; of \d+ that were tried\n", printed.out)
    assert re.search(rf"less sure .*\n  mind +{re.escape(WHOLE_WORDS)}\n", printed.out)
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == FILES
    document = json.loads((tmp_path / "a" / "reconstruction.json").read_text())
    assert {"prediction", "hypotheses", "slots", "assembly", "limits", "options", "model", "inputs", "code"} <= document.keys()
    assert sum(each["probability"] for each in document["hypotheses"]) == pytest.approx(1)
    assert {"rank", "probability", "standing", "removed", "distance_mm"} <= document["hypotheses"][0].keys()
    rows = read_rows(tmp_path / "a" / "blocks.csv")
    assert tuple(rows[0]) == BLOCK_COLUMNS
    assert {row["basis"] for row in rows} <= {"evidence", "inference", "left out"}
    given = [row["slot"] for row in rows if row["slot"]]
    assert len(given) == len(set(given))

    assert call_main(f"{words} --out {tmp_path / 'b'} --json") == 0  # once more: the same bits
    printed = json.loads(capsys.readouterr().out)
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert printed["files"]["blocks.csv"] == str(tmp_path / "b" / "blocks.csv")
    assert printed["hypotheses"] == document["hypotheses"]


def test_without_physics_and_by_name(call_main, capsys, survey: Path, tmp_path: Path, debris: Path) -> None:
    """With a dataset as library, a survey of one of its episodes is looked up by its name, unless that is turned off."""
    from anastylosis.dataset import Dataset
    from anastylosis.reconstruction.falls import read_falls

    fall = read_falls(Dataset(debris), ["train"], 1)[0]
    named = tmp_path / f"{fall.name}.csv"
    write_survey(named, survey_of(fall)[0])
    words = f"reconstruct {named} --layers {fall.courses} --hypotheses 0 --library {debris} --workers 1 --json --no-films"
    hows, shown = [], []
    for number, more in enumerate(("", "--no-lookup")):
        assert call_main(f"{words} {more} --out {tmp_path / str(number)}") == 0
        document = json.loads(capsys.readouterr().out)
        hows.append(document["reference"]["how"])
        assert document["hypotheses"][0]["probability"] is None
        assert document["hypotheses"][0]["distance_mm"] is None
        shown.append((tmp_path / str(number) / "report.html").read_text())
    assert hows == ["lookup", "nearest"]
    assert f"Retrieved: {fall.name}, looked up by name, 0 mm off." in shown[0]
    assert "not looked up by name, as asked" in shown[1]
    unnamed = named.rename(tmp_path / "heap.csv")
    assert call_main(f"{words.replace(str(named), str(unnamed)).replace(' --json', '')} --out {tmp_path / '2'}") == 0
    out = capsys.readouterr().out
    assert re.search(
        r"  retrieved     \S+, the nearest by .*; the input is not one of the library's own falls, so the most alike was taken\n",
        out,
    )
    assert "agree" not in out  # there is nothing that one tower could agree with
    assert "differ" not in out


@pytest.fixture
def quick_demo(monkeypatch) -> None:
    """No physics, no films, no order of building: what is left is the way from the shipped files to the words."""
    from anastylosis.cli import demo

    def reconstruct_quickly(pool, request):
        config = replace(request.config, hypotheses=0, assembly=False)
        return reconstruct_heap(pool, replace(request, films=False, config=config))

    reconstruct_heap = demo.reconstruct_heap
    monkeypatch.setattr(demo, "reconstruct_heap", reconstruct_quickly)


@pytest.mark.usefixtures("quick_demo")
def test_the_demo_tells_what_it_found_beside_the_truth(call_main, capsys, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert call_main("demo --workers 1") == 0
    out = capsys.readouterr().out
    assert re.search(r"from one picture +from a survey +in truth\n", out)
    assert re.search(r"\n  empty in truth +L02_0, L03_2, ", out)
    assert re.search(r"\n  blocks in their slots +not known +\d+ of 46 right\n", out)
    assert "L03_0 is a slot of the tower: layer 3" in out
    for file in re.findall(r"\n  (demo/\S+) ", out):
        assert Path(file).is_file()
    assert "demo/survey/report.html" in out
    assert str(tmp_path) not in out  # paths are those that were given

    assert call_main("demo --workers 1") == 2  # the folder is not empty
    assert "--force" in capsys.readouterr().err
    (tmp_path / "demo" / "debris" / "reconstruction.mp4").write_text("of an earlier run")
    assert call_main("demo --workers 1 --force --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert {"files", "prediction", "hypotheses", "truth", "survey"} <= document.keys()
    assert {"files", "prediction", "hypotheses"} <= document["survey"].keys()
    assert document["files"]["seen.png"] == "demo/debris/seen.png"
    assert document["cameras"][0]["width"] == 512
    assert not (tmp_path / "demo" / "debris" / "reconstruction.mp4").exists()  # none of this run


@pytest.mark.slow
def test_on_few_cores_both_ways_of_the_demo_go_side_by_side_and_leave_the_same_files(monkeypatch, tmp_path: Path) -> None:
    """Two processes, started for real; nothing of it is done in this one."""
    from anastylosis.cli import demo

    def list_ways(out: Path) -> list[demo.Way]:
        config = ReconstructionConfig(hypotheses=0, assembly=False)
        files = {"from the picture": demo.PICTURE, "from the survey": demo.SURVEY}
        return [demo.Way(label, demo.EXAMPLES / file, out / file, 18, config, False) for label, file in files.items()]

    alone = demo.take_ways(list_ways(tmp_path / "alone"), 1)
    monkeypatch.delattr(demo, "take_way")
    together = demo.take_ways(list_ways(tmp_path / "together"), 2)
    for one, other in zip(alone, together, strict=True):
        assert one.document == other.document
        assert [file.name for file in one.files] == [file.name for file in other.files]
        for file, same in zip(one.files, other.files, strict=True):
            assert file.read_bytes() == same.read_bytes()
    assert together[0].found.survey.ids != together[1].found.survey.ids  # in the order that was asked for
    assert "seen.png" in [file.name for file in together[0].files]


def test_a_folder_with_something_in_it_needs_force(call_main, capsys, survey: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    words = f"reconstruct {survey} --layers 6 --hypotheses 0 --workers 1 --no-films --out {tmp_path}"
    assert call_main(words) == 2
    assert "--force" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert call_main(f"{words} --force") == 0
    assert {"notes.txt", "blocks.csv", "reconstruction.json"} <= {path.name for path in tmp_path.iterdir()}
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--friction 0", "friction"),
        ("--friction 2.5", "friction"),
        ("--friction 0.5..0.3", "smaller first"),
        ("--friction slippery", "friction"),
        ("--friction 0.2..0.3..0.4", "friction"),
        ("--layers 0", "layers"),
        ("--hypotheses -1", "hypotheses"),
        ("--error 5", "--error"),
        ("--model no.onnx", "no.onnx"),
        ("--library no.parquet", "no.parquet"),
    ],
)
def test_wrong_words_in_one_line_and_nothing_is_written(
    call_main, capsys, survey: Path, tmp_path: Path, words: str, says: str
) -> None:
    assert call_main(f"reconstruct {survey} --out {tmp_path / 'out'} --workers 1 {words}") == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert "Traceback" not in printed.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "no stone|no row|at least one"),
        (["A,81,26,18,0,0,9,1,0,0,0"], "1,000 times"),
        (["A,.081,.026,.018,0,0,.9,1,0,0,0"], "above the ground"),
    ],
)
def test_bad_surveys_are_refused(call_main, capsys, tmp_path: Path, rows: list[str], says: str) -> None:
    (tmp_path / "s.csv").write_text("\n".join([HEAD, *rows, ""]))
    assert call_main(f"reconstruct {tmp_path / 's.csv'} --out {tmp_path / 'out'} --workers 1 --hypotheses 0") == 2
    assert re.search(says, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_the_survey_that_is_read_is_not_deleted(call_main, capsys, survey: Path, tmp_path: Path) -> None:
    """A survey that the eye has left in the folder, corrected by hand, and given again."""
    mine = tmp_path / "survey.csv"
    mine.write_bytes(survey.read_bytes())
    assert call_main(f"reconstruct {mine} --layers 6 --hypotheses 0 --workers 1 --out {tmp_path} --force") == 2
    assert "written over" in capsys.readouterr().err
    assert mine.read_bytes() == survey.read_bytes()


@pytest.mark.parametrize("name", ["README.md", "heap.xyz", "picture.png"])
def test_what_is_neither_picture_nor_survey_is_told_what_is_taken(call_main, capsys, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("# Some words")
    assert call_main(f"reconstruct {tmp_path / name} --out {tmp_path / 'out'}") == 2
    told = capsys.readouterr().err
    assert re.search(r"neither a picture \(PNG, JPEG, .*\) nor a survey \(\.csv, \.json\)", told)
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_is_told_so(call_main, capsys, tmp_path: Path) -> None:
    assert call_main(f"reconstruct {tmp_path / 'nowhere'} --out {tmp_path / 'out'}") == 2
    assert "nowhere; give pictures of one heap, or a survey" in capsys.readouterr().err


def test_a_file_is_no_folder(call_main, capsys, survey: Path) -> None:
    assert call_main(f"reconstruct {survey} --out {survey}") == 2
    assert "is a file" in capsys.readouterr().err


def test_what_a_killed_run_left_by_half_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / ".rebuild.mp4.0123abcd.anastylosis.part").write_bytes(b"half")
    with open_folder(tmp_path, force=False):
        pass
    assert list(tmp_path.iterdir()) == []


def test_interrupted_it_leaves_no_half_file(call_main, capsys, monkeypatch, survey: Path, tmp_path: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anastylosis.reconstruction.resimulation.run_trial", interrupt)
    assert call_main(f"reconstruct {survey} --layers 6 --hypotheses 2 --workers 1 --out {tmp_path / 'out'}") == 130
    assert capsys.readouterr().err.strip().endswith("interrupted")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for folder in (tmp_path / "mine", tmp_path / "mine" / "new" / "deep"):
        with suppress(KeyError), open_folder(folder, force=False):
            assert folder.is_dir()
            raise KeyError
    assert [path.name for path in tmp_path.rglob("*")] == ["mine"]


def test_a_range_of_friction(call_main, capsys, survey: Path, tmp_path: Path) -> None:
    words = f"reconstruct {survey} --layers 6 --complete --hypotheses 2 --workers 1 --json --no-films --friction 0.3..0.5"
    assert call_main(f"{words} --out {tmp_path / 'out'}") == 0
    document = json.loads(capsys.readouterr().out)
    assert all(0.3 <= each["friction"] <= 0.5 for each in document["hypotheses"])
    assert document["options"]["friction"] == "0.3..0.5"
    assert document["friction_told"] == [0.3, 0.5]
    assert document["assembly_friction"] == 0.3
    low, high = document["friction_tried"]
    tried = [0.4, *(each["friction"] for each in document["hypotheses"])]  # 0.4: of the pulls
    assert (low, high) == (min(tried), max(tried))
    page = Path(document["files"]["report.html"]).read_text()
    assert f"Friction was told as 0.30 to 0.50; {low:.2f} to {high:.2f} were tried." in page
    assert ">0.30 to 0.50 (told)</td>" in page
    assert "with a friction of 0.30, the lower end of what was told." in page


def test_building_is_checked_with_the_friction_that_was_told(call_main, capsys, survey: Path, tmp_path: Path) -> None:
    words = f"reconstruct {survey} --layers 6 --complete --hypotheses 0 --workers 1 --no-films --friction 0.05 --out {tmp_path}"
    assert call_main(words) == 0
    assert re.search(r"  building  .* g at friction 0\.05\n", capsys.readouterr().out)
    document = json.loads((tmp_path / "reconstruction.json").read_text())
    bears = [step["safety_g"] for step in document["assembly"]]
    assert 0 < max(bears) <= 0.05 + 1e-9  # a box slides at mu g
    assert document["assembly_friction"] == 0.05
    assert "with a friction of 0.05, as told." in (tmp_path / "report.html").read_text()


def test_evaluation_is_told_kept_and_goes_on(call_main, capsys, debris: Path, tmp_path: Path) -> None:
    folder, page = tmp_path / "games", tmp_path / "page.md"
    shutil.copytree(debris, folder, ignore=shutil.ignore_patterns("pictures"))
    words = f"evaluate-reconstruction {folder} --episodes 2 --hypotheses 2 --workers 1 --out {page} --json"
    assert call_main(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert {"split", "head", "metric", "model", "value", "low", "high"} <= first["rows"][0].keys()
    assert {row["model"] for row in first["rows"]} == {"prior", "paper", "neighbour", "assignment", "physics", "chance"}
    assert {row["split"] for row in first["rows"]} == {"test"}
    assert "| slots that were filled, F1 |" in page.read_text()
    (kept,) = (folder / "reconstruction").iterdir()
    before = {path.name: path.stat().st_mtime_ns for path in (kept / "test").iterdir()}
    assert len(before) == 2
    (kept / "test" / sorted(before)[0]).write_text("{torn")
    assert call_main(words) == 0
    assert json.loads(capsys.readouterr().out) == first
    after = {path.name: path.stat().st_mtime_ns for path in (kept / "test").iterdir()}
    assert [name for name in before if before[name] != after[name]] == sorted(before)[:1]  # only the torn one was done again
