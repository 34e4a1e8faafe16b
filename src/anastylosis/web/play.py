"""Play: a tower that a visitor takes blocks out of, to see what the physics does."""

import threading
from collections.abc import Callable
from html import escape
from typing import NamedTuple

import viser

from anastylosis.episode import EpisodeFrames, Game, Pull, Round, default_episode, list_pulls, play_round
from anastylosis.structure import Structure, jenga_tower
from anastylosis.units import metres_to_millimetres, newtons_to_millinewtons
from anastylosis.web.words import Translator, frame

LAYERS_MIN, LAYERS_MAX = 3, 24
SETTLE = 0.5  # [s] longest wait before the pull: the tower stood before


class Turn(NamedTuple):
    """One pull, and what came of it."""

    tower: Structure  # before it
    played: Round
    frames: EpisodeFrames
    after: Structure | None  # what stands; None: it fell


def take_turn(tower: Structure, pull: Pull, friction: float) -> Turn:
    """Take a block out of a tower that stands."""
    layers = max(int(tower.course.max()) + 1, LAYERS_MIN)
    game = Game(default_episode(layers=layers, friction=friction, settle_start=SETTLE), tower)
    played = play_round(game, pull)
    return Turn(tower, played, game.recorder.frames(), None if played.outcome == "collapse" else game.standing())


class PlayTab:
    """Controls: a new tower, a block, a way to take it."""

    def __init__(
        self,
        gui: viser.GuiApi,
        words: Translator,
        new: Callable[[], None],
        show: Callable[[Structure], None],
        pull: Callable[[Structure, Pull, float], None],
    ) -> None:
        """Add the tab. `new` asks for the proposed tower, `show` puts a tower on the scene, `pull` lets the physics do one."""
        self.words, self.show, self.ask_pull = words, show, pull
        self.lock = threading.RLock()
        self.tower: Structure | None = None
        self.pulled: Structure | None = None  # the tower that a pull is being computed for
        self.friction = 0.4
        self.before: list[Structure] = []  # towers that blocks were taken from, the last one last
        gui.add_html(frame(words("play_intro")))
        self.layers = gui.add_slider(words("play_layers"), LAYERS_MIN, LAYERS_MAX, 1, initial_value=18)
        self.mu = gui.add_slider(words("play_friction"), 0.1, 1.0, 0.05, initial_value=0.4)
        self.build = gui.add_button(words("play_build"))
        self.proposed = gui.add_button(words("play_proposed"), disabled=True)
        self.block = gui.add_dropdown(words("play_block"), ("-",), disabled=True)
        self.way = gui.add_dropdown(words("play_way"), ("-",), disabled=True)
        self.pull = gui.add_button(words("play_pull"), disabled=True, color="red")
        self.undo = gui.add_button(words("play_undo"), disabled=True)
        self.result = gui.add_html("")
        self.build.on_click(lambda event: self.build_tower())
        self.proposed.on_click(lambda event: new())
        self.block.on_update(lambda event: self.list_ways())
        self.pull.on_click(lambda event: self.take())
        self.undo.on_click(lambda event: self.take_back())

    def build_tower(self) -> None:
        """Start with a new tower, as high and as rough as the sliders say."""
        friction = float(self.mu.value)
        self.start(jenga_tower(int(self.layers.value), friction=friction), friction)

    def start(self, tower: Structure, friction: float) -> None:
        """Start with another tower."""
        with self.lock:
            self.friction = friction
            self.before = []
            self.take_over(tower)
            self.wait()
            self.show(tower)

    def take_back(self) -> None:
        """Put the last block back: the tower is again as it was before that pull, also if it fell."""
        with self.lock:
            if self.pulled is None and self.before:
                tower = self.before.pop()
                self.take_over(tower)
                self.wait()
                self.show(tower)

    def awaits(self, tower: Structure) -> bool:
        """Return whether the result of a pull at this tower is still wanted: no other tower was built."""
        return self.pulled is tower

    def wait(self, text: str = "") -> None:
        """Wait for a pull; `said`: HTML, why there is nothing to see of the last one."""
        self.pulled = None
        self.pull.disabled = self.tower is None or len(self.tower) < 2
        self.undo.disabled = not self.before
        self.result.content = frame(text or self.words("play_choose", friction=self.friction))

    def take_over(self, tower: Structure | None) -> None:
        """Take over the tower that blocks are taken from; None: it fell."""
        self.tower, self.pulled = tower, None
        self.undo.disabled = not self.before
        for handle in (self.block, self.way, self.pull):
            handle.disabled = tower is None or len(tower) < 2
        if tower is not None:
            self.block.options = tower.ids
            self.list_ways()

    def choose(self, name: str) -> None:
        """Choose the block of the scene that was clicked."""
        if self.tower is not None and name in self.tower.ids:
            self.block.value = name

    def list_ways(self) -> None:
        if self.tower is None:
            return
        pulls = [pull for pull in list_pulls(self.tower, 0) if pull.block == self.block.value]
        names = {("y", -1): "way_back", ("y", 1): "way_forth", ("x", -1): "way_out", ("x", 1): "way_out"}
        self.ways = {self.words(names[pull.axis, pull.sign]): pull for pull in pulls}
        self.way.options = tuple(self.ways) or ("-",)

    def take(self) -> None:
        pull = self.ways.get(self.way.value) if self.tower is not None else None
        if self.tower is not None and pull is not None:
            self.pull.disabled, self.pulled = True, self.tower
            self.undo.disabled = True
            self.result.content = frame(self.words("computing"))
            self.ask_pull(self.tower, pull, self.friction)

    def show_turn(self, turn: Turn) -> None:
        """Show the result of a pull."""
        words, played = self.words, turn.played
        before, after = (metres_to_millimetres(each.interface_margin) for each in (played.before, played.after))
        lines = [
            words("play_force", force=newtons_to_millinewtons(played.extraction.peak_force)),
            words("play_formula", force=newtons_to_millinewtons(played.move.force_loaded)),
            words("play_margin", before=before, after=after),
            words("play_torque" if played.move.torque else "play_no_torque"),
        ]
        colour = {"collapse": "#b3261e", "stuck": "#8a6d00", "out": "#1b6e3c"}[played.outcome]
        text = "".join(f"<div>{escape(line)}</div>" for line in lines)
        self.result.content = frame(
            f'<div><b style="color:{colour}">{words("play_" + played.outcome, block=played.pull.block)}</b></div>{text}'
        )
        if turn.played.outcome != "stuck":  # nothing is left to undo
            self.before.append(turn.tower)
        self.take_over(turn.after)
