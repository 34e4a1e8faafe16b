"""What a visitor takes home, in a real Chromium: every file comes, both films play, and the report needs no other page."""

import csv
import json
import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import pytest

from support.browsers import Browser

FILES = {
    "3-D model of the proposal (GLB)": "tower.glb",
    "Everything, for programs (JSON)": "reconstruction.json",
    "Table, a row for each block (CSV)": "blocks.csv",
    "Film of the rebuilding (MP4)": "rebuild.mp4",
    "Report (HTML)": "report.html",
    "Film of the fall and its undoing (MP4)": "reconstruction.mp4",
}
SLOWEST = 10  # pictures a second, of the parts of both films
MAKING = 300  # [s] for a film, on a machine that has other things to do
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
def folder(visitor: Browser) -> Path:
    """All files of one reconstruction, taken one after the other as the page lets them."""
    visitor.turn_to("Files")
    for label, name in FILES.items():
        visitor.press(label, MAKING)
        visitor.wait_for_file(name, MAKING)
    visitor.turn_to("Start")
    return visitor.downloads


@pytest.fixture
def tab(folder: Path, visitor: Browser) -> Iterator[Browser]:
    """The visitor in another tab, among the files that came."""
    page = visitor.driver.current_window_handle
    (folder / "index.html").write_text("<!doctype html><title>Files</title><body>Files")
    visitor.driver.switch_to.new_window("tab")
    visitor.driver.get((folder / "index.html").as_uri())
    yield visitor
    visitor.driver.close()
    visitor.driver.switch_to.window(page)


def test_the_model_has_a_node_for_every_block_of_the_tower(folder: Path, page) -> None:
    content = (folder / "tower.glb").read_bytes()
    assert content.startswith(b"glTF")
    (length,) = struct.unpack("<I", content[12:16])
    nodes = {node["name"] for node in json.loads(content[20 : 20 + length])["nodes"]}
    found = page.sessions[min(page.sessions)].finding.found
    assert set(found.name_slots(found.best.state.filled)) <= nodes


def test_the_document_and_the_table_tell_of_the_same_blocks(folder: Path) -> None:
    document = json.loads((folder / "reconstruction.json").read_text(encoding="utf-8"))
    assert document["hypotheses"][0]["rank"] == 1
    with (folder / "blocks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["id", "x", "y", "z"]
    assert [row["id"] for row in rows] == [block["id"] for block in document["blocks"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reconstruction.mp4", "rebuild.mp4"])
def test_a_film_plays_to_its_end(folder: Path, tab: Browser, name: str) -> None:
    with av.open(str(folder / name)) as container:
        stream = container.streams.video[0]
        packets = [packet for packet in container.demux(stream) if packet.pts is not None]
        seconds = (packets[-1].pts + packets[-1].duration) * (stream.time_base or Fraction(0))
    said = tab.driver.execute_async_script(PLAY, name)
    assert said["what"] == "ended", json.dumps(said)
    assert said["error"] is None
    assert said["width"] == stream.width
    assert abs(said["duration"] - float(seconds)) <= 1 / SLOWEST


def test_the_report_is_whole_and_no_wider_than_the_window(folder: Path, tab: Browser) -> None:
    tab.read_logs()
    before = list(tab.complaints), set(tab.hosts)
    tab.driver.get((folder / "report.html").as_uri())
    tab.wait_for("What this cannot tell")
    said = tab.driver.execute_script(PAGE)
    assert said == {"wide": 0, "broken": 0, "pictures": 2}
    tab.read_logs()
    assert (tab.complaints, tab.hosts) == before
