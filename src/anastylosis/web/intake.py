"""Intake: the tab where a visitor gives a file and says what is known of it."""

import math
from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import numpy as np
import viser
from numpy.typing import NDArray

from anastylosis.detection import read_photograph
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.reconstruction import KNOWN_FRICTION_MAX, Friction
from anastylosis.web.observing import SourceKind, VisitorFacts, find_kind
from anastylosis.web.pictures import embed, shrink
from anastylosis.web.trouble import Refused, explain, warn
from anastylosis.web.typed import read_within
from anastylosis.web.uploads import EXAMPLES, InputFile
from anastylosis.web.viewpoint import DECIMALS, Viewpoint
from anastylosis.web.words import Translator, frame

LAYERS_MAX = 60
FRICTIONS = (0.05, KNOWN_FRICTION_MAX)
ERROR_MAX = (1000.0, 90.0)  # [mm], [degrees] of surveyed blocks
HYPOTHESES_MAX = 64
PREVIEW = 720  # [pixels] of the longer side


class Seen(NamedTuple):
    """First look at a file; kept, since a large picture takes seconds."""

    given: InputFile
    source: SourceKind
    size: tuple[int, int]  # columns and rows of a picture
    small: NDArray[np.uint8] | None  # the picture; None: it is a survey


def see(given: InputFile) -> Seen:
    if given.kind != "picture":
        return Seen(given, find_kind(given, None), (1, 1), None)
    picture = read_photograph(given.path)
    return Seen(given, find_kind(given, picture), (picture.shape[1], picture.shape[0]), shrink(picture, PREVIEW))


