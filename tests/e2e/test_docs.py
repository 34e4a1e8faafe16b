"""What the documentation shows runs, and what it links to is there."""

import re
from pathlib import Path
from pkgutil import resolve_name

import duckdb
import numpy as np
import pytest

import anastylosis
from anastylosis import errors
from anastylosis.dataset import Dataset, Plan, generate, paper_levels
from anastylosis.dataset.card import CARD
from anastylosis.dataset.schema import EPISODES

PROJECT = Path(__file__).parents[2]
REFERENCE = PROJECT / "docs" / "reference"
PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])


def name_page(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def list_names(page: Path) -> list[str]:
    """The names that mkdocstrings documents on a page."""
    return re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def code_blocks(page: Path, language: str) -> list[str]:
    """The examples of a page that are written in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def python_blocks(page: Path) -> str:
    """All Python examples of a page as one program: they build on each other."""
    return "\n".join(code_blocks(page, "python"))


@pytest.fixture(scope="session")
def dataset(tmp_path_factory) -> Path:
    """What pages call `games`: the demo's frictions and height, fewer episodes."""
    folder = tmp_path_factory.mktemp("docs") / "games"
    for _ in generate(folder, Plan(levels=paper_levels(episodes=2, layers=6))):
        pass
    return folder


@pytest.fixture
def page_folder(request, tmp_path: Path, monkeypatch) -> Path:
    """An empty folder that examples run in; with a dataset `games` for pages that ask it."""
    if "games/" in request.getfixturevalue("page").read_text(encoding="utf-8"):
        (tmp_path / "games").symlink_to(request.getfixturevalue("dataset"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=name_page)
@pytest.mark.usefixtures("page_folder")
def test_python_examples_run(page: Path) -> None:
    exec(compile(python_blocks(page), name_page(page), "exec"), {})


@pytest.mark.parametrize("page", [page for page in PAGES if code_blocks(page, "sql")], ids=name_page)
@pytest.mark.usefixtures("page_folder")
def test_queries_run_and_find_something(page: Path) -> None:
    for query in code_blocks(page, "sql"):
        rows = duckdb.sql(query).fetchall()
        assert rows, query
        assert all(value is not None for row in rows for value in row), query


def test_the_examples_of_a_card_run(dataset: Path, monkeypatch) -> None:
    monkeypatch.chdir(dataset)
    world: dict = {}
    exec(python_blocks(dataset / CARD), world)
    assert (len(world["episodes"]), world["episodes"].num_columns) == (6, len(EPISODES))
    (query,) = code_blocks(dataset / CARD, "sql")
    assert sorted(duckdb.sql(query).fetchall())[0][:2] == ("high", 2)


def test_queries_say_what_the_dataset_says(dataset: Path, monkeypatch) -> None:
    monkeypatch.chdir(dataset.parent)
    by_level, by_policy, hardest, by_move, by_layer, way = code_blocks(PROJECT / "docs" / "how-to" / "query-a-dataset.md", "sql")
    games = Dataset(dataset)
    documents = {name: games.document(name) for name in games.names}
    for level, episodes, fell, rounds in duckdb.sql(by_level).fetchall():
        chosen = [document for name, document in documents.items() if name.startswith(f"{level}_")]
        assert episodes == len(chosen) == 2
        assert fell == pytest.approx(np.mean([document["collapsed"] for document in chosen]))
        assert rounds == pytest.approx(np.mean([len(document["rounds"]) for document in chosen]))
    played = [played for document in documents.values() for played in document["rounds"]]
    assert [row[:2] for row in duckdb.sql(by_policy).fetchall()] == [("random", "take")]
    assert duckdb.sql(hardest).fetchall()[0][5] == round(1e3 * max(each["force_peak"] for each in played))
    assert 0 < sum(row[2] for row in duckdb.sql(by_move).fetchall()) <= len(played)
    labels = [document["labels"] for document in documents.values()]
    assert sum(row[1] for row in duckdb.sql(by_layer).fetchall()) == sum(sum(map(bool, each["displacement"])) for each in labels)
    name = min(name for name, document in documents.items() if document["collapsed"] and document["labels"]["fatal_block"])
    document, frames = games.episode(name)
    block = document["blocks"].index(document["labels"]["fatal_block"])
    np.testing.assert_array_equal(
        [row[1:] for row in duckdb.sql(way).fetchall()], frames.position[frames.present[:, block], block]
    )


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


def test_the_readmes_assignment_is_what_the_readme_says(monkeypatch, capsys) -> None:
    monkeypatch.chdir(PROJECT)
    (lines,) = (block for block in code_blocks(PROJECT / "README.md", "") if "import assign" in block)
    exec(compile(lines, "README.md", "exec"), {})
    *count, layer = capsys.readouterr().out.split()
    assert lines.endswith(f"# {' '.join(count)} blocks were gone; layer {layer} gave way\n")


def test_the_answer_that_is_shown_is_to_the_picture_that_is_asked_about() -> None:
    page = PROJECT / "docs" / "how-to" / "predict-from-a-picture.md"
    asked, answer = code_blocks(page, "")[:2]
    assert "anastylosis simulate games " in asked  # where `games` comes from
    (words,) = (line.split() for line in asked.splitlines() if line.startswith("anastylosis predict "))
    assert answer.startswith(f"{words[2]}\n  height        {words[words.index('--layers') + 1]} layers, told\n")
    assert answer.endswith(f"told: {words[words.index('--friction') + 1]}\n")


def test_the_tree_of_errors_is_the_one_of_the_code() -> None:
    tree = errors.__doc__.partition("\n\n")[2].strip()
    assert f"```\n{tree}\n```" in (REFERENCE / "api" / "errors.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [REFERENCE / "api.md", *sorted((REFERENCE / "api").glob("*.md"))], ids=name_page)
def test_names_of_the_reference_exist(page: Path) -> None:
    names = list_names(page)
    assert names
    assert len(names) == len(set(names))
    for name in names:
        resolve_name(name)  # raises if a name is not there


def test_the_front_door_is_documented() -> None:
    documented = {name.rpartition(".")[2] for name in list_names(REFERENCE / "api.md")}
    assert set(anastylosis.__all__) - {"__version__"} <= documented


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`]*`", "", page.read_text(encoding="utf-8"))
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_name_that_a_room_shows_is_documented() -> None:
    for page in sorted((REFERENCE / "api").glob("*.md")):
        (room,) = re.findall(r"^# `(\S+)`$", page.read_text(encoding="utf-8"), re.MULTILINE)
        shown = getattr(resolve_name(room), "__all__", [])
        missing = {f"{room}.{name}" for name in shown} - set(list_names(page))
        assert not missing, f"{page.name} lacks {sorted(missing)}: run python tools/write_api_pages.py"
