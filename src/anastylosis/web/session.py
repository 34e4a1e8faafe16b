"""Session: one visitor, from the opening of the page to the closing of the tab. Nothing of it is shared, nothing outlives it."""

import threading
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import viser

from anastylosis.episode import Pull
from anastylosis.errors import AnastylosisError
from anastylosis.progress import Execute, Progress
from anastylosis.reconstruction import Reconstruction
from anastylosis.structure import Structure
from anastylosis.survey import read_survey
from anastylosis.web.allowance import Allowance
from anastylosis.web.animations import animate_survey, animate_turn
from anastylosis.web.config import LANGUAGES, SURVEY_MAX, PageConfig
from anastylosis.web.downloads import FILES, make_file
from anastylosis.web.drop import take_drops
from anastylosis.web.files_tab import FilesTab
from anastylosis.web.findings import Finding, reconstruct
from anastylosis.web.forecast_tab import ForecastTab
from anastylosis.web.guard import limit_uploads
from anastylosis.web.intake import Intake, see
from anastylosis.web.jobs import WAITING, JobQueue, QueuedJob
from anastylosis.web.opening import open_example
from anastylosis.web.play import PlayTab, Turn, take_turn
from anastylosis.web.progress import OverallProgress, weigh_stages
from anastylosis.web.results_panel import Choice, ResultsPanel
from anastylosis.web.scene_view import is_phone
from anastylosis.web.target_offer import draw_sheet
from anastylosis.web.trouble import Refused, explain, number_error, record, warn
from anastylosis.web.uploads import InputFile, keep_upload, name_safely, naming
from anastylosis.web.visitor_storage import VisitorStorage
from anastylosis.web.window import ask_width, hide_warning, set_widths, turn_to_tab, widen_sheet
from anastylosis.web.words import Translator, choose_language, frame


