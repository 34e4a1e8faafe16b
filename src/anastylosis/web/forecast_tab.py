"""The tab of predictions: numbers and map at once, pictures when they are drawn."""

from collections.abc import Callable
from typing import Any

import viser

from anastylosis.progress import Execute, Progress
from anastylosis.web.findings import Finding
from anastylosis.web.forecast import draw_comparison, draw_map, draw_sight, list_numbers
from anastylosis.web.trouble import explain
from anastylosis.web.words import Translator, frame

Ask = Callable[[Callable[[Execute, Progress], Any], Callable[[Any], None], Callable[[Exception], None]], None]


class ForecastTab:
    """Controls of the forecast tab. `ask` queues work: what to do, who hears the result, and who hears why there is none."""

    def __init__(self, gui: viser.GuiApi, words: Translator, ask: Ask) -> None:
        self.words, self.ask = words, ask
        self.numbers = gui.add_html(frame(words("nothing_yet")))
        self.comparison = gui.add_html("")
        self.sight = gui.add_html("")
        self.map = gui.add_html("")
        self.finding: Finding | None = None  # that is shown
        self.rank = 0  # of the proposal that is looked at

    def show(self, finding: Finding) -> None:
        """Show all that does not depend on the proposal that is looked at."""
        self.finding = finding
        self.numbers.content = frame(list_numbers(finding, self.words))
        self.map.content = frame(draw_map(finding, self.words))
        self.sight.content = ""

        def done(sight: str) -> None:
            if self.finding is finding:
                self.sight.content = frame(sight)

        self.ask(lambda execute, progress: draw_sight(finding, self.words), done, lambda error: done(explain(error, self.words)))

    def compare(self, finding: Finding, rank: int, on_fall: Callable[[], None]) -> None:
        """Let a proposal fall again, and show what comes of it beside what was given. `told` hears that the fall is there."""
        self.rank = rank
        self.comparison.content = frame(self.words("computing"))

        def is_wanted() -> bool:
            return self.finding is finding and self.rank == rank

        def draw(execute: Execute, progress: Progress) -> str | None:
            return draw_comparison(finding, rank, self.words) if is_wanted() else None  # who comes back to it asks again

        def done(comparison: str | None) -> None:
            if comparison is None:
                return
            if is_wanted():
                self.comparison.content = frame(comparison)
            on_fall()

        def fail(error: Exception) -> None:
            finding.stories.setdefault(rank, None)
            done("")

        self.ask(draw, done, fail)

    def close(self) -> None:
        """Close the tab: nothing is shown here any more."""
        self.finding = None
