"""Timeline: the slider that runs through the moments of an animation, forwards and backwards."""

import threading
from collections.abc import Callable

import viser

from anastylosis.web.words import Translator

SPEEDS = {"¼ ×": 0.25, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0}


class Timeline:
    """A slider, three buttons and a speed."""

    def __init__(self, gui: viser.GuiApi, words: Translator, show: Callable[[int], None]) -> None:
        self.show, self.rate = show, 12.0
        self.halt = threading.Event()
        self.slider = gui.add_slider(words("moment"), min=0, max=1, step=1, initial_value=0, visible=False)
        self.back, self.pause_word, self.on = words("backwards"), words("pause"), words("forwards")
        self.buttons = gui.add_button_group(words("run"), (self.back, self.pause_word, self.on), visible=False)
        self.speed = gui.add_dropdown(words("speed"), tuple(SPEEDS), initial_value="1 ×", visible=False)

        @self.slider.on_update
        def _(event: viser.GuiEvent) -> None:
            if event.client is not None:  # moved by hand
                self.pause()
            self.show(int(self.slider.value))

        @self.buttons.on_click
        def _(event: viser.GuiEvent) -> None:
            way = {self.back: -1, self.on: 1}.get(self.buttons.value, 0)
            self.play(way) if way else self.pause()

    def load(self, count: int, rate: float, start: int) -> None:
        """Load another animation, at this moment; where it has one moment there is nothing to run."""
        self.pause()
        self.rate = rate
        for handle in (self.slider, self.buttons, self.speed):
            handle.visible = count > 1
        self.slider.max = max(count - 1, 1)
        if int(self.slider.value) == start:
            self.show(start)
        else:
            self.slider.value = start

    def play(self, way: int, until: int | None = None) -> None:
        """Run forwards (1) or backwards (-1), from the other end if this one is reached; `until` a moment (None: the end)."""
        self.pause()
        self.halt = halt = threading.Event()
        last = int(self.slider.max)
        if int(self.slider.value) == (last if way > 0 else 0):
            self.slider.value = 0 if way > 0 else last
        threading.Thread(target=self.run, args=(halt, way, last, until), name="timeline", daemon=True).start()

    def run(self, halt: threading.Event, way: int, last: int, until: int | None) -> None:
        while not halt.wait(1 / (self.rate * SPEEDS[self.speed.value])):
            moment = int(self.slider.value) + way
            if not 0 <= moment <= last:
                return
            try:
                self.slider.value = moment
            except RuntimeError:  # the slider is gone: its visitor left, or took another language
                return
            if moment == until:
                return

    def pause(self) -> None:
        self.halt.set()