class Session:
    """Files and results of one visitor, and the page that shows them."""

    def __init__(
        self,
        client: viser.ClientHandle,
        config: PageConfig,
        large: JobQueue,
        small: JobQueue,
        uploads: Allowance,
        pixels: Allowance,
        folder: Path,
        accepted: str = "",
    ) -> None:
        """Open a visitor's page. `uploads`, `pixels` and `folder` are shared with other visitors, as the workshops are.

        `accepted`: the languages that the browser asks for, as its header says.
        """
        self.client, self.config, self.large, self.small = client, config, large, small
        self.storage = VisitorStorage(client.client_id, uploads, pixels, folder)
        self.files_folder = self.storage.folder  # of the reconstruction that is shown: each has its own
        self.words = Translator(config.language or choose_language(accepted))
        self.given: InputFile | None = None
        self.finding: Finding | None = None
        self.busy = False
        self.stopped = threading.Event()  # for the reconstruction that is being made: it is not wanted any more
        self.telling = threading.Lock()  # of what is given and how far it is: nothing is told once it is stopped
        self.phone = is_phone(client.camera)  # of the whole window: later there are panels beside the scene
        self.results_panel = ResultsPanel(client, Choice())
        if config.opening:
            self.finding = open_example()
        self.window = client.camera.image_width  # [points] of its width; dots of the screen, until the browser has told it
        widen_sheet(client)
        hide_warning(client)
        limit_uploads(client, config.upload_max, uploads, self.refuse_upload)
        self.build()

    # The page

    def build(self, former: Intake | None = None) -> None:
        """Make every control in the chosen language; `former`: those of the language before, whose values are taken over."""
        gui, words = self.client.gui, self.words
        gui.reset()
        gui.main_panel.dock_right()
        self.side_panel = None if self.phone else gui.add_panel()
        if self.side_panel is not None:
            with self.side_panel.add_tab(words("stage")):
                self.results_panel.build(words, self.follow, self.plan)
            self.side_panel.dock_left()
        self.fit_panels(self.window)
        self.language = gui.add_dropdown(words("language"), tuple(LANGUAGES.values()), initial_value=LANGUAGES[words.language])
        self.language.on_update(self.change_language)
        tabs = gui.add_tab_group()
        if self.side_panel is None:  # a telephone has one sheet: the scene's controls come first in it
            with tabs.add_tab(words("stage")):
                self.results_panel.build(words, self.follow, self.plan)
        with tabs.add_tab(words("tab_start")):
            self.intake = Intake(
                self.client, words, self.config.hypotheses, self.take_file, self.start, self.stop, self.send_target,
                self.try_tower,
            )  # fmt: skip
        with tabs.add_tab(words("tab_forecast")):
            self.forecast = ForecastTab(gui, words, partial(self.ask, self.small))
        with tabs.add_tab(words("tab_play")):
            self.play = PlayTab(gui, words, self.play_proposed, self.put_on_stage, self.pull)
        with tabs.add_tab(words("tab_downloads")):
            self.files = FilesTab(gui, words, self.download, self.send_target)
        take_drops(self.client, words)
        with self.intake.more:
            self.width_box = ask_width(self.client, words, self.fit_panels)
        if self.given is not None:
            self.intake.take(self.given, former.seen if former else None)
        if former is not None:
            self.intake.say_again(former)
        if self.finding is not None:
            self.show_finding(self.finding, undo=former is None)
        else:
            self.results_panel.open(None)

    def fit_panels(self, window: int) -> None:
        """Set the widths of the panels again, once the browser has told the width of its window.

        A panel in the place of a removed one may have lost its width.
        """
        self.window = window
        if self.side_panel is not None:
            set_widths(self.client.gui.main_panel, self.side_panel, window)

    def change_language(self, event: object) -> None:
        chosen = next(code for code, name in LANGUAGES.items() if name == self.language.value)
        if chosen != self.words.language and not self.busy:
            tower, friction = self.play.tower if self.results_panel.played else None, self.play.friction
            self.words = Translator(chosen)
            self.results_panel.close()
            self.forecast.close()
            self.intake.viewpoint.drop_board()
            self.build(self.intake)
            if tower is not None:
                self.play.start(tower, friction)

    # What is given

    def take_file(self, source: InputFile | viser.UploadedFile) -> None:
        """Take an example, or an upload."""
        if self.busy:
            return
        self.results_panel.unpick()
        try:
            if isinstance(source, InputFile):
                given = source
            else:
                given = keep_upload(self.storage.folder, source.content, source.name, self.config.upload_max)
            if not self.storage.hold(given, self.shown):
                raise Refused(self.words("crowded", name=given.name))
            with naming(given):
                seen = see(given)
                self.show_given(given)
            with self.telling:  # who sees its name may ask for a reconstruction at once, in another thread
                self.given = given
                self.intake.take(given, seen)
                self.intake.layers.value = given.layers or 0
                self.intake.start.disabled = self.busy
        except Exception as error:  # a file may hold anything: whatever it does here, its visitor hears of it
            if not isinstance(error, AnastylosisError):
                record(error)
            with self.telling:
                self.given = None
                self.storage.hold(self.shown)
                self.intake.refuse(error)

    def show_given(self, given: InputFile) -> None:
        """Put a survey that was given on the scene, as it lies, before anything is asked; a picture is there already."""
        if given.kind == "survey":
            self.results_panel.play_with(animate_survey(read_survey(given.path)), lambda number: None, run=False, seen=True)

    @property
    def shown(self) -> InputFile | None:
        """Return the file from which the reconstruction on show was made."""
        return self.finding.given if self.finding is not None else None

    def refuse_upload(self, name: str, why: str) -> None:
        """Refuse an upload; what was taken before stays."""
        most = SURVEY_MAX if why == "survey_too_large" else self.config.upload_max
        text = self.words(why, name=escape(name_safely(name)), most=most / 1e6)
        self.intake.show_chosen(warn(text, self.words))

    def show_broken(self, error: Exception) -> None:
        """Tell that a control failed in a way that nobody foresaw, whichever tab is open."""
        self.client.add_notification(self.words("failed"), self.words("broken", number=number_error(error)), color="red")

    # Work

    def ask(
        self,
        queue: JobQueue,
        do: Callable[[Execute, Progress], Any],
        finish: Callable[[Any], None],
        fail: Callable[[Exception], None],
        progress: Progress = lambda what, done, total: None,
        left: threading.Event | None = None,
    ) -> None:
        """Order work for this visitor. It is given up when they leave, or when `left` is set."""

        def failed(error: Exception) -> None:
            if not isinstance(error, AnastylosisError):
                record(error)
            fail(error)

        queue.ask(QueuedJob(do=do, progress=progress, finish=finish, fail=failed, left=left or self.storage.left))

    def start(self) -> None:
        """Reconstruct."""
        with self.telling:
            given = self.given
            if given is None or self.busy:
                return
            try:
                facts = self.intake.read()
            except AnastylosisError as error:
                self.intake.show_error(error)
                return
            # Before Stop is shown, and before `left` is looked at: who presses it or leaves sets this one.
            self.stopped = stopped = threading.Event()
            if self.storage.left.is_set():
                return
            self.set_busy(True)

        overall = OverallProgress(weigh_stages(given, facts, self.config.moves))

        def progress(what: str, done: int, total: int) -> None:
            with self.telling:
                if not stopped.is_set():
                    self.intake.show_progress(self.describe(what, done, total)[0], overall.reach(what, done, total))

        self.ask(
            self.large,
            lambda execute, progress: reconstruct(given, facts, self.config.moves, execute, progress),
            lambda finding: self.end(finding, stopped),
            lambda error: self.give_up(error, stopped),
            progress,
            stopped,
        )

    def stop(self) -> None:
        """Let go of the reconstruction that is being made."""
        with self.telling:
            if self.busy:
                self.stopped.set()
                self.set_busy(False)
                self.intake.show_end("stopped")

    def describe(self, what: str, done: int, total: int) -> tuple[str, float]:
        """Describe the progress of a stage, in words and as a share."""
        if what == WAITING:
            return (self.words("in_line", place=done) if done else self.words("begins")), 0.0
        return self.words(f"doing_{what}", done=done, total=total), done / total if total else 0.0

    def end(self, finding: Finding, stopped: threading.Event) -> None:
        """End a reconstruction: show it unless it was stopped."""
        with self.telling:
            if stopped.is_set():
                return
            if not self.storage.hold(self.given, finding.given):
                self.set_busy(False)
                self.intake.show_error(Refused(self.words("crowded", name=finding.given.name)))
                return
            self.finding = finding
            self.files_folder = self.storage.open_folder()
            self.results_panel.choice = Choice(way=self.results_panel.choice.way)
            self.set_busy(False)
        self.show_finding(finding, undo=True)
        self.intake.show_end("done")

    def give_up(self, error: Exception, stopped: threading.Event) -> None:
        with self.telling:
            if not stopped.is_set():
                self.set_busy(False)
                self.intake.show_error(error)

    def set_busy(self, busy: bool) -> None:
        self.busy = busy
        for handle in (self.intake.start, self.intake.upload, self.language):
            handle.disabled = busy
        self.intake.stop.visible, self.intake.example.visible = busy, not busy  # groups cannot be disabled

    def show_finding(self, finding: Finding, *, undo: bool = False) -> None:
        """Show a finding in every tab; `undo`: its fall runs backwards by itself."""
        self.intake.viewpoint.hide_board()
        self.results_panel.open(finding, undo=undo)
        self.forecast.show(finding)
        self.follow(self.results_panel.choice.rank)
        self.play.proposed.disabled = False
        self.files.offer(True)

    def follow(self, rank: int) -> None:
        """Follow the visitor to the proposal that is looked at."""
        finding = self.finding
        if finding is not None:
            self.forecast.compare(finding, rank, lambda: self.results_panel.refresh(finding, "fall", rank))

    def plan(self, rank: int) -> None:
        """Find the order in which a proposal can be rebuilt, and show it."""
        finding = self.finding
        if finding is None:
            return

        def say(text: str) -> None:
            if self.results_panel.is_shown(finding, "rebuild", rank):
                self.results_panel.caption.content = frame(text)

        def find_order(execute: Execute, progress: Progress) -> Reconstruction | None:
            if not self.results_panel.is_shown(finding, "rebuild", rank):
                return None  # the scene asks again when the visitor comes back to it
            return finding.plan_rebuilding(rank, execute, progress)

        def done(plan: Reconstruction | None) -> None:
            if plan is not None:
                self.results_panel.refresh(finding, "rebuild", rank)

        self.ask(
            self.large,
            find_order,
            done,
            lambda error: say(explain(error, self.words)),
            lambda what, done, total: say(self.describe(what, done, total)[0]),
        )

    # A tower to play with

    def try_tower(self) -> None:
        """Turn to the tab of the experiment, and build a tower there."""
        turn_to_tab(self.client, self.words("tab_play"))
        self.play.build_tower()

    def play_proposed(self) -> None:
        finding = self.finding
        if finding is not None:
            chosen = finding.choose(self.results_panel.choice.rank)
            self.play.start(finding.found.structure.select(chosen.state.filled), chosen.friction)

    def put_on_stage(self, tower: Structure, turn: Turn | None = None) -> None:
        self.intake.viewpoint.hide_board()
        frames, pulled = (turn.frames, turn.played.pull.block) if turn else (None, "")
        animation = animate_turn(tower, frames, pulled)
        self.results_panel.play_with(animation, lambda number: self.play.choose(tower.ids[number]), run=turn is not None)

    def pull(self, tower: Structure, pull: Pull, friction: float) -> None:
        """Let the physics pull a block; shown unless the visitor has turned to something else meanwhile."""
        tab, animation = self.play, self.results_panel.animation

        def done(turn: Turn) -> None:
            with tab.lock, self.results_panel.lock:  # nothing else comes on the scene between the question and the answer
                if not tab.awaits(tower) or self.play is not tab:
                    return
                if self.results_panel.animation is animation:
                    self.put_on_stage(turn.tower, turn)
                    tab.show_turn(turn)
                else:
                    tab.wait()

        def fail(error: Exception) -> None:
            with tab.lock:
                if tab.awaits(tower) and self.play is tab:
                    tab.wait(explain(error, self.words))

        self.ask(self.small, lambda execute, progress: take_turn(tower, pull, friction), done, fail)

    # Files

    def download(self, kind: str) -> None:
        """Make a file, and send it to the browser."""
        finding, folder, rank = self.finding, self.files_folder, self.results_panel.choice.rank
        language = self.words.language
        if finding is None:
            return
        self.files.offer(False)

        def done(path: Path | None) -> None:
            self.files.offer(True)
            self.files.show_progress("" if path else self.words("no_film"), None)
            if path is not None:
                self.client.send_file_download(FILES[kind], path.read_bytes(), save_immediately=True)

        def fail(error: Exception) -> None:
            self.files.offer(True)
            self.files.show_progress(explain(error, self.words), None)

        def make(execute: Execute, progress: Progress) -> Path | None:
            return make_file(kind, finding, rank, folder, execute, progress, language)

        queue = self.small if kind in ("json", "csv", "glb") else self.large
        self.ask(queue, make, done, fail, lambda what, done, total: self.files.show_progress(*self.describe(what, done, total)))

    def send_target(self, paper: str) -> None:
        """Send the sheet to print, on this paper; an error is shown beside both offers of it."""

        def done(path: Path) -> None:
            self.files.target_status.content = ""
            self.client.send_file_download(path.name, path.read_bytes(), save_immediately=True)

        def fail(error: Exception) -> None:
            text = warn(explain(error, self.words), self.words)
            self.files.target_status.content = frame(text)
            with self.telling:
                if not self.busy:
                    self.intake.show_progress(text, None)

        self.ask(self.small, lambda execute, progress: draw_sheet(self.storage.folder, paper), done, fail)

    # The end

    def close(self) -> None:
        """Close the session: nothing is kept."""
        self.storage.leave()
        self.stopped.set()
        self.results_panel.close()
        self.forecast.close()
        self.finding = None
        self.storage.give_back()
