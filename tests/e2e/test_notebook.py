"""The notebooks run, from the first cell to the last, without a network, and do what they say."""

import json
import re
import socket
from pathlib import Path

import av
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = EXAMPLES / "paper_cells.ipynb"
RESEARCHERS = EXAMPLES / "researchers.ipynb"


@pytest.fixture(scope="module")
def notebook() -> dict:
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def test_it_has_the_papers_cells(notebook: dict) -> None:
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert re.findall(r"^## Cell (\d+)", text, re.MULTILINE) == [str(number) for number in range(11)]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_keeps_no_outputs(path: Path) -> None:
    for cell in read_code(path):
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


def read_code(path: Path) -> list[dict]:
    """The cells of a notebook that are code."""
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def run_cells(path: Path) -> dict:
    """Run every code cell in one world, as a kernel does; the world afterwards."""
    world: dict = {"__name__": "notebook"}
    for number, cell in enumerate(read_code(path)):
        exec(compile("".join(cell["source"]), f"{path.name}, code cell {number}", "exec"), world)
    return world


@pytest.fixture
def offline(monkeypatch) -> None:
    """No connection leaves this machine."""

    def refuse(self: socket.socket, address: object) -> None:
        raise OSError(f"a notebook asked for {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.slow  # it plays, trains, reconstructs and films
@pytest.mark.usefixtures("offline")
def test_it_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    world = run_cells(NOTEBOOK)
    assert world["inertia"] == pytest.approx((1.633e-6, 1.1245e-5, 1.182e-5), rel=1e-3)  # kg m^2; m (w^2 + h^2) / 12 and so on
    assert {level: each[:2] for level, each in world["forces"].items()} == {
        "low": [144.2, 192.3], "nominal": [230.7, 307.6], "high": [346.1, 461.5],
    }  # fmt: skip  # mN, the paper's table of results
    assert world["drift"] < 0.1  # mm
    assert world["balance"].margin > 0 > world["balance"].weakest_margin
    assert world["episode"].collapsed
    assert 0.5 < sum(each.probability for each in world["found"].hypotheses) <= 1  # what was not tried keeps its share
    assert (tmp_path / "data" / "debris.png").stat().st_size > 1000
    with av.open(str(tmp_path / "data" / "videos" / "nominal_exp_0006" / "rebuild.mp4")) as film:
        assert film.duration / 1e6 > 3  # s


@pytest.mark.slow  # it plays, and draws pictures
@pytest.mark.usefixtures("offline")
def test_the_notebook_for_researchers_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    world = run_cells(RESEARCHERS)
    assert tuple(world["batch"]["rgb"].shape) == (4, 3, 64, 64)
    models = {row["model"] for row in world["scores"]}
    assert models == {"prior", "neighbour", "ridge", "by_layer"}
    (brier,) = (row["value"] for row in world["scores"] if (row["model"], row["metric"]) == ("by_layer", "brier"))
    assert 0 < brier < 0.25  # better than to say a half of every slot
    assert world["rewards"][-1] in (-1.0, 1.0)