class Intake:
    """Controls of the first tab. `on_file` is called with what the visitor gives, the others when they press."""

    def __init__(
        self,
        client: viser.ClientHandle,
        words: Translator,
        hypotheses: int,
        on_file: Callable[[InputFile | viser.UploadedFile], None],
        on_start: Callable[[], None],
        on_stop: Callable[[], None],
        on_paper: Callable[[str], None],
        on_play: Callable[[], None] = lambda: None,
    ) -> None:
        gui = client.gui
        self.client, self.words = client, words
        self.seen: Seen | None = None
        gui.add_html(frame(words("intro")))
        self.upload = gui.add_upload_button(words("upload"), mime_type=".csv,.json,image/*", hint=words("upload_hint"))
        self.upload.on_upload(lambda event: on_file(self.upload.value))  # at once: it is seen before the others are made
        self.play = gui.add_button(words("try_tower"), icon=None, color="gray")
        self.play.on_click(lambda event: on_play())
        self.examples = {words(f"example_{name}"): given for name, given in EXAMPLES.items()}
        self.example = gui.add_button_group(words("example"), tuple(self.examples))
        self.example.on_click(lambda event: on_file(self.examples[self.example.value]))
        self.nothing = self.named = f"<i>{words('nothing_given')}</i>"
        self.chosen = gui.add_html(frame(self.named))
        self.preview = gui.add_html("")
        self.frictions = {words("unknown"): None} | {f"{words(name)} ({mu:g})": mu for name, mu in FRICTION_LEVELS.items()}
        self.other = words("other")
        self.friction = gui.add_dropdown(words("friction"), (*self.frictions, self.other), hint=words("friction_hint"))
        self.coefficient = gui.add_number(words("coefficient"), 0.4, min=0.0, step=0.01, visible=False)
        self.layers = gui.add_number(words("layers"), 0, min=0, step=1, hint=words("layers_hint"))
        gui.add_html(frame(f'<span style="opacity:.75">{words("layers_note")}</span>'))
        self.viewpoint = Viewpoint(client, words, on_paper)
        self.more = gui.add_folder(words("more"), expand_by_default=False)
        with self.more:
            self.hypotheses = gui.add_number(words("hypotheses"), hypotheses, min=0, step=1, hint=words("hypotheses_hint"))
            self.complete = gui.add_checkbox(words("complete"), False, hint=words("complete_hint"))
            self.error = gui.add_vector2(words("error"), (0.0, 0.0), min=(0.0, 0.0), step=0.5, hint=words("error_hint"))
        self.bar = gui.add_progress_bar(0.0, visible=False, animated=True)  # above the button: below it may be out of sight
        self.status = gui.add_html("")
        self.ended = ""  # the key of the words that `status` has for how the work ended; "": it has others, or none
        self.start = gui.add_button(words("reconstruct"), disabled=True, color="green")
        self.stop = gui.add_button(words("stop"), visible=False)
        for box in (self.coefficient, self.error):
            box.precision = DECIMALS
        self.start.on_click(lambda event: on_start())
        self.stop.on_click(lambda event: on_stop())
        self.friction.on_update(self.show_coefficient)

    def show_coefficient(self, event: object = None) -> None:
        self.coefficient.visible = self.friction.value == self.other

    def take(self, given: InputFile, seen: Seen | None = None) -> None:
        """Show what was given, and what may be asked of it; `seen`: of the last file, in another language."""
        self.seen = seen if seen is not None and seen.given is given else see(given)
        _, source, size, small = self.seen
        self.named = f"<b>{escape(given.name)}</b>: {self.words('kind_' + source)}"
        self.show_chosen()
        self.show_progress("", None)
        style = "max-width:100%;max-height:9em;display:block;margin:0 auto"
        self.preview.content = "" if small is None else frame(f'<img alt="" style="{style}" src="{embed(small)}">')
        self.viewpoint.take(source, size, small)
        self.error.visible = source == "survey"
        self.start.disabled = False

    def refuse(self, error: Exception) -> None:
        """Show why a file cannot be used, and clear what was given."""
        self.show_progress("", None)
        self.named = self.nothing
        self.show_chosen(f"{warn(explain(error, self.words), self.words)}<br>{self.words('takes')}")
        self.preview.content = ""
        self.start.disabled = True
        self.viewpoint.empty()

    def show_chosen(self, trouble: str = "") -> None:
        """Show the name of the given file, after the trouble with a file that was not taken (HTML)."""
        self.chosen.content = frame(f"{trouble}<br>{self.named}" if trouble else self.named)

    def say_again(self, other: "Intake") -> None:
        """Take over what was told in the controls of another language."""
        for own, theirs in ((self.friction, other.friction), (self.viewpoint.camera, other.viewpoint.camera)):
            own.value = own.options[theirs.options.index(theirs.value)]
        counts, others = (self.layers, self.hypotheses, self.complete), (other.layers, other.hypotheses, other.complete)
        for own, theirs in zip((*counts, *self.list_measures()), (*others, *other.list_measures()), strict=True):
            own.value = theirs.value
        if other.ended:
            self.show_end(other.ended)

    def list_measures(self) -> list[Any]:
        """List the boxes of what is measured, not counted."""
        return [self.coefficient, self.error, *self.viewpoint.list_measures()]

    def read(self) -> VisitorFacts:
        """Read the visitor's entries, in SI units."""
        known = self.friction.value != self.other
        mu = self.frictions[self.friction.value] if known else self.read_box(self.coefficient, *FRICTIONS)
        layers = int(self.read_box(self.layers, 0, LAYERS_MAX))
        if layers in (1, 2):
            raise Refused(self.words("layers_few"))
        typed = self.error.value if self.error.visible else (0.0, 0.0)
        millimetres, degrees = (
            read_within(float(value), self.error.label, self.words, 0, most) for value, most in zip(typed, ERROR_MAX, strict=True)
        )
        points, corners, place = self.viewpoint.read_points(), self.viewpoint.read_corners(), self.viewpoint.read_place()
        return VisitorFacts(
            friction=None if mu is None else Friction(mu, mu),
            layers=layers or None,
            complete=bool(self.complete.value),
            hypotheses=int(self.read_box(self.hypotheses, 0, HYPOTHESES_MAX)),
            points=points,
            corners=corners,
            block=self.viewpoint.read_block(),
            origin=place.origin,
            heading=place.heading,
            position_sd=millimetres / 1e3,
            orientation_sd=math.radians(degrees),
        )

    def read_box(self, box: viser.GuiInputHandle[Any], least: float, most: float) -> float:
        return read_within(float(box.value), box.label, self.words, least, most)

    def show_progress(self, words: str, share: float | None) -> None:
        """Show how much of the work is done; None: no work is being done."""
        self.bar.visible = share is not None
        self.bar.value = 100 * min(max(share or 0.0, 0.0), 1.0)
        self.status.content = frame(words)
        self.ended = ""

    def show_end(self, key: str) -> None:
        """Show how the work ended, by a key of the table, so that it can be repeated in another language."""
        self.show_progress(f"<b>{self.words(key)}</b>", None)
        self.ended = key

    def show_error(self, error: Exception) -> None:
        self.show_progress(warn(explain(error, self.words), self.words), None)
