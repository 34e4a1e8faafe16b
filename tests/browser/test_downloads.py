"""What a reconstruction writes, in a real Chromium: both films play, and the report is a page that needs no other."""

import json
from fractions import Fraction
from pathlib import Path

import av
import pytest

from anastylosis.executors import run_serial
from browsers import Browser, find_chromium
from heaps import small_fall, survey_of

FILMS = ("reconstruction.mp4", "rebuild.mp4")
SLOWEST = 10  # pictures a second, of the parts of both films
PLAY = """
const [name, done] = arguments, film = document.createElement('video');
const tell = (what) => done({what, error: film.error && film.error.message, duration: film.duration, width: film.videoWidth});
film.muted = true;
film.onerror = () => tell('error');
film.oncanplay = () => { film.oncanplay = null; film.currentTime = film.duration - 0.05; };
film.onseeked = () => film.play().catch(() => tell('refused'));
film.onended = () => tell('ended');
film.src = name;
document.body.append(film);
"""
PAGE = """
return {
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  broken: [...document.images].filter(image => !image.complete || !image.naturalWidth).length,
  pictures: document.images.length,
};
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """All that is written about six layers that fell."""
    from anastylosis.predict.assignment.assigner import Assigner
    from anastylosis.predict.shipped import SHIPPED_ASSIGNMENT
    from anastylosis.reconstruct.case import ReconstructionConfig
    from anastylosis.reconstruct.paradata import describe_making
    from anastylosis.reconstruct.reconstructor import Reconstructor
    from anastylosis.report.reconstruction.results import Results, write_results
    from anastylosis.survey import write_survey

    if find_chromium() is None:
        pytest.skip("no Chromium with its driver on this machine (Debian: apt install chromium chromium-driver)")
    out = tmp_path_factory.mktemp("films")
    survey, _ = survey_of(small_fall())
    write_survey(out / "heap.csv", survey)
    worker = Reconstructor(assigner=Assigner.from_file(SHIPPED_ASSIGNMENT))
    found = worker.reconstruct(survey, layers=6, complete=True, config=ReconstructionConfig(hypotheses=3, moves=6, seed=1))
    document = describe_making([out / "heap.csv"], {}, worker, model=SHIPPED_ASSIGNMENT) | found.as_document()
    write_results(Results(folder=out, execute=run_serial, tell=lambda *_: None), found, document, "heap.csv: how it stood")
    return out


@pytest.fixture(scope="module")
def visitor(folder: Path, tmp_path_factory):
    (folder / "index.html").write_text("<!doctype html><title>Films</title><body>Reconstruction")
    browser = Browser(tmp_path_factory.mktemp("visitor"), (folder / "index.html").as_uri())
    yield browser
    browser.quit()


@pytest.mark.parametrize("name", FILMS)
def test_a_film_plays_to_its_end(folder: Path, visitor: Browser, name: str) -> None:
    with av.open(str(folder / name)) as container:
        stream = container.streams.video[0]
        packets = [packet for packet in container.demux(stream) if packet.pts is not None]
        seconds = (packets[-1].pts + packets[-1].duration) * (stream.time_base or Fraction(0))
    visitor.open()
    said = visitor.driver.execute_async_script(PLAY, name)
    assert said["what"] == "ended", json.dumps(said)
    assert said["error"] is None
    assert said["width"] == stream.width
    assert abs(said["duration"] - float(seconds)) <= 1 / SLOWEST


def test_the_report_is_whole_and_no_wider_than_the_window(folder: Path, visitor: Browser) -> None:
    visitor.driver.get((folder / "report.html").as_uri())
    visitor.wait_for("What this cannot tell")
    said = visitor.driver.execute_script(PAGE)
    assert said == {"wide": 0, "broken": 0, "pictures": 2}
    visitor.read_logs()
    assert not visitor.complaints
    assert not visitor.hosts
