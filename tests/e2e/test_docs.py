"""What the documentation shows runs, and what it links to is there."""

import re
from pathlib import Path

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


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`]*`", "", page.read_text(encoding="utf-8"))
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []
