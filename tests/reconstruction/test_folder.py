"""The folder of a reconstruction: one run at a time writes to it."""

import subprocess
import sys
from pathlib import Path

import pytest

from anastylosis.errors import FolderBusy, InvalidInput
from anastylosis.reconstruction import open_folder

ENTER = """
import sys
from pathlib import Path
from anastylosis.errors import FolderBusy
from anastylosis.reconstruction import open_folder
try:
    with open_folder(Path(sys.argv[1]), force=True):
        print("in", flush=True)
        sys.stdin.read()
except FolderBusy as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    """Both made their files, under the same names."""
    folder = tmp_path / "new" / "out"
    with subprocess.Popen([sys.executable, "-c", ENTER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == "in\n"
        for force in (False, True):
            with pytest.raises(FolderBusy, match=f"another process writes to {folder}; wait"), open_folder(folder, force=force):
                pass
        assert folder.is_dir()  # who was turned away removes nothing
        one.kill()
    with open_folder(folder, force=False):  # whoever held it is dead
        (folder / "file").write_text("")
    with pytest.raises(InvalidInput, match="is not empty"), open_folder(folder, force=False):
        pass


def test_a_run_that_fails_leaves_no_empty_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    with pytest.raises(ZeroDivisionError), open_folder(folder, force=False):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())
