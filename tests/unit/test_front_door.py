"""The front door: a few names that say what they do, loaded when asked for, and three lines that do the main job."""

import ast
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import anastylosis
from anastylosis import HOME_OF
from anastylosis.errors import InvalidInput

EXAMPLES = Path(__file__).parents[2] / "examples"
THREE_LINES = """import anastylosis
found = anastylosis.reconstruct("heap.png", layers=18)
found.save("out")"""


def test_names_are_few_sorted_and_there() -> None:
    names = anastylosis.__all__
    assert 15 <= len(names) <= 25
    assert names == sorted(names)
    assert set(HOME_OF) | {"__version__"} == set(names)
    assert dir(anastylosis) == names


@pytest.mark.parametrize("name", sorted(HOME_OF))
def test_every_name_has_a_docstring_that_says_what_it_is(name: str) -> None:
    first = (inspect.getdoc(getattr(anastylosis, name)) or "").splitlines()[0]
    assert first.endswith((".", ":"))
    assert len(first) > 15


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Reconstructor'"):
        anastylosis.Reconstructor  # noqa: B018


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = "import anastylosis, sys; print([n for n in sys.modules if n.startswith(('anastylosis.', 'numpy', 'numba', 'torch'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_survey_as_an_object_a_path_and_a_file_give_one_assignment() -> None:
    path = EXAMPLES / "survey" / "fallen-tower.csv"
    answers = [anastylosis.assign(given, layers=18) for given in (path, str(path), anastylosis.read_survey(path))]
    assert len({answer.to_json() for answer in answers}) == 1
    assert repr(answers[0]).startswith("<Assignment: ")


def test_a_reconstruction_says_its_answer_and_keeps_how_it_was_made(tmp_path: Path) -> None:
    found = anastylosis.reconstruct(EXAMPLES / "survey" / "fallen-tower.csv", layers=18, hypotheses=0)
    assert repr(found).startswith("<Reconstruction: 46 blocks, tower of 18 layers, empty slots: L")
    document = found.as_document()
    assert document["inputs"][0]["file"] == "fallen-tower.csv"
    assert document["options"]["layers"] == 18
    assert document["picture_net"]["torque_risk"] >= 0
    files = found.save(tmp_path / "out", films=False)
    assert (tmp_path / "out" / "reconstruction.json").read_text() == found.to_json() + "\n"
    assert {"report.html", "panel.png", "blocks.csv"} <= {file.name for file in files}
    with pytest.raises(InvalidInput, match="not empty"):
        found.save(tmp_path / "out")


def test_a_survey_is_no_picture() -> None:
    survey = EXAMPLES / "survey" / "fallen-tower.csv"
    with pytest.raises(InvalidInput, match="takes pictures"):
        anastylosis.detect_blocks(survey)
    with pytest.raises(InvalidInput, match="camera, points and corners are for pictures"):
        anastylosis.reconstruct(survey, camera="camera.json")
    with pytest.raises(InvalidInput, match="read_survey takes them"):
        anastylosis.reconstruct(anastylosis.read_survey(survey), heading=0.1)
    with pytest.raises(InvalidInput, match="in radians"):
        anastylosis.reconstruct(survey, heading=12)
    for origin in ((1.0,), 0.4):
        with pytest.raises(InvalidInput, match="give x and y"):
            anastylosis.reconstruct(survey, origin=origin)
    for nothing in (None, 7, [None]):
        with pytest.raises(InvalidInput, match="give a file, an array"):
            anastylosis.reconstruct(nothing)


def test_an_input_is_never_written_over(tmp_path: Path) -> None:
    heap = tmp_path / "heap"
    heap.mkdir()
    shutil.copy(EXAMPLES / "survey" / "fallen-tower.csv", heap / "survey.csv")
    found = anastylosis.reconstruct(heap / "survey.csv", layers=18, hypotheses=0)
    with pytest.raises(InvalidInput, match="would be written over"):
        found.save(heap, force=True)
    assert (heap / "survey.csv").stat().st_size > 1000


def test_a_proposal_that_was_not_simulated_has_no_film() -> None:
    found = anastylosis.reconstruct(EXAMPLES / "survey" / "fallen-tower.csv", layers=18, hypotheses=0)
    with pytest.raises(InvalidInput, match="was not simulated"):
        found.best.film()


def test_a_range_of_friction_is_kept() -> None:
    path = EXAMPLES / "survey" / "fallen-tower.csv"
    found = anastylosis.reconstruct(path, layers=18, hypotheses=0, friction=(0.3, 0.5))
    assert found.known_friction == (0.3, 0.5)
    with pytest.raises(InvalidInput, match="friction"):
        anastylosis.reconstruct(path, layers=18, hypotheses=0, friction="slippery")


def test_units_and_errors_of_a_survey_are_given_as_to_the_command(tmp_path: Path) -> None:
    path = EXAMPLES / "survey" / "fallen-tower.csv"
    bare = tmp_path / "bare.csv"  # lengths in millimetres, which nothing in it says
    read = anastylosis.read_survey(path)
    lengths = 1e3 * np.column_stack([read.size, read.position])
    rows = [f"{n},{','.join(f'{v:.3f}' for v in mm)},{','.join(f'{v:.6f}' for v in q)}"
            for n, mm, q in zip(read.ids, lengths, read.orientation, strict=True)]  # fmt: skip
    bare.write_text("\n".join(["id,length,width,height,x,y,z,qw,qx,qy,qz", *rows]) + "\n")
    found = anastylosis.reconstruct(bare, layers=18, hypotheses=0, units="mm", error=(0.004, 0.05), lookup=False)
    assert found.survey.position == pytest.approx(read.position, abs=1e-6)
    assert found.survey.position_sd == pytest.approx(0.004)
    assert found.survey.orientation_sd == pytest.approx(0.05)
    options = found.as_document()["options"]
    assert (options["units"], options["error"], options["lookup"]) == ("mm", "4,2.86479", False)
    with pytest.raises(InvalidInput, match="two standard deviations"):
        anastylosis.reconstruct(bare, error=(-1, 0))
    with pytest.raises(InvalidInput, match="for survey files"):
        anastylosis.reconstruct(read, units="mm")


def test_a_dataset_is_played_and_opened(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    made = anastylosis.simulate(tmp_path / "few", layers=6, episodes=2, friction=0.4, progress=lambda *said: told.append(said))
    assert told[-1] == ("episodes", 2, 2)
    assert anastylosis.open_dataset(tmp_path / "few").names == made.names
    assert len(made) == 2


def test_the_three_lines_are_those_of_the_readme(project: Path) -> None:
    assert THREE_LINES in (project / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_three_lines_do_the_main_job(tmp_path: Path) -> None:
    shutil.copy(Path(anastylosis.__file__).parent / "examples" / "debris.png", tmp_path / "heap.png")
    done = subprocess.run([sys.executable, "-c", THREE_LINES], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.html", "reconstruction.mp4", "rebuild.mp4", "seen.png", "reconstruction.json", "blocks.csv"} <= made


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_uses_the_front_door(path: Path) -> None:
    imports = [
        node.module if isinstance(node, ast.ImportFrom) else name.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names[:1]
    ]
    ours = [module for module in imports if module and module.startswith("anastylosis")]
    assert 1 <= len(ours) <= 2
    assert ours[0] == "anastylosis"
    assert all(module.count(".") <= 1 and module != "anastylosis.cli" for module in ours)
