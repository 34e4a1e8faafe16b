"""The notebook that follows the paper's cells runs, from the first cell to the last, and does what it says."""

import json
import re
from pathlib import Path

import av
import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "paper_cells.ipynb"


@pytest.fixture(scope="module")
def notebook() -> dict:
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def test_it_has_the_papers_cells_and_keeps_no_outputs(notebook: dict) -> None:
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert re.findall(r"^## Cell (\d+)", text, re.MULTILINE) == [str(number) for number in range(11)]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


@pytest.mark.slow  # it plays, trains, reconstructs and films
def test_it_runs(notebook: dict, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    world: dict = {"__name__": "notebook"}
    for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
        exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, code cell {number}", "exec"), world)
    assert world["inertia"] == pytest.approx((1.633e-6, 1.1245e-5, 1.182e-5), rel=1e-3)  # kg m^2; m (w^2 + h^2) / 12 and so on
    assert {level: each[:2] for level, each in world["forces"].items()} == {
        "low": [144.2, 192.3], "nominal": [230.7, 307.6], "high": [346.1, 461.5],
    }  # fmt: skip  # mN, the paper's table of results
    assert world["drift"] < 0.1  # mm
    assert world["balance"].margin > 0 > world["balance"].weakest_margin
    assert world["episode"].collapsed
    assert sum(each.probability for each in world["found"].hypotheses) == pytest.approx(1)
    assert (tmp_path / "data" / "debris.png").stat().st_size > 1000
    with av.open(str(tmp_path / "data" / "videos" / "nominal_exp_0006" / "rebuild.mp4")) as film:
        assert film.duration / 1e6 > 3  # s
