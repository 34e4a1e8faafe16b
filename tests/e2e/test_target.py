"""`anastylosis target` as a user meets it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.photographs import read_page


@pytest.mark.parametrize(("paper", "size"), [("a4", (297, 210)), ("A3", (420, 297)), ("letter", (279.4, 215.9))])
def test_a_page_to_print(call_main, capsys, tmp_path: Path, paper: str, size: tuple[float, float]) -> None:
    out = tmp_path / "new" / "target.pdf"
    assert call_main(f"target --out {out} --paper {paper} --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["files"] == [str(out)]
    assert (document["page_width_mm"], document["page_height_mm"]) == size
    assert document["ruler_mm"] == 100
    assert read_page(out).size.tolist() == pytest.approx(size, abs=0.01)


def test_people_are_told_to_measure_it(call_main, capsys, tmp_path: Path) -> None:
    assert call_main(f"target --out {tmp_path / 't.pdf'}") == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "print it at 100 %" in printed.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--out {}/t.png", "ends in .pdf"),
        ("--out {}/t.pdf --paper b5", "choose one of a4"),
        ("--out {}/folder.pdf", "is a folder"),
    ],
)
def test_what_cannot_be_is_one_line(call_main, capsys, tmp_path: Path, words: str, says: str) -> None:
    (tmp_path / "folder.pdf").mkdir()
    assert call_main(f"target {words.format(tmp_path)}") == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    assert not (tmp_path / "t.pdf").exists()


def test_a_page_that_is_there_is_kept_unless_forced(call_main, capsys, tmp_path: Path) -> None:
    out = tmp_path / "t.pdf"
    out.write_text("of somebody else")
    assert call_main(f"target --out {out}") == 2
    assert "t.pdf is there already; name another file, or write over it with --force" in capsys.readouterr().err
    assert out.read_text() == "of somebody else"
    assert call_main(f"target --out {out} --force") == 0
    assert out.read_bytes().startswith(b"%PDF")


def test_without_opencv_the_line_that_installs_it(call_main, capsys, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    assert call_main(f"target --out {tmp_path / 't.pdf'}") == 1
    assert "opencv-python-headless is not installed; run: " in capsys.readouterr().err
    assert not (tmp_path / "t.pdf").exists()


def test_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom anastylosis.cli import main\n"
        f"sys.argv = ['anastylosis', 'target', '--out', {str(tmp_path / 't.pdf')!r}]\n"
        "try:\n    main()\nexcept SystemExit as leaving:\n    assert not leaving.code\n"
        "heavy = {'torch', 'numba', 'pyarrow', 'sklearn', 'onnxruntime'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stderr=subprocess.DEVNULL)
