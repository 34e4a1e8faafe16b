"""A page and a browser for all tests of this folder."""

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.browsers import FAILED, Browser, find_chromium
from support.heaps import small_fall, survey_of

# viser then draws the scene with a third of the pixels: there is no GPU. With 576 dots across or fewer, the page would take
# the window for that of a telephone.
COARSE = "/?fixedDpr=0.6"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def page() -> Iterator["PageServer"]:  # noqa: F821
    """The page, at a port of its own, with little to simulate."""
    if find_chromium() is None:
        pytest.skip("no Chromium with its driver on this machine (Debian: apt install chromium chromium-driver)")
    from anastylosis.web.app import PageServer
    from anastylosis.web.config import PageConfig

    page = PageServer(PageConfig(port=0, hypotheses=2, moves=1, workers=1, upload_max=1_000_000))
    before = threading.active_count()
    yield page
    page.close()
    assert threading.active_count() <= before


@pytest.fixture(scope="session")
def small_survey(tmp_path_factory) -> Path:
    """A survey of six fallen layers."""
    from anastylosis.survey import write_survey

    path = tmp_path_factory.mktemp("surveys") / "six-layers.csv"
    write_survey(path, survey_of(small_fall())[0])
    return path


@pytest.fixture(scope="session")
def open_browser(page, tmp_path_factory) -> Iterator[Callable[[], Browser]]:
    """Browsers that open the page, and that complain to nobody and ask no other host for anything."""
    opened: list[Browser] = []

    def start() -> Browser:
        folder = tmp_path_factory.mktemp("browser")
        opened.append(Browser(folder, page.address + COARSE))
        return opened[-1]

    yield start
    for browser in opened:
        browser.quit()
        shutil.rmtree(browser.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def visitor(open_browser, small_survey: Path) -> Iterator[Browser]:
    """A visitor who has reconstructed the small tower, and who leaves: without a GPU an open scene keeps a core busy."""
    browser = open_browser()
    browser.give(small_survey)
    browser.wait_for("six-layers.csv: a survey")
    browser.type_numbers("Layers", 6)
    browser.press("Reconstruct")
    browser.wait_for("Done. See the scene", unless=FAILED)
    yield browser
    browser.quit()
