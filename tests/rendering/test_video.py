"""Films, read back with PyAV: time stamps, pictures, bytes; and what is left when one is not finished."""

import signal
import struct
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.rendering import write_film

TICKS = 90_000  # a second


class Read(NamedTuple):
    pts: list[int]  # ticks
    durations: list[int]  # ticks, of the packets
    pictures: list[np.ndarray]  # as BT.709 says
    length: int  # ticks, of the stream


def read_film(path: Path) -> Read:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.time_base == Fraction(1, TICKS)
        durations, frames = [], []
        for packet in container.demux(stream):
            durations += [packet.duration] if packet.size else []
            frames += packet.decode()
        assert {frame.format.name for frame in frames} == {"yuv420p"}
        return Read([frame.pts for frame in frames], durations, [to_rgb(frame) for frame in frames], stream.duration)


def to_rgb(frame: av.VideoFrame) -> np.ndarray:
    """ITU-R BT.709-6, items 3.2 to 3.4, limited range, by hand: what PyAV does with the colour space differs by version."""
    planes = frame.to_ndarray().astype(float)
    height, width = frame.height, frame.width
    luma = (planes[:height] - 16) / 219
    blue, red = ((plane.reshape(height // 2, width // 2) - 128) / 224 for plane in np.split(planes[height:], 2))
    blue, red = (np.kron(plane, np.ones((2, 2))) for plane in (blue, red))
    r, b = luma + 1.5748 * red, luma + 1.8556 * blue
    g = (luma - 0.2126 * r - 0.0722 * b) / 0.7152
    return np.rint(255 * np.stack([r, g, b], axis=2))


def plain(colour: tuple[int, int, int], height: int = 48, width: int = 64) -> np.ndarray:
    return np.full((height, width, 3), colour, dtype=np.uint8)


def grey_ramp(count: int) -> list[np.ndarray]:
    """Pictures that are told apart by their grey: number k has 20 + 6 k."""
    return [plain((20 + 6 * k,) * 3) for k in range(count)]


def boxes(data: bytes) -> list[str]:
    """Names of the boxes at the top of an MP4 file, in their order."""
    names, at = [], 0
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        names.append(name.decode())
        at += size
    return names


def test_each_segment_has_its_rate_and_every_time_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "fall.mp4"
    frames = grey_ramp(36)
    with write_film(path) as film:
        film.hold(plain((0, 0, 0)), seconds=1.5)
        film.play(frames, rate=12)
        film.play(reversed(frames), rate=10)
        film.hold(plain((255, 255, 255)), seconds=0.25)
        assert film.seconds == 1.5 + 3 + 3.6 + 0.25
    read = read_film(path)
    expected = [9000] * 15 + [7500] * 36 + [9000] * 36 + [7500] * 3  # 1.5 s in 15 pieces, 1/12 s, 1/10 s, 0.25 s in 3 pieces
    assert read.durations == expected
    assert read.pts == [0, *np.cumsum(expected)[:-1].tolist()]
    assert read.length == sum(expected) == 8.35 * TICKS
    with av.open(str(path)) as container:
        assert container.duration == 8_350_000  # us
        assert container.start_time == 0


def test_one_picture_is_a_film(tmp_path: Path) -> None:
    with write_film(tmp_path / "one.mp4") as film:
        film.play([plain((7, 7, 7))], rate=12)
    read = read_film(tmp_path / "one.mp4")
    assert (read.pts, read.durations, read.length) == ([0], [7500], 7500)
    header = (tmp_path / "one.mp4").read_bytes().split(b"mvhd")[1]  # ISO/IEC 14496-12, 8.2.2, after version and flags:
    created, modified, ticks, length = struct.unpack(">4I", header[4:20])
    assert (created, modified) == (0, 0)  # no time of day
    assert (ticks, length) == (TICKS, 7500)  # the length of the whole is not rounded to milliseconds


def test_every_picture_is_in_the_film_the_last_one_too(tmp_path: Path) -> None:
    frames = grey_ramp(38)
    with write_film(tmp_path / "ramp.mp4") as film:
        film.play(iter(frames), rate=30)
    read = read_film(tmp_path / "ramp.mp4")
    assert len(read.pictures) == 38
    for drawn, seen in zip(frames, read.pictures, strict=True):
        assert abs(float(seen.mean()) - float(drawn.mean())) < 2  # neighbours differ by 6


@pytest.mark.parametrize("rate", [7, 24, 25, 29.97, 48, 59.94, 60])
def test_no_rate_drifts(tmp_path: Path, rate: float) -> None:
    with write_film(tmp_path / "rate.mp4") as film:
        film.play((plain((k, k, k)) for k in range(200)), rate=rate)
    read = read_film(tmp_path / "rate.mp4")
    assert np.abs(np.array(read.pts) - np.arange(200) * TICKS / rate).max() <= 0.5  # each at its nearest tick
    assert abs(read.length - 200 * TICKS / rate) <= 0.5


def test_colours_are_those_of_the_pictures(tmp_path: Path) -> None:
    colours = [(255, 255, 255), (0, 0, 0), (200, 30, 30), (30, 160, 60), (40, 60, 210), (214, 170, 110)]
    with write_film(tmp_path / "colours.mp4") as film:
        film.play([plain(colour) for colour in colours], rate=2)
    read = read_film(tmp_path / "colours.mp4")
    for colour, seen in zip(colours, read.pictures, strict=True):  # BT.601, or full range, would be wrong by 15 and more
        assert np.abs(seen - colour).max() <= 4


def test_edges_stay_where_they_are(tmp_path: Path) -> None:
    picture = plain((240, 240, 240), 120, 160)
    picture[30:90, 40:120] = (30, 30, 30)
    with write_film(tmp_path / "edges.mp4") as film:
        film.hold(picture, seconds=0.5)
    seen = read_film(tmp_path / "edges.mp4").pictures[0]
    assert np.abs(seen - picture).mean() < 3
    assert (seen[32:88, 42:118] < 60).all()
    assert (seen[:28] > 210).all()


def test_a_browser_can_play_it(tmp_path: Path) -> None:
    path = tmp_path / "web.mp4"
    with write_film(path) as film:
        film.play([plain((9, 9, 9), 640, 640)] * 5, rate=12)
    names = boxes(path.read_bytes())
    assert names.index("moov") < names.index("mdat")  # plays before all of it has come
    with av.open(str(path)) as container:
        codec = container.streams.video[0].codec_context
        assert (codec.name, codec.pix_fmt, codec.width, codec.height) == ("h264", "yuv420p", 640, 640)
        assert codec.profile == "High"
    avcc = path.read_bytes().split(b"avcC")[1]
    assert avcc[3] <= 31  # level 3.1: what every phone decodes
    with av.open(str(path)) as container:
        frame = next(container.decode(video=0))
        assert (frame.colorspace, frame.color_range) == (1, 1)  # said, not left to the player


def test_same_pictures_same_bytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frames = [rng.integers(0, 256, (96, 128, 3), dtype=np.uint8) for _ in range(60)]
    for name in ("a", "b"):
        with write_film(tmp_path / f"{name}.mp4") as film:
            film.play(frames, rate=12)
    frames[40] = 255 - frames[40]
    with write_film(tmp_path / "c.mp4") as film:
        film.play(frames, rate=12)
    data = {name: (tmp_path / f"{name}.mp4").read_bytes() for name in "abc"}
    assert data["a"] == data["b"] != data["c"]
    assert b"Lavf" not in data["a"]  # no version of the muxer


def test_the_number_of_cores_does_not_matter(tmp_path: Path) -> None:
    with write_film(tmp_path / "large.mp4") as film:
        film.hold(plain((9, 9, 9), 640, 640), seconds=0.1)  # large enough for x264 to take several threads
    assert b" threads=1 " in (tmp_path / "large.mp4").read_bytes()  # it notes its settings


def test_a_generator_may_reuse_its_array(tmp_path: Path) -> None:
    def paint() -> Iterator[np.ndarray]:
        picture = plain((0, 0, 0))
        for grey in (20, 120, 220):
            picture[:] = grey
            yield picture

    with write_film(tmp_path / "one.mp4") as film:
        film.play(paint(), rate=10)
    means = [picture.mean() for picture in read_film(tmp_path / "one.mp4").pictures]
    assert means == pytest.approx([20, 120, 220], abs=2)


def test_arrays_with_gaps_are_welcome(tmp_path: Path) -> None:
    wide = np.zeros((48, 128, 3), dtype=np.uint8)
    wide[:, ::2] = (10, 200, 90)
    with write_film(tmp_path / "gaps.mp4") as film:
        film.hold(wide[::-1, ::2], seconds=0.1)
    seen = read_film(tmp_path / "gaps.mp4").pictures[0]
    assert np.abs(seen - (10, 200, 90)).max() <= 4


def test_odd_sides_repeat_their_last_row_and_column(tmp_path: Path) -> None:
    picture = plain((100, 100, 100), 47, 33)
    picture[-3:] = 220
    with write_film(tmp_path / "odd.mp4") as film:
        film.hold(picture, seconds=0.1)
    seen = read_film(tmp_path / "odd.mp4").pictures[0]
    assert seen.shape == (48, 34, 3)
    assert np.abs(seen[-3:] - 220).max() < 12  # without it the row below 47 would be black
    assert np.abs(seen[:40] - 100).max() < 12


def test_memory_does_not_grow_with_the_length(tmp_path: Path) -> None:
    """The peak of a film of 500 pictures is that of 100; kept pictures would be 277 MB more."""
    program = """
        import resource, sys
        import numpy as np
        from anastylosis.rendering import write_film

        def paint(count):
            for k in range(count):
                yield np.full((480, 480, 3), k % 250, dtype=np.uint8)

        with write_film(sys.argv[1]) as film:
            for count in (100, 400):
                film.play(paint(count), rate=25)
                print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2))
    """
    done = run_program(program, tmp_path / "long.mp4")
    early, late = map(float, done.stdout.split())
    assert late - early < 20, f"{early} MB after 100 pictures, {late} MB after 500"


def run_program(program: str, *words: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", textwrap.dedent(program), *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=True)


ENDLESS = """
    import itertools, signal, sys, time
    import numpy as np
    from anastylosis.rendering import write_film

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without it

    def paint():
        rng = np.random.default_rng(0)
        for k in itertools.count():
            if k == 80:
                print("in the middle", flush=True)
            if k > 80:
                time.sleep(0.05)
            yield rng.integers(0, 256, (96, 96, 3), dtype=np.uint8)

    with write_film(sys.argv[1]) as film:
        film.play(paint(), rate=12)
"""


@pytest.mark.parametrize(("end", "left"), [(signal.SIGKILL, 1), (signal.SIGINT, 0)], ids=["kill -9", "Ctrl-C"])
def test_a_film_that_is_stopped_leaves_the_one_before(tmp_path: Path, end: signal.Signals, left: int) -> None:
    path = tmp_path / "film.mp4"
    with write_film(path) as film:
        film.hold(plain((1, 2, 3)), seconds=0.1)
    before = path.read_bytes()
    line = [sys.executable, "-c", textwrap.dedent(ENDLESS), str(path)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in the middle\n"
        others = [name for name in tmp_path.iterdir() if name != path]
        assert len(others) == 1  # the work so far, under another name
        assert others[0].suffix == ".part"
        process.send_signal(end)
        assert process.wait(timeout=60) != 0
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1 + left


def test_a_film_whose_pictures_fail_leaves_nothing(tmp_path: Path) -> None:
    def paint() -> Iterator[np.ndarray]:
        for k in range(100):
            yield plain((k, k, k))
        raise RuntimeError("the renderer gave up")

    with pytest.raises(RuntimeError, match="gave up"), write_film(tmp_path / "half.mp4") as film:
        film.play(paint(), rate=12)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    program = """
        import resource, sys
        import numpy as np
        from anastylosis.rendering import write_film

        rng = np.random.default_rng(0)
        frames = [rng.integers(0, 256, (256, 256, 3), dtype=np.uint8) for _ in range(30)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))  # bytes a file: noise needs more
        try:
            with write_film(sys.argv[1]) as film:
                film.play(frames, rate=12)
        except OSError as error:
            print("refused", error.errno)
    """
    done = run_program(program, tmp_path / "film.mp4")
    assert done.stdout.startswith("refused")
    assert list(tmp_path.iterdir()) == []


def test_two_writers_of_one_film_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "same.mp4"
    with write_film(path) as first, write_film(path) as second:
        for grey in range(60):
            first.hold(plain((grey, grey, grey)), seconds=0.1)
            second.hold(plain((255 - grey,) * 3), seconds=0.2)
    read = read_film(path)  # the second ends first, so the first is what stays
    assert read.length == 6 * TICKS
    assert read.pictures[0].mean() < 5
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda film: None, "needs a picture"),
        (lambda film: film.play([], rate=12), "no pictures came"),
        (lambda film: film.play([plain((0, 0, 0))], rate=0), "between 0.1 and 240, not 0"),
        (lambda film: film.play([plain((0, 0, 0))], rate=-12), "not -12"),
        (lambda film: film.play([plain((0, 0, 0))], rate=float("nan")), "not nan"),
        (lambda film: film.hold(plain((0, 0, 0)), seconds=0), "seconds to hold"),
        (lambda film: film.hold(plain((0, 0, 0)), seconds=float("inf")), "not inf"),
        (lambda film: film.play([plain((0, 0, 0)), plain((0, 0, 0), 50, 64)], rate=12), "64 x 48, then 64 x 50"),
        (lambda film: film.hold(plain((0, 0, 0), 8, 64), seconds=1), "16 to 8192 pixels wide and high, not 64 x 8"),
        (lambda film: film.hold(plain((0, 0, 0), 16, 9000), seconds=1), "not 9000 x 16"),
        (lambda film: film.hold(plain((0, 0, 0)).astype(float), seconds=1), "uint8, 0 to 255, not array of float64"),
        (lambda film: film.hold(plain((0, 0, 0))[:, :, 0], seconds=1), r"shape \(height, width, 3\), not \(48, 64\)"),
        (lambda film: film.hold(np.zeros((48, 64, 4), np.uint8), seconds=1), r"not \(48, 64, 4\)"),
        (lambda film: film.hold([[0, 0, 0]], seconds=1), "not list"),
    ],
)
def test_refusals(tmp_path: Path, act, message: str) -> None:
    with pytest.raises(InvalidInput, match=message), write_film(tmp_path / "no.mp4") as film:
        act(film)
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_has_ended_takes_no_more(tmp_path: Path) -> None:
    with write_film(tmp_path / "film.mp4") as film:
        film.hold(plain((0, 0, 0)), seconds=1)
    with pytest.raises(InvalidInput, match="has ended"):
        film.hold(plain((0, 0, 0)), seconds=1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("film.avi", "has to end in .mp4"),
        ("film", "has to end in .mp4"),
        ("not/there/film.mp4", "not there: make it first"),
        ("folder.mp4", "is a folder"),
        ("file.txt/film.mp4", "not there: make it first"),
    ],
)
def test_paths_that_cannot_be(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "file.txt").touch()
    with pytest.raises(InvalidInput, match=message), write_film(tmp_path / name):
        pytest.fail("the body must not run: hours of work would be lost at its end")


def test_the_room_loads_without_pyav() -> None:
    """PyAV takes a quarter of a second to load, and only films need it."""
    run_program("import sys, anastylosis.rendering; assert 'av' not in sys.modules")
