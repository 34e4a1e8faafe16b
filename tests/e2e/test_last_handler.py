"""Names that command terminals, streams that are closed, errors that nobody foresaw: one line, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import anastylosis
from anastylosis.cli.progress import show_bar
from anastylosis.cli.table import format_cell
from anastylosis.text_file import show_text

EXAMPLE = Path(anastylosis.__file__).parent / "examples" / "survey.csv"
RUN = "from anastylosis.cli import main; main()"
FAIL = """
import sys
from anastylosis import cli
def fail(*args, **words):
    raise {error}
cli.app = fail
cli.main()
"""
EVIL = "e\x1b]0;pwned\x07\x1b[31m\u202e.csv"
BYTES = os.fsdecode(b"bad\xff.csv")


def run(*words: str, code: str = RUN, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONIOENCODING": "utf-8:strict"} | settings
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=120, env=environment)


def run_in_shell(words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PY": sys.executable, "RUN": RUN}
    shell = ["bash", "-o", "pipefail", "-c", words]
    return subprocess.run(shell, capture_output=True, text=True, timeout=120, env=environment)


def test_a_text_is_shown_without_what_commands_a_terminal() -> None:
    assert show_text("a\x1b[2J\x9bb\tc\n") == "a\\x1b[2J\\x9bb\tc\n"
    assert show_text("\u202egnp.exe") == "\\u202egnp.exe"
    assert show_text(BYTES) == "bad\\udcff.csv"
    assert show_text("sillería, ñ, 石, ‌") == "sillería, ñ, 石, ‌"
    assert format_cell("\x1b[31m") == "\\x1b[31m"


def test_rich_draws_no_name_that_commands(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with show_bar("drawn", 1) as advance:
        advance("\x1b]0;pwned\x07")
    assert "\x1b]0;" not in capsys.readouterr().err


@pytest.mark.parametrize("name", [EVIL, BYTES], ids=["control", "bytes"])
def test_names_are_shown_not_obeyed(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(EXAMPLE.read_bytes())
    done = run("assign", str(path), "--layers", "18")
    assert done.returncode == 0, done.stderr
    missing = run("assign", str(tmp_path / f"no-{name}"))
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    for said in (done.stdout, done.stderr, missing.stderr):
        assert not set("\x1b\x07\u202e\udcff") & set(said)
    assert show_text(name) in done.stdout
    assert show_text(name) in missing.stderr


@pytest.mark.parametrize("command", ["assign LOOP", "reconstruct LOOP --out o", "survey LOOP --out s.csv", "predict LOOP"])
def test_a_loop_of_links_is_no_file(command: str, tmp_path: Path) -> None:
    ends = [tmp_path / f"{name}.{'csv' if command.startswith(('a', 'r')) else 'png'}" for name in "ab"]
    for one, other in (ends, ends[::-1]):
        one.symlink_to(other)
    done = run(*command.replace("LOOP", str(ends[0])).replace(" o", f" {tmp_path / 'o'}").split())
    assert done.returncode == 2
    assert "there is no" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("streams", "code"),
    [(">&-", 0), (">&- 2>&-", 0), ("| true", 0), ("2>/dev/null >/dev/full", 1)],
    ids=["closed", "both closed", "read by nobody", "full"],
)
def test_streams_that_somebody_closed(streams: str, code: int) -> None:
    """`| true`: the pipe may be closed before or after all is written, which makes 0 or 1."""
    done = run_in_shell(f'"$PY" -c "$RUN" doctor --json {streams}')
    assert done.returncode in ({0, 1} if "|" in streams else {code})
    assert done.stderr == ""


def test_what_is_printed_goes_into_no_file_that_is_opened(tmp_path: Path) -> None:
    """With stdout closed, the next file that was opened took its number."""
    done = run_in_shell(f'"$PY" -c "$RUN" target --out "{tmp_path / "sheet.pdf"}" >&-')
    assert done.returncode == 0
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("error", ["RuntimeError('a\\nb')", "MemoryError", "RecursionError('deep')", "UnicodeError('x' * 5000)"])
def test_an_error_that_nobody_foresaw_is_a_line_that_names_the_log(error: str, tmp_path: Path) -> None:
    done = run(code=FAIL.format(error=error), XDG_STATE_HOME=str(tmp_path))
    log = tmp_path / "anastylosis" / "errors.log"
    name = error.partition("(")[0]
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"anastylosis: this should not happen, {name}")
    assert done.stderr.endswith(f"the traceback is in {log}\n")
    assert (done.stderr.count("\n"), len(done.stderr) < 1000) == (1, True)
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    done = run(code=FAIL.format(error="RuntimeError"), XDG_STATE_HOME=str(tmp_path / "state"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "there is no traceback, for " in done.stderr
