"""One small reconstruction for all tests of this folder, and visitors who have it before them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anastylosis.detection.view import Photo
from anastylosis.rendering import frame_points
from anastylosis.report.reconstruction.scene import BlockScene
from anastylosis.web.allowance import Allowance
from anastylosis.web.config import PageConfig
from anastylosis.web.findings import SIGHT, Finding
from anastylosis.web.forecast import draw
from anastylosis.web.jobs import JobQueue
from anastylosis.web.session import Session
from support.visitors import Visitor, find_small_tower, open_page_server, wait_until


@pytest.fixture(scope="session")
def finding(tmp_path_factory) -> Finding:
    """With physics: two proposals, the first of them fallen again."""
    return find_small_tower(tmp_path_factory.mktemp("with"), 2)


@pytest.fixture
def pictured(finding: Finding) -> Finding:
    """The same, as if its blocks had been found in a picture of them."""
    survey = finding.found.survey
    scene = BlockScene.from_survey(survey)
    camera = frame_points(scene.surround(turned=False), width=2 * SIGHT, height=SIGHT, margin=0.06)
    picture = draw(scene, camera)
    return replace(finding, found=replace(finding.found, photos=(Photo(picture, camera),)))


@pytest.fixture(scope="module")
def queue() -> Iterator[JobQueue]:
    queue = JobQueue(1, 1, "test")
    yield queue
    queue.close()


@pytest.fixture(scope="module")
def server():
    server = open_page_server()
    yield server
    server.stop()


@pytest.fixture
def visitor(server) -> Visitor:
    return Visitor(server)


@pytest.fixture
def session(visitor: Visitor, queue: JobQueue, finding: Finding, tmp_path: Path) -> Iterator[Session]:
    """Of a visitor who has a reconstruction."""
    session = Session(visitor, PageConfig(), queue, queue, Allowance(1_000_000), Allowance(200_000), tmp_path)
    session.end(replace(finding, stories={}, plans={0: finding.found}), session.stopped)
    wait_until(lambda: "<figure" in session.forecast.comparison.content)
    yield session
    session.close()
    visitor.scene.reset()
