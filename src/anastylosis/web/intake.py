"""Intake: the tab where a visitor gives a file and says what is known of it."""

import math
from collections.abc import Callable
from html import escape
from typing import Any

import viser

from anastylosis.episode import FRICTION_LEVELS
from anastylosis.errors import InvalidInput
from anastylosis.predict.camera.photograph import read_photograph
from anastylosis.reconstruct.case import FRICTION_MAX, Friction
from anastylosis.web.observing import FloorPoint, Told
from anastylosis.web.photo_board import PhotoBoard
from anastylosis.web.pictures import embed, shrink
from anastylosis.web.target_offer import offer_target
from anastylosis.web.trouble import explain, warn
from anastylosis.web.typed import read_measures, write_measures
from anastylosis.web.uploads import EXAMPLES, Given
from anastylosis.web.words import Words, frame

__all__ = ["Intake"]

LAYERS_MAX = 60
FRICTION_MIN = 0.05
HYPOTHESES_MAX = 64
PREVIEW = 720  # [pixels] of the longer side
POINTS = 4
DECIMALS = 3  # that boxes take; one that takes none drops the point of 184.13, and has 18413


class Intake:
    """Controls of the first tab. `on_file` is called with what the visitor gives, the others when they press."""

    def __init__(
        self,
        client: viser.ClientHandle,
        words: Words,
        hypotheses: int,
        on_file: Callable[[Given | viser.UploadedFile], None],
        on_start: Callable[[], None],
        on_stop: Callable[[], None],
        on_paper: Callable[[str], None],
    ) -> None:
        gui = client.gui
        self.client, self.words = client, words
        self.board: PhotoBoard | None = None
        self.picture_size = (1, 1)
        gui.add_html(frame(words("intro")))
        self.upload = gui.add_upload_button(words("upload"), mime_type=".csv,.json,image/*", hint=words("upload_hint"))
        self.examples = {words(f"example_{name}"): given for name, given in EXAMPLES.items()}
        self.example = gui.add_button_group(words("example"), tuple(self.examples))
        self.nothing = self.named = f"<i>{words('nothing_given')}</i>"
        self.chosen = gui.add_html(frame(self.named))
        self.preview = gui.add_html("")
        self.frictions = {words("unknown"): None} | {f"{words(name)} ({mu:g})": mu for name, mu in FRICTION_LEVELS.items()}
        self.other = words("other")
        self.friction = gui.add_dropdown(words("friction"), (*self.frictions, self.other), hint=words("friction_hint"))
        self.coefficient = gui.add_number(words("coefficient"), 0.4, min=FRICTION_MIN, max=FRICTION_MAX, step=0.01, visible=False)
        self.layers = gui.add_number(words("layers"), 0, min=0, max=LAYERS_MAX, step=1, hint=words("layers_hint"))
        gui.add_html(frame(f'<span style="opacity:.75">{words("layers_note")}</span>'))
        self.build_camera(gui, on_paper)
        with gui.add_folder(words("more"), expand_by_default=False):
            self.hypotheses = gui.add_number(
                words("hypotheses"), hypotheses, min=0, max=HYPOTHESES_MAX, step=1, hint=words("hypotheses_hint")
            )
            self.complete = gui.add_checkbox(words("complete"), False, hint=words("complete_hint"))
            self.origin = gui.add_text(words("origin"), write_measures(0.0, 0.0), hint=words("origin_hint"))
            self.heading = gui.add_text(words("heading"), write_measures(0.0), hint=words("heading_hint"))
            self.error = gui.add_vector2(words("error"), (0.0, 0.0), min=(0.0, 0.0), step=0.5, hint=words("error_hint"))
        self.bar = gui.add_progress_bar(0.0, visible=False, animated=True)  # above the button: below it may be out of sight
        self.status = gui.add_html("")
        self.start = gui.add_button(words("reconstruct"), disabled=True, color="green")
        self.stop = gui.add_button(words("stop"), visible=False)
        for box in (self.coefficient, self.error, *(pixel for _, pixel in self.points)):
            box.precision = DECIMALS
        self.upload.on_upload(lambda event: on_file(self.upload.value))
        self.example.on_click(lambda event: on_file(self.examples[self.example.value]))
        self.start.on_click(lambda event: on_start())
        self.stop.on_click(lambda event: on_stop())
        self.friction.on_update(self.show_coefficient)

    def build_camera(self, gui: viser.GuiApi, on_paper: Callable[[str], None]) -> None:
        words = self.words
        self.camera_folder = gui.add_folder(words("photo_camera"), visible=False)
        with self.camera_folder:
            self.ways = {words("camera_found"): False, words("camera_points"): True}
            self.camera = gui.add_dropdown(words("camera_way"), tuple(self.ways), hint=words("camera_way_hint"))
            self.target = offer_target(gui, words, on_paper)
            self.points_note = gui.add_html(frame(words("points_note")), visible=False)
            self.points = [
                (
                    gui.add_text(words("point_floor", number=n + 1), write_measures(0.0, 0.0), visible=False),
                    gui.add_vector2(words("point_pixel", number=n + 1), (0.0, 0.0), step=0.5, visible=False),
                )
                for n in range(POINTS)
            ]
        self.camera.on_update(self.show_points)

    def show_coefficient(self, event: object = None) -> None:
        self.coefficient.visible = self.friction.value == self.other

    def show_points(self, event: object = None) -> None:
        """The fields of four points, and the picture on the stage to click them in."""
        wanted = self.ways[self.camera.value]
        for handle in (self.points_note, *(field for pair in self.points for field in pair)):
            handle.visible = wanted
        if self.board is not None:
            self.board.show(wanted)

    def take(self, given: Given) -> None:
        """Show what was given, and what may be asked of it."""
        self.named = f"<b>{escape(given.name)}</b>: {self.words('kind_' + given.kind)}"
        self.show_chosen()
        self.camera_folder.visible = given.kind == "picture"
        self.preview.content = ""
        self.drop_board()
        self.status.content = ""
        if given.kind == "picture":
            picture = read_photograph(given.path)
            self.picture_size = picture.shape[1], picture.shape[0]
            small = shrink(picture, PREVIEW)
            style = "max-width:100%;max-height:11em;display:block;margin:0 auto"
            self.preview.content = frame(f'<img alt="" style="{style}" src="{embed(small)}">')
            self.board = PhotoBoard(self.client, small, picture.shape[1] / small.shape[1], self.note_click)
            self.board.show(self.ways[self.camera.value])
        self.start.disabled = False

    def refuse(self, error: Exception) -> None:
        """What was given cannot be used: nothing is given any more."""
        self.tell("", None)
        self.named = self.nothing
        self.show_chosen(warn(explain(error, self.words), self.words))
        self.preview.content = ""
        self.camera_folder.visible = False
        self.start.disabled = True
        self.drop_board()

    def show_chosen(self, trouble: str = "") -> None:
        """What is given, after what is wrong with a file that is not taken; HTML."""
        self.chosen.content = frame(f"{trouble}<br>{self.named}" if trouble else self.named)

    def say_again(self, other: "Intake") -> None:
        """Take over what was told in the controls of another language."""
        for own, said in ((self.friction, other.friction), (self.camera, other.camera)):
            own.value = own.options[said.options.index(said.value)]
        counts, others = (self.layers, self.hypotheses, self.complete), (other.layers, other.hypotheses, other.complete)
        for own, said in zip((*counts, *self.list_measures()), (*others, *other.list_measures()), strict=True):
            own.value = said.value

    def list_measures(self) -> list[Any]:
        """Boxes of what is measured, not counted."""
        return [self.coefficient, self.origin, self.heading, self.error, *(box for pair in self.points for box in pair)]

    def note_click(self, number: int, column: float, row: float) -> None:
        """A point was clicked in the picture: it goes into the next pair of fields."""
        self.points[number % POINTS][1].value = (round(column, 1), round(row, 1))

    def hide_board(self) -> None:
        """The stage is wanted for blocks; `show_points` brings the picture back."""
        if self.board is not None:
            self.board.show(False)

    def drop_board(self) -> None:
        if self.board is not None:
            self.board.remove()
            self.board = None

    def read(self, given: Given) -> Told:
        """What the visitor knows, in SI units."""
        mu = self.frictions.get(self.friction.value, self.coefficient.value)
        layers = min(max(int(self.layers.value), 0), LAYERS_MAX)  # a browser may send anything
        if layers in (1, 2):
            raise InvalidInput(self.words("layers_few"))
        wanted = given.kind == "picture" and self.ways[self.camera.value]
        x, y = (each / 1e3 for each in self.read_typed(self.origin, 2))
        (heading,) = self.read_typed(self.heading, 1)
        millimetres, degrees = (float(each) for each in self.error.value)
        return Told(
            friction=None if mu is None else Friction(*2 * (min(max(float(mu), FRICTION_MIN), FRICTION_MAX),)),
            layers=layers or None,
            complete=bool(self.complete.value),
            hypotheses=min(max(int(self.hypotheses.value), 0), HYPOTHESES_MAX),
            points=tuple(self.read_points()) if wanted else None,
            origin=(x, y),
            heading=math.radians(heading),
            position_sd=millimetres / 1e3,
            orientation_sd=math.radians(degrees),
        )

    def read_typed(self, box: viser.GuiInputHandle[str], count: int) -> tuple[float, ...]:
        return read_measures(box.value, count, box.label, self.words)

    def read_points(self) -> list[FloorPoint]:
        points = []
        for place, pixel in self.points:
            (x, y), (column, row) = self.read_typed(place, 2), pixel.value
            points.append((x / 1e3, y / 1e3, float(column), float(row)))
        return points

    def tell(self, words: str, share: float | None) -> None:
        """How far the work is; None: it is not being done."""
        self.bar.visible = share is not None
        self.bar.value = 100 * min(max(share or 0.0, 0.0), 1.0)
        self.status.content = frame(words)

    def tell_error(self, error: Exception) -> None:
        self.tell(warn(explain(error, self.words), self.words), None)
