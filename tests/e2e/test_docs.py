"""What the documentation shows runs, and what it links to is there."""

import re
from pathlib import Path

import numpy as np
import pytest

PROJECT = Path(__file__).parents[2]
PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])


def name_page(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def python_blocks(page: Path) -> str:
    """All Python examples of a page as one program: they build on each other."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=name_page)
def test_python_examples_run(page: Path) -> None:
    exec(compile(python_blocks(page), name_page(page), "exec"), {})


def test_the_readmes_tower_does_what_the_readme_says(capsys) -> None:
    world: dict = {}
    exec(python_blocks(PROJECT / "README.md"), world)
    sim, tower = world["sim"], world["tower"]
    assert "the top has fallen and lies still" in (PROJECT / "README.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("(60, 1, 52, 3)\n")
    assert sim.kinetic_energy()[0] < 1e-12  # a block of 20 g at 1e-12 J creeps by 0.01 mm/s
    way = sim.state.position[0] - tower.position
    assert (way[tower.course >= 12, 2] < -0.1).all()  # the top third lies 10 cm below its place or more
    assert np.linalg.norm(way[tower.course < 9], axis=1).max() < 1e-3  # and what was below the push still stands


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`]*`", "", page.read_text(encoding="utf-8"))
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []
