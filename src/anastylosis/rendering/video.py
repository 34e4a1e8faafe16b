"""Films: pictures and how long each is shown, in one H.264 file that a browser plays.

A film is a row of segments, each with its own rate (paper §11.3: forwards at 12, then backwards at 10 pictures a second).
Pictures are encoded as they come, so memory does not grow with the length.
"""

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anastylosis.errors import InvalidInput
from anastylosis.rendering.picture import Picture, check_path, check_picture
from anastylosis.whole_file import write_whole

if TYPE_CHECKING:  # PyAV takes longer to load than the rest of the room together
    from av.container import OutputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

TICKS = 90_000  # a second, the clock of MPEG: 10, 12, 24, 25, 30, 48, 50, 60 and many more pictures a second are whole ticks
HOLD = Fraction(1, 10)  # s, longest time one coded picture is shown; players stutter on single pictures of seconds
RATES = (0.1, 240.0)  # pictures a second
HOLDS = (1 / 240, 3600.0)  # s
SIDES = (16, 8192)  # pixels; below one macroblock or above the largest level of H.264 players give up

BT709, LIMITED = 1, 1  # ITU-T H.273: the matrix, primaries and curve of HD; luma 16 to 235. Said in the file, so nobody guesses

CODEC = {
    "preset": "veryfast",  # 7 ms a picture of 640 x 640 on one core
    "crf": "18",  # no loss that the eye sees
    "bf": "0",  # no reordered pictures: time stamps are those of the pictures, and no edit list is needed
}
CONTAINER = {
    "movflags": "+faststart",  # the index in front: a browser plays before it has the whole file
    "fflags": "+bitexact",  # no version of the muxer
    "movie_timescale": str(TICKS),  # the length of the whole, too, is exact
    "video_track_timescale": str(TICKS),
}


class Film:
    """Film that is being written; `write_film` makes one. All its pictures have the size of the first."""

    def __init__(self, part: Path):
        self._part = part
        self._container: OutputContainer | None = None
        self._stream: VideoStream | None = None
        self._shape: tuple[int, ...] | None = None
        self._ended = False
        self._end = Fraction(0)  # s, never rounded: rates that are not whole ticks do not drift
        self._duration: dict[int, int] = {}  # ticks, by time stamp, of pictures inside the encoder

    @property
    def seconds(self) -> float:
        """Return the length of the film so far [s]."""
        return float(self._end)

    def hold(self, picture: Picture, *, seconds: float) -> None:
        """Show one picture for `seconds`, 1/240 to 3600. Longer than 0.1 s, it is written several times."""
        length = check_number(seconds, "seconds to hold a picture", HOLDS)
        frame = self._convert(picture)
        pieces = math.ceil(length / HOLD)
        start = self._end
        for piece in range(1, pieces + 1):
            self._encode(frame, until=start + length * piece / pieces)

    def play(self, frames: Iterable[Picture], *, rate: float) -> None:
        """Show pictures one after the other, `rate` a second, 0.1 to 240; an iterator is asked for one at a time."""
        step = 1 / check_number(rate, "the rate, in pictures a second,", RATES)
        start = self._end
        for picture in frames:
            self._encode(self._convert(picture), until=self._end + step)
        if self._end == start:
            raise InvalidInput("no pictures came to play; an iterator that was used before is empty")

    def _convert(self, picture: Any) -> "VideoFrame":
        """Return the picture for the encoder: BT.709, a quarter of the colour. Odd sides repeat their last row or column."""
        from av import VideoFrame

        if self._ended:
            raise InvalidInput("this film has ended: add pictures inside its `with` block")
        picture = check_picture(picture)
        if self._shape is None:
            self._begin(picture)
        elif picture.shape != self._shape:
            raise InvalidInput(f"all pictures of a film have one size: {name_size(self._shape)}, then {name_size(picture.shape)}")
        height, width, _ = picture.shape
        if height % 2 or width % 2:
            picture = np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        frame = VideoFrame.from_ndarray(picture, format="rgb24")
        return frame.reformat(format="yuv420p", dst_colorspace=BT709, dst_color_range=LIMITED)

    def _begin(self, picture: Picture) -> None:
        import av

        height, width, _ = picture.shape
        if not (SIDES[0] <= height <= SIDES[1] and SIDES[0] <= width <= SIDES[1]):
            raise InvalidInput(f"a film is {SIDES[0]} to {SIDES[1]} pixels wide and high, not {name_size(picture.shape)}")
        self._container = av.open(str(self._part), "w", format="mp4", options=CONTAINER)
        stream = self._stream = self._container.add_stream("libx264", rate=30, options=CODEC)  # the rate only sets the level
        stream.time_base = Fraction(1, TICKS)
        codec = stream.codec_context
        codec.width, codec.height = width + width % 2, height + height % 2
        codec.pix_fmt = "yuv420p"
        codec.time_base = Fraction(1, TICKS)
        codec.gop_size = 60  # at most so many pictures to decode before the one that was jumped to
        codec.thread_count = 1  # other numbers give other bytes
        codec.color_primaries = codec.color_trc = codec.colorspace = BT709
        codec.color_range = LIMITED
        self._shape = picture.shape

    def _encode(self, frame: "VideoFrame", until: Fraction) -> None:
        """Append a picture that is shown until `until` [s]."""
        assert self._stream is not None
        start, self._end = round(self._end * TICKS), until
        frame.pts, frame.time_base = start, Fraction(1, TICKS)
        self._duration[start] = round(until * TICKS) - start
        self._mux(self._stream.encode(frame))

    def _mux(self, packets: "list[Packet]") -> None:
        assert self._container is not None
        for packet in packets:
            assert packet.pts is not None
            packet.duration = self._duration.pop(packet.pts)  # without it the last picture has no length
            self._container.mux(packet)

    def _finish(self) -> None:
        if self._stream is None or self._container is None:
            raise InvalidInput("a film needs a picture: call hold or play before it ends")
        self._mux(self._stream.encode(None))
        self._container.close()
        self._container = None

    def _abandon(self) -> None:
        self._ended = True
        if self._container is not None:
            with suppress(Exception):  # the file is deleted next; what made us stop is the news
                self._container.close()


@contextmanager
def write_film(path: str | Path) -> Iterator[Film]:
    """Write an MP4 film: `with write_film("fall.mp4") as film: film.play(frames, rate=12)`.

    H.264, yuv420p, index in front. The file appears when the body ends, whole; a body that raises leaves none, and none of an
    earlier film is lost. The same pictures give the same bytes. Pictures with an odd side get one more row or column.
    """
    with write_whole(check_path(path, ".mp4")) as part:
        film = Film(part)
        try:
            yield film
            film._finish()
        finally:
            film._abandon()


def check_number(value: float, what: str, limits: tuple[float, float]) -> Fraction:
    """Return the fraction that was meant: 0.1 is 1/10; refuse what is outside the limits, NaN included."""
    if not limits[0] <= value <= limits[1]:
        raise InvalidInput(f"{what} must be between {limits[0]:.3g} and {limits[1]:g}, not {value!r}")
    return Fraction(float(value)).limit_denominator(1_000_000)


def name_size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]} x {shape[0]}"
